//! JSON schemas (draft 2020-12) of types.

use schemars::generate::SchemaSettings;
use schemars::JsonSchema;
use serde_json::Value;

/// The schema of `T`; `inline` writes every part out in place, for walking it.
pub fn schema_of<T: JsonSchema>(inline: bool) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = inline;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
