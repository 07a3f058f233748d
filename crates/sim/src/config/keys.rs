//! Every key a configuration can hold, taken from its JSON schema.

use super::RunConfig;
use serde_json::Value;
use slcache_base::document::nearest::nearest;
use slcache_base::document::{shape, Key, Step};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Every key with its description; list indices are written `[]`.
pub fn all() -> &'static BTreeMap<String, String> {
    static KEYS: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let mut keys = BTreeMap::new();
        collect(schema(), "", &mut keys);
        keys
    })
}

/// The keys below `scheme.NAME.`, as they may be set without that prefix.
pub(crate) fn scheme_keys(scheme: &str) -> Vec<&'static str> {
    let prefix = format!("scheme.{scheme}.");
    all().keys().filter_map(|key| key.strip_prefix(prefix.as_str())).collect()
}

/// Whether a key of `scheme` begins with `first`.
pub(crate) fn is_scheme_key(scheme: &str, first: &str) -> bool {
    let whole = |key: &&str| key.split(['.', '[']).next() == Some(first);
    scheme_keys(scheme).iter().any(whole)
}

/// The schema of a configuration, with all parts in place.
pub(super) fn schema() -> &'static Value {
    shape::schema_of::<RunConfig>()
}

/// The names that may stand at `key`, or begin a table there; none where it is no choice.
pub(super) fn choices(key: &Key) -> Vec<String> {
    let inner = |option: &'static Value, step: &Step| match step {
        Step::Field(name) => option.get("properties")?.get(name),
        Step::Index(_) => option.get("items"),
    };
    let found = key.0.iter().fold(vec![schema()], |schemas, step| {
        let options = schemas.into_iter().flat_map(shape::options);
        options.filter_map(|option| inner(option, step)).collect()
    });
    found.into_iter().flat_map(|schema| shape::names(&shape::options(schema))).collect()
}

/// The keys most like `wanted` among those of `scheme` and the other sections.
pub fn similar(wanted: &str, scheme: &str) -> Option<&'static str> {
    let own = format!("scheme.{scheme}.");
    let candidates = all().keys().filter_map(|key| match key.strip_prefix(own.as_str()) {
        Some(short) => Some(short),
        None if key.starts_with("scheme") => None,
        None => Some(key.as_str()),
    });
    nearest(wanted.trim_start_matches(own.as_str()), candidates)
}

/// Adds the keys of a schema that stands at `key`.
fn collect(schema: &Value, key: &str, keys: &mut BTreeMap<String, String>) {
    let parts = parts(schema, key);
    for (inner, part) in &parts {
        collect(part, inner, keys);
    }
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    if parts.is_empty() {
        keys.entry(key.to_owned()).or_insert_with(|| text.to_owned());
    }
    // A choice as a whole is described better than any one of its options.
    if let (Some(entry), false) = (keys.get_mut(key), text.is_empty()) {
        *entry = text.to_owned();
    }
}

/// What a schema consists of: fields, the elements of a list of tables, options of a choice.
fn parts<'a>(schema: &'a Value, key: &str) -> Vec<(String, &'a Value)> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = fields.into_iter().flatten().map(|(name, field)| {
        let dot = if key.is_empty() { "" } else { "." };
        (format!("{key}{dot}{name}"), field)
    });
    let elements = schema.get("items").filter(|items| items.get("properties").is_some());
    let elements = elements.map(|items| (format!("{key}[]"), items));
    let is_some = |option: &&Value| option.get("type").and_then(Value::as_str) != Some("null");
    let options = ["anyOf", "oneOf"].into_iter().filter_map(|choice| schema.get(choice)?.as_array());
    let options = options.flatten().filter(is_some).map(|option| (key.to_owned(), option));
    fields.chain(elements).chain(options).collect()
}
