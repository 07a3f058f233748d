//! The JSON schemas of what a user writes, and of what the program tells.

use crate::catalogue::SchemeEntry;
use crate::config::RunConfig;
use crate::device_facts::DeviceFacts;
use crate::replay::{DeviceBound, ResultDocument, SCHEMA_VERSION};
use serde_json::{json, Map, Value};
use slcache_base::document::shape::{closed, written};
use slcache_core::metrics::components::Needs;
use slcache_core::metrics::figures::{figures, Figure, Read};
use slcache_traces::{Bound, ConvertReport, LintReport, TraceInfo};

/// The JSON schema (draft 2020-12) of a document; none of a name that no document has.
pub fn schema(document: &str) -> Option<Value> {
    let named = |mut schema: Value, what: &str| {
        schema["$id"] = format!("urn:slcache:schema:{document}:1").into();
        schema["title"] = format!("slcache {what}").into();
        schema
    };
    Some(match document {
        "config" => run_schema(),
        "result" => result_schema(),
        "trace-info" => trace_info_schema(),
        "trace-convert" => named(written::<ConvertReport>(), "report of a conversion"),
        "trace-lint" => named(written::<LintReport>(), "problems of a trace"),
        "bound" => named(written::<Bound>(), "bound of a trace"),
        "device-bound" => named(written::<DeviceBound>(), "bound of a trace on a device"),
        "schemes" => named(written::<Vec<SchemeEntry>>(), "catalogue of schemes"),
        "device" => named(written::<DeviceFacts>(), "facts of a device"),
        _ => return None,
    })
}

/// The JSON schema (draft 2020-12) of a trace's statistics.
fn trace_info_schema() -> Value {
    let mut schema = closed::<TraceInfo>(false);
    schema["$id"] = "urn:slcache:schema:trace-info:1".into();
    schema["title"] = "slcache trace statistics".into();
    bound_shares(&mut schema);
    schema
}

fn bound_shares(schema: &mut Value) {
    const SHARES: [&str; 5] = ["share", "_ratio", "_runs", "_coupling", "_spread"];
    for (key, inner) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if inner["type"] == "number" && SHARES.iter().any(|ending| key.ends_with(ending)) {
            (inner["minimum"], inner["maximum"]) = (0.into(), 1.into());
        }
    }
    for (_, inner) in schema.get_mut("$defs").and_then(Value::as_object_mut).into_iter().flatten() {
        bound_shares(inner);
    }
}

/// The JSON schema (draft 2020-12) of a result.
pub fn result_schema() -> Value {
    let mut schema = written::<ResultDocument>();
    schema["$id"] = format!("urn:slcache:schema:result:{SCHEMA_VERSION}").into();
    schema["title"] = "slcache result document".into();
    figures_shape(&mut schema["properties"]["figures"]);
    schema
}

/// The figures by name, as the table of figures has them; those of cells are in results of cells that err.
fn figures_shape(schema: &mut Value) {
    let shape = |figure: &Figure| {
        let kind = if matches!(figure.read, Read::Whole(_)) { "integer" } else { "number" };
        json!({ "description": figure.sentence, "type": [kind, "null"] })
    };
    let all = figures();
    let properties: Map<_, _> = all.iter().map(|figure| (figure.name.clone(), shape(figure))).collect();
    let always = all.iter().filter(|figure| figure.needs == Needs::Nothing).map(|figure| figure.name.clone());
    schema["required"] = always.collect::<Vec<_>>().into();
    schema["properties"] = properties.into();
    schema["additionalProperties"] = false.into();
}

/// The JSON schema (draft 2020-12) of a run's configuration.
pub fn run_schema() -> Value {
    let mut schema = closed::<RunConfig>(false);
    schema["$id"] = "run.schema.json".into();
    schema["title"] = "slcache run configuration".into();
    schema
}
