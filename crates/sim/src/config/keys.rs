//! Every key a configuration can hold, taken from its JSON schema.

use super::RunConfig;
use crate::json_schema::schema_of;
use crate::nearest::nearest;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Every key with its description; list indices are written `[]`.
pub fn all() -> &'static BTreeMap<String, String> {
    static KEYS: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let mut keys = BTreeMap::new();
        collect(&schema_of::<RunConfig>(true), "", &mut keys);
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

/// What the schema says about a key such as `device.pool[0].blocks`.
pub fn description(key: &str) -> Option<&'static str> {
    let mut plain = String::with_capacity(key.len());
    for part in key.split_inclusive('[') {
        plain.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    // A key may be nested in a value that is described as a whole.
    let found = all().get(&plain).map(|text| text.split("\n\n").next().unwrap_or_default());
    found.filter(|text| !text.is_empty())
}

/// The names that may stand at `key`, or begin a table there; none where it is no choice.
pub(crate) fn choices(key: &str) -> Vec<String> {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    let whole = SCHEMA.get_or_init(|| schema_of::<RunConfig>(true));
    let mut found = Vec::new();
    for schema in at(vec![whole], key) {
        names(schema, &mut found);
    }
    found
}

/// The schemas of what stands at a key, each option of a choice by itself.
fn at<'a>(whole: Vec<&'a Value>, key: &str) -> Vec<&'a Value> {
    let steps = key.split(['.', '[', ']']).filter(|step| !step.is_empty());
    steps.fold(whole, |schemas, step| {
        let options = schemas.into_iter().flat_map(options);
        options.filter_map(|option| option.get("properties")?.get(step).or(option.get("items"))).collect()
    })
}

/// A schema, or the options that it is a choice of.
fn options(schema: &Value) -> Vec<&Value> {
    let inner = ["anyOf", "oneOf"].into_iter().filter_map(|choice| schema.get(choice)?.as_array());
    let inner: Vec<&Value> = inner.flatten().flat_map(options).collect();
    if inner.is_empty() {
        vec![schema]
    } else {
        inner
    }
}

fn names(schema: &Value, found: &mut Vec<String>) {
    for option in options(schema) {
        let listed = option.get("enum").and_then(Value::as_array).into_iter().flatten();
        let named = listed.chain(option.get("const")).filter_map(Value::as_str).map(str::to_owned);
        let keys = option.get("required").and_then(Value::as_array).filter(|_| is_variant(option));
        let keys = keys.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        found.extend(named.chain(keys));
    }
}

/// Whether a table is one option of a choice: its only key is the option's name.
fn is_variant(option: &Value) -> bool {
    option.get("properties").and_then(Value::as_object).is_some_and(|keys| keys.len() == 1)
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
