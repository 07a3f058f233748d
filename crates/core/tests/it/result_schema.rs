//! The published schema of a result has every key and every word that the report can have.

use schemars::generate::SchemaSettings;
use serde_json::Value;
use slcache_core::base::{Cause, CellMode, OpKind};
use slcache_core::hw::disk::PowerState;
use slcache_core::metrics::components::{components, Component};
use slcache_core::metrics::report::Report;
use std::collections::BTreeMap;

const PUBLISHED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/slcache/schema/result.schema.json");
/// What is put around a report.
const AROUND: [&str; 7] = ["schema_version", "config", "trace", "figures", "provenance", "episode", "sim"];

/// What is put into a part of it.
const WITHIN: [&str; 2] = [".wear.note", ".wear.years"];

/// Whether what stands under a key may be null, and whether the key is always there.
#[derive(Clone, Copy, Debug, Default)]
struct Stands {
    null: bool,
    always: bool,
}

/// Every key below a schema; `*` stands for a name that varies, `[]` for a place in a list.
fn keys(root: &Value, node: &Value, path: &str, found: &mut BTreeMap<String, Stands>) {
    let pointed = node["$ref"].as_str().map(|to| root.pointer(&to[1..]).expect("a definition"));
    let choices = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|word| node[word].as_array()).flatten();
    for part in choices.chain(pointed) {
        keys(root, part, path, found);
    }
    let required = node["required"].as_array().map_or(&[][..], Vec::as_slice);
    // What only older documents have is published as such.
    let properties = node["properties"].as_object().into_iter().flatten();
    for (key, inner) in properties.filter(|(_, inner)| inner["deprecated"] != true) {
        let here = format!("{path}.{key}");
        let stands = found.entry(here.clone()).or_default();
        stands.always |= required.iter().any(|name| name == key);
        stands.null |= may_be_null(root, inner);
        keys(root, inner, &here, found);
    }
    let patterns = node["patternProperties"].as_object().into_iter().flat_map(|all| all.values());
    for inner in
        patterns.chain(node["additionalProperties"].as_object().map(|_| &node["additionalProperties"]))
    {
        keys(root, inner, &format!("{path}.*"), found);
    }
    if node["items"].is_object() {
        keys(root, &node["items"], &format!("{path}[]"), found);
    }
}

fn may_be_null(root: &Value, node: &Value) -> bool {
    let of_type =
        |kind: &Value| kind == "null" || kind.as_array().is_some_and(|all| all.contains(&"null".into()));
    let pointed = node["$ref"].as_str().and_then(|to| root.pointer(&to[1..]));
    let choices = node["anyOf"].as_array().into_iter().flatten();
    of_type(&node["type"]) || choices.chain(pointed).any(|part| may_be_null(root, part))
}

fn published() -> Value {
    serde_json::from_str(&std::fs::read_to_string(PUBLISHED).unwrap()).unwrap()
}

fn all_keys(schema: &Value) -> BTreeMap<String, Stands> {
    let mut found = BTreeMap::new();
    keys(schema, schema, "", &mut found);
    found
}

#[test]
fn every_key_of_a_report_is_published_and_no_other() {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let (written, told) =
        (all_keys(&generator.into_root_schema_for::<Report>().to_value()), all_keys(&published()));
    assert!(written.len() > 150, "{}", written.len());
    for (key, stands) in &written {
        let published = told.get(key).unwrap_or_else(|| panic!("{key}: a report has it, the schema not"));
        assert!(published.null || !(stands.null && stands.always), "{key}: null in reports");
        assert!(stands.always || !published.always, "{key}: not in every report");
    }
    let around = |key: &str| AROUND.iter().any(|name| key[1..].split('.').next() == Some(name));
    // Of the parts of a latency a report knows no names.
    let unknown = |key: &&String| {
        !written.contains_key(*key)
            && !around(key)
            && !WITHIN.contains(&key.as_str())
            && !key.contains(".attribution_us.")
            && !key.contains(".columns.")
    };
    assert_eq!(told.keys().find(unknown), None, "no report has it");
}

/// The words that a place of the schema allows.
fn words<'a>(schema: &'a Value, place: &str) -> Vec<&'a str> {
    let all = schema.pointer(place).and_then(|node| node["enum"].as_array());
    all.unwrap_or_else(|| panic!("{place}")).iter().filter_map(Value::as_str).collect()
}

#[test]
fn every_word_of_a_report_is_published() {
    let schema = published();
    for (place, names) in [
        ("/$defs/cause", &Cause::ALL.map(Cause::name)[..]),
        ("/$defs/mode", &CellMode::ALL.map(CellMode::name)),
        ("/$defs/op/properties/kind", &OpKind::ALL.map(OpKind::name)),
        ("/$defs/power_state", &PowerState::ALL.map(PowerState::name)),
    ] {
        let allowed = words(&schema, place);
        assert_eq!(names.iter().find(|name| !allowed.contains(name)), None, "{place}");
    }
    let parts = "/$defs/side/properties/attribution_us/properties";
    let services = schema.pointer(&format!("{parts}/service/properties")).unwrap();
    let mut waits = words(&schema, &format!("{parts}/wait/propertyNames/anyOf/1"));
    waits.extend(words(&schema, &format!("{parts}/wait/propertyNames/anyOf/2")));
    waits.extend(Cause::ALL.map(Cause::name));
    for Component { name, is_service, .. } in components() {
        assert!(if is_service { services[name].is_object() } else { waits.contains(&name) }, "{name}");
    }
}
