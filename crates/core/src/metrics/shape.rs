//! What a result's schema cannot learn from types alone.

use super::components::components;
use crate::base::op::Cause;
use crate::base::power_state::PowerState;
use crate::base::CellMode;
use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde_json::{json, Value};
use std::borrow::Cow;

/// A number of either sign; all others of a result are at least 0.
pub struct Signed;

impl JsonSchema for Signed {
    fn schema_name() -> Cow<'static, str> {
        "Signed".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": f64::MIN })
    }
}

/// A share, from 0 to 1.
pub struct Share;

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// A table with these keys and no others, whose values are what `words` say.
fn table(schema: &mut Schema, names: impl IntoIterator<Item = &'static str>, words: &str) {
    schema.insert("propertyNames".into(), json!({ "enum": names.into_iter().collect::<Vec<_>>() }));
    if let Some(Value::Object(values)) = schema.get_mut("additionalProperties") {
        values.entry("description").or_insert(words.into());
    }
}

/// Parts of the write amplification by cause.
pub fn by_cause(schema: &mut Schema) {
    let words = "Bytes of mapping units programmed for this cause over the bytes that the host wrote.";
    table(schema, Cause::ALL.map(Cause::name), words);
}

/// Parts of the write amplification by cell mode.
pub fn by_mode(schema: &mut Schema) {
    let words = "Bytes of pages programmed in this cell mode over the bytes that the host wrote.";
    table(schema, CellMode::ALL.map(CellMode::name), words);
}

/// Wear by cell mode.
pub fn wear_by_mode(schema: &mut Schema) {
    table(schema, CellMode::ALL.map(CellMode::name), "Wear in this cell mode.");
}

/// A disk's time by power state.
pub fn by_power_state(schema: &mut Schema) {
    table(schema, PowerState::ALL.map(PowerState::name), "Share of each window in this power state.");
}

/// What an attribution tells of waiting.
pub fn waits(schema: &mut Schema) {
    let names = components().filter(|part| !part.is_service).map(|part| part.name);
    let words = "Time of waiting, by what kept the request waiting; only what occurred.";
    table(schema, names, words);
}

/// What an attribution tells of being served: each part by its name. What every device has is always there.
pub fn services(schema: &mut Schema) {
    let parts = components().filter(|part| part.is_service);
    let amount = |words: String| {
        let first = words[..1].to_uppercase();
        json!({ "type": "number", "minimum": 0, "description": format!("{first}{}.", &words[1..]) })
    };
    let properties: serde_json::Map<_, _> =
        parts.map(|part| (part.name.to_owned(), amount(part.words))).collect();
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), json!(["array", "transfer", "link", "buffer"]));
    schema.insert("additionalProperties".into(), false.into());
}

/// The columns of a run's time series.
pub fn columns(schema: &mut Schema) {
    let of = |kind: &str, words: &[&str]| -> Vec<String> {
        words.iter().map(|word| format!("{kind}_{word}")).collect()
    };
    let always = ["requests", "bytes", "latency_ns_sum", "latency_ns_max"];
    let percentiles = ["latency_ns_p50", "latency_ns_p99", "latency_ns_p99_9"];
    let mut names: Vec<String> = ["t_ns", "erases", "cache_live_bytes"].map(str::to_owned).into();
    names.extend(["read", "write"].iter().flat_map(|kind| of(kind, &always)));
    schema.insert("required".into(), names.clone().into());
    names.extend(["read", "write"].iter().flat_map(|kind| of(kind, &percentiles)));
    names.extend(Cause::ALL.map(|cause| format!("program_pages_{}", cause.name())));
    schema.insert("propertyNames".into(), json!({ "enum": names }));
    let told = "null in windows without such a request; percentiles are within 1 %.";
    let latencies = json!({
        "description": told, "type": "array", "items": { "type": ["integer", "null"], "minimum": 0 }
    });
    schema.insert(
        "patternProperties".into(),
        json!({ "^(read|write)_latency_ns_(max|p50|p99|p99_9)$": latencies }),
    );
    let counts = json!({
        "description": "One value for each window: a sum over it, or for cache_live_bytes the state at its end.",
        "type": "array",
        "items": { "type": "integer", "minimum": 0 },
    });
    schema.insert("additionalProperties".into(), counts);
}
