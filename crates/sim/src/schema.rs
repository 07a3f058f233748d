//! JSON schemas of what a user writes.

use crate::config::RunConfig;
use schemars::generate::SchemaSettings;
use schemars::JsonSchema;
use serde_json::Value;

/// The JSON schema (draft 2020-12) of a run's configuration.
pub fn run_schema() -> Value {
    let mut schema = schema_of::<RunConfig>(false);
    schema["$id"] = "run.schema.json".into();
    schema["title"] = "slcache run configuration".into();
    schema
}

/// The schema of `T` with every part written out in place, for walking it.
pub(crate) fn inline_schema<T: JsonSchema>() -> Value {
    schema_of::<T>(true)
}

fn schema_of<T: JsonSchema>(inline: bool) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = inline;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
