//! The parameters of every scheme with values to draw, read out of its schema: a key that is new is
//! drawn by itself.

use crate::it::common::hosted;
use crate::it::common::*;
use serde_json::Map;
use slcache_core::schemes::SchemeConfig;
use std::sync::LazyLock;

/// A key and its values; the first is what a failing case is made small to.
pub type Drawn = (String, Vec<Value>);

/// Keys that the chips decide, those that must be 0 wherever they are, what a policy of elsewhere decides, and
/// separation, for which planes are too small here: it has tests of its own.
const SETTLED: [&str; 10] = [
    "clean.separation",
    "dense.separation",
    "slc.separation",
    "mode",
    "dense_mode",
    "merge.buffer_bytes",
    "slc.idle_free_ratio",
    "dense.idle_free_ratio",
    "sha256",
    "options",
];

static DRAWN: LazyLock<BTreeMap<&str, Vec<Drawn>>> = LazyLock::new(|| {
    hosted::register();
    CATALOG.iter().map(|entry| (entry.name, of_schema(entry.name))).collect()
});

/// The keys of scheme `name`.
pub fn drawn(name: &str) -> &'static [Drawn] {
    &DRAWN[name]
}

/// The most keys that a scheme has.
pub fn most() -> usize {
    DRAWN.values().map(Vec::len).max().unwrap_or(0)
}

fn of_schema(name: &str) -> Vec<Drawn> {
    let schema = SchemeConfig::schema_for(name).expect("a scheme of the catalogue");
    let mut found = Vec::new();
    Reader { root: &schema }.section(&schema, "", &Value::Null, &mut found);
    found.retain(|(key, _)| !SETTLED.contains(&key.as_str()));
    for (key, values) in &mut found {
        *values = small(key).unwrap_or_else(|| std::mem::take(values));
    }
    found
}

/// Values of the numbers whose default does nothing, or does not fit, on a device as small as these.
fn small(key: &str) -> Option<Vec<Value>> {
    let values = match key {
        "slc_blocks" => json!([3, 4, 6]),
        "source" => json!([null, "random:0", "random:1", "random:2", "random:4", "random:5", "random:7"]),
        "regions" => json!([
            [],
            [{ "name": "cache", "mode": "slc" }, { "name": "hot" }, { "name": "cold", "victim": "fifo" }],
            [{ "name": "first", "mode": "slc", "blocks": 2 }, { "name": "next", "blocks": 2 }, { "name": "store" }]
        ]),
        "max_slc_blocks" => json!([1, 2, 6]),
        "fast_blocks" => json!([null, 3, 5, 8]),
        "free_blocks" => json!([3, 5]),
        "blocks" => json!([null, 2, 3, 5]),
        "slc_blocks_min" => json!([0, 2]),
        "initial_slc_blocks" => json!([null, 0, 2]),
        "buffer_pages" => json!([1, 3]),
        "window_writes" => json!([7, 100]),
        "period_writes" => json!([7, 50]),
        "min_writes" => json!([1, 20]),
        "force_after_writes" => json!([1, 20]),
        "window_bytes" | "step_bytes" => json!([4096, 100_000]),
        "theta_bytes" => json!([0, 2048, 16384, 65536]),
        "shares_percent" => {
            json!([[56, 56, 50, 40, 30, 25, 20, 10, 10, 10, 10], [95, 5, 95, 5, 95, 5, 95, 5, 95, 5, 1]])
        }
        "min_retries" => json!([[0, 0], [1, 3]]),
        "warm_reads" => json!([1, 2]),
        "hot_reads" => json!([2, 3]),
        "converted_share" => json!([0.0, 0.3]),
        "clear_accesses" => json!([1, 30]),
        "theta_ladder_bytes" => json!([[65536], [512, 6144, 65536]]),
        "initial_theta_bytes" => json!([65536, 512]),
        "large_request_bytes" => json!([512, 16384]),
        "copy_buffer_bytes" => json!([0, 16384, 8 << 20]),
        "idle.threshold_ns" => json!([100_000, 1_000_000]),
        "merge.timeout_ns" => json!([1_000, 1_000_000]),
        "slc.start_free_blocks" => json!([1, 2]),
        "slc.start_free_ratio" => json!([0.0, 0.5]),
        "clean.start_free_ratio" | "dense.start_free_ratio" => json!([0.0, 0.1, 0.3]),
        "utilisation" => json!([null, 0.1, 0.3]),
        "utilisation_max" => json!([null, 0.3, 0.6]),
        "slc_share_max" => json!([0.2, 0.85]),
        "dynamic.table" => json!([null, [[0.0, 65536], [0.8, 8192]], [[0.5, 16384]]]),
        "dynamic.max_bytes" => json!([null, 8192, 65536]),
        "fold.keep_blocks" => json!([null, 2, 3]),
        "fold.parallel" | "dense.parallel" => json!([null, 1, 2]),
        _ => return None,
    };
    values.as_array().cloned()
}

/// A schema with the definitions that it refers to.
struct Reader<'a> {
    root: &'a Value,
}

impl<'a> Reader<'a> {
    /// What a schema stands for, by itself or in the place of its reference.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(place) => self.root.pointer(place.trim_start_matches('#')).expect("a definition"),
            None => schema,
        }
    }

    /// Adds the keys of a section, whose defaults are in `defaults` where they are not a key's own.
    fn section(&self, schema: &'a Value, at: &str, defaults: &Value, found: &mut Vec<Drawn>) {
        let fields = self.resolved(schema)["properties"].as_object();
        for (name, field) in fields.into_iter().flatten() {
            let default = defaults.get(name).or_else(|| field.get("default")).unwrap_or(&Value::Null);
            let key = format!("{at}{name}");
            if self.resolved(field)["properties"].is_object() {
                self.section(field, &format!("{key}."), default, found);
            } else {
                let mut values = vec![default.clone()];
                values.extend(self.values(field, default));
                // No key of these is without a value: null is one where the schema says so.
                values.retain(|value| !value.is_null() || self.takes_null(field));
                found.push((key, once(values)));
            }
        }
    }

    fn takes_null(&self, schema: &'a Value) -> bool {
        let types = &self.resolved(schema)["type"];
        let of_list = types.as_array().is_some_and(|types| types.contains(&json!("null")));
        let parts = self.parts(schema);
        types == "null" || of_list || parts.iter().any(|part| self.takes_null(part))
    }

    fn parts(&self, schema: &'a Value) -> Vec<&'a Value> {
        let schema = self.resolved(schema);
        ["oneOf", "anyOf"].iter().filter_map(|of| schema[of].as_array()).flatten().collect()
    }

    /// Values of a key: every one there is of words, some of numbers, and of lists parts of the default.
    fn values(&self, schema: &'a Value, default: &Value) -> Vec<Value> {
        let parts = self.parts(schema);
        let schema = self.resolved(schema);
        if let Some(words) = schema["enum"].as_array() {
            return words.clone();
        }
        if let Some(word) = schema.get("const") {
            return vec![word.clone()];
        }
        if !parts.is_empty() {
            return parts.into_iter().flat_map(|part| self.values(part, default)).collect();
        }
        let is = |name: &str| {
            schema["type"] == name || schema["type"].as_array().is_some_and(|all| all.contains(&json!(name)))
        };
        match () {
            () if is("boolean") => vec![json!(false), json!(true)],
            () if is("integer") => whole(default.as_u64()),
            () if is("number") => fractions(default.as_f64()),
            () if is("array") => default.as_array().into_iter().flatten().map(|one| json!([one])).collect(),
            () if is("object") => self.objects(schema),
            () if is("null") => vec![Value::Null],
            () => panic!("no values are known for {schema}"),
        }
    }

    /// Two objects with all fields of a schema.
    fn objects(&self, schema: &'a Value) -> Vec<Value> {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let fields: Vec<_> = fields.map(|(name, of)| (name, self.values(of, &Value::Null))).collect();
        let object = |i: usize| -> Map<_, _> {
            fields.iter().map(|(name, values)| (name.to_string(), values[i % values.len()].clone())).collect()
        };
        vec![object(0).into(), object(1).into()]
    }
}

fn whole(default: Option<u64>) -> Vec<Value> {
    match default {
        Some(default) => [0, 1, 2, default / 2, default.saturating_mul(2)].map(Value::from).to_vec(),
        None => [1, 3, 5].map(Value::from).to_vec(),
    }
}

fn fractions(default: Option<f64>) -> Vec<Value> {
    let around = default.into_iter().flat_map(|default| [default / 2.0, default * 2.0]);
    [0.0, 0.2, 1.0].into_iter().chain(around).map(Value::from).collect()
}

fn once(values: Vec<Value>) -> Vec<Value> {
    let mut kept = Vec::new();
    values.into_iter().for_each(|value| {
        if !kept.contains(&value) {
            kept.push(value)
        }
    });
    kept
}
