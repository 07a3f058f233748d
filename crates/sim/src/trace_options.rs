//! Trace options as text, the way a command line gives them.

use crate::config::{Argument, ConfigError, ConfigErrors, Origin, Statement};
use serde_json::{Map, Value};
use slcache_base::document::nearest::nearest;
use slcache_base::document::{shape, Key};
use slcache_traces::{time_ns, GenericColumns, TraceOptions};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The options of every format, and the columns and units of a generic trace, which are written with
/// `generic.` in front or without: what the schema of [`TraceOptions`] has.
static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

struct Keys {
    plain: BTreeMap<String, Takes>,
    generic: BTreeMap<String, Takes>,
}

/// What a key takes beside text.
#[derive(Clone, Copy)]
struct Takes {
    flag: bool,
    number: bool,
    text: bool,
}

impl Keys {
    fn new() -> Self {
        let keys = |schema: schemars::Schema, apart: &[&str]| {
            let (schema, mut keys) = (schema.to_value(), BTreeMap::new());
            for (key, of) in schema["properties"].as_object().into_iter().flatten() {
                if !apart.contains(&key.as_str()) {
                    let takes = |kind| takes(of, kind, &schema["$defs"]);
                    keys.insert(
                        key.clone(),
                        Takes { flag: takes("boolean"), number: takes("integer"), text: takes("string") },
                    );
                }
            }
            keys
        };
        Self {
            plain: keys(schemars::schema_for!(TraceOptions), &["generic", "workload"]),
            generic: keys(schemars::schema_for!(GenericColumns), &["ops"]),
        }
    }
}

/// Whether a schema allows a kind of value anywhere but within objects.
fn takes(schema: &Value, kind: &str, definitions: &Value) -> bool {
    let named = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
    let variants = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    schema["type"] == kind
        || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|any| any == kind))
        || named.is_some_and(|name| takes(&definitions[name], kind, definitions))
        || variants.into_iter().any(|variant| takes(variant, kind, definitions))
}

/// Codes in a generic trace's operation column: `ops.CODE=read`.
const OPS: &str = "ops.";
/// Settings of a workload: `workload.KEY=VALUE`.
const WORKLOAD: &str = "workload.";

/// Makes trace options of `(key, value)` pairs; the error lists every bad one, and every one that
/// another has said already.
pub fn trace_options<'a>(
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<TraceOptions, ConfigErrors> {
    let pairs: Vec<(&str, &str)> = pairs.into_iter().collect();
    let is_mqsim = pairs.iter().any(|&(key, value)| key == "format" && value == "mqsim");
    let mut errors = said_twice(&pairs, is_mqsim);
    let (mut plain, mut generic, mut ops, mut workload) = (Map::new(), Map::new(), Map::new(), Map::new());
    let mut wrong = |key: &str, text: &str, message: String| {
        let said = Statement::new(Argument::TraceOption, format!("{key}={text}"));
        errors.push(ConfigError::new(said, key, message));
    };
    for (key, text) in pairs {
        let inner = key.strip_prefix("generic.").unwrap_or(key);
        if let Some(setting) = key.strip_prefix(WORKLOAD) {
            workload.insert(setting.to_owned(), text.into());
        } else if key == "time_unit" && is_mqsim {
            plain.insert("mqsim_time_unit".to_owned(), text.into());
        } else if let Some(takes) = KEYS.plain.get(key) {
            match typed(key, text, *takes) {
                Ok(value) => drop(plain.insert(key.to_owned(), value)),
                Err(allowed) => wrong(key, text, format!("expected {allowed}")),
            }
        } else if let Some(takes) = KEYS.generic.get(inner) {
            match typed(inner, text, *takes) {
                Ok(value) => drop(generic.insert(inner.to_owned(), value)),
                Err(allowed) => wrong(key, text, format!("expected {allowed}")),
            }
        } else if let Some(code) = inner.strip_prefix(OPS) {
            ops.insert(code.to_owned(), text.into());
        } else {
            wrong(key, text, unknown(key));
        }
    }
    if !ops.is_empty() {
        generic.insert("ops".to_owned(), Value::Object(ops));
    }
    if !workload.is_empty() {
        plain.insert("workload".to_owned(), Value::Object(workload));
    }
    if !generic.is_empty() {
        plain.insert("generic".to_owned(), Value::Object(generic));
    }
    read(plain, errors)
}

/// The options that are not as they would be without a word, as text: what [`trace_options`] reads.
pub(crate) fn texts(options: &TraceOptions) -> BTreeMap<String, String> {
    let plain = |options: &TraceOptions| serde_json::to_value(options).expect("options are plain data");
    let (own, default) = (plain(options), plain(&TraceOptions::default()));
    let mut said = BTreeMap::new();
    for (key, value) in own.as_object().into_iter().flatten() {
        if default.get(key) != Some(value) {
            write(key, value, &mut said);
        }
    }
    said
}

fn write(key: &str, value: &Value, said: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| write(&format!("{key}.{name}"), value, said));
        }
        Value::String(text) => drop(said.insert(key.to_owned(), text.clone())),
        plain => drop(said.insert(key.to_owned(), plain.to_string())),
    }
}

/// An error for every option that an earlier one has set, under the same name or another.
fn said_twice(pairs: &[(&str, &str)], is_mqsim: bool) -> Vec<ConfigError> {
    let name = |key: &str| match key {
        "time_unit" if is_mqsim => "mqsim_time_unit".to_owned(),
        _ if key.starts_with(WORKLOAD) => key.to_owned(),
        _ => key.strip_prefix("generic.").unwrap_or(key).to_owned(),
    };
    let within = |one: &str, other: &str| one == other || one.starts_with(&format!("{other}."));
    let mut errors = Vec::new();
    for (place, &(key, value)) in pairs.iter().enumerate() {
        let own = name(key);
        let same = |&&(other, _): &&(&str, &str)| within(&own, &name(other)) || within(&name(other), &own);
        if let Some((other, earlier)) = pairs[..place].iter().find(same) {
            let message = format!("{other}={earlier} says it as well; give one of the two");
            let said = Statement::new(Argument::TraceOption, format!("{key}={value}"));
            errors.push(ConfigError::new(said, key, message));
        }
    }
    errors
}

/// Reads the options: all that have not their shape, or whose values are none of theirs, are told at once.
fn read(plain: Map<String, Value>, mut errors: Vec<ConfigError>) -> Result<TraceOptions, ConfigErrors> {
    let said = |text: &str| Statement::new(Argument::TraceOption, text);
    // TOML has no number above 2^63, which is no fault of shape.
    let tree =
        plain.iter().filter_map(|(key, value)| Some((key.clone(), toml::Value::try_from(value).ok()?)));
    let tree = toml::Value::Table(tree.collect());
    let faults = shape::faults(shape::schema_of::<TraceOptions>(), &tree, &Key::default());
    errors.extend(
        faults.iter().map(|fault| ConfigError::new(said(&fault.found()), &fault.key, fault.reason())),
    );
    for (key, value) in &plain {
        if faults.iter().any(|fault| fault.key.section() == key) {
            continue;
        }
        let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        let parsed: Result<TraceOptions, _> = serde_path_to_error::deserialize(alone);
        if let Err(error) = parsed {
            let path = error.path().to_string();
            errors.push(ConfigError::new(said(&path), path, error.inner().to_string()));
        }
    }
    if !errors.is_empty() {
        return Err(ConfigErrors(errors));
    }
    serde_json::from_value(Value::Object(plain))
        .map_err(|error| ConfigErrors::one(Origin::Nowhere, "", format!("trace options: {error}")))
}

/// The value in the type its key takes: most are text, columns may be numbers, times have units. An error
/// says what a key takes that takes no text.
fn typed(key: &str, text: &str, takes: Takes) -> Result<Value, &'static str> {
    let is_time = key.ends_with("_ns");
    let number = match text.parse::<u64>() {
        Err(_) if is_time => time_ns(text),
        parsed => parsed.ok(),
    };
    match (text.parse::<bool>(), number) {
        (Ok(flag), _) if takes.flag => Ok(flag.into()),
        (_, Some(number)) if takes.number => Ok(number.into()),
        _ if takes.text => Ok(text.into()),
        _ if takes.flag => Err("true or false"),
        _ if is_time => Err("a time from 0, such as 1500000 (ns), 1.5ms or 2h"),
        _ => Err("a whole number from 0 to 2^64 - 1"),
    }
}

fn unknown(key: &str) -> String {
    let allowed: Vec<&str> = KEYS.plain.keys().chain(KEYS.generic.keys()).map(String::as_str).collect();
    let near = nearest(key, allowed.iter().copied());
    let near = near.map_or(".".to_owned(), |near| format!("; did you mean {near}?"));
    format!("unknown trace option{near} Allowed: {}, ops.CODE, workload.KEY", allowed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_traces::{ColumnReference, MqsimTimeUnit, OpName, UnitBytes, Unsorted, VolumeChoice};

    #[test]
    fn text_becomes_the_type_of_the_key() {
        let options = trace_options([
            ("format", "generic"),
            ("unsorted", "sort:64"),
            ("volume", "3"),
            ("rebase", "true"),
            ("time", "1"),
            ("generic.time_unit", "us"),
            ("address", "lba"),
            ("address_unit", "4096"),
            ("size", "3"),
            ("size_unit", "byte"),
            ("op", "4"),
            ("ops.0", "write"),
            ("header", "true"),
        ])
        .unwrap();
        assert_eq!(options.unsorted, Unsorted::Sort(64));
        assert_eq!(options.volume, Some(VolumeChoice::Named("3".to_owned())));
        let generic = options.generic.unwrap();
        assert_eq!(generic.time, ColumnReference::Number(1));
        assert_eq!(generic.address, ColumnReference::Name("lba".to_owned()));
        assert_eq!(generic.ops["0"], OpName::Write);
    }

    #[test]
    fn what_was_said_is_read_as_the_same() {
        let generic: &[(&str, &str)] = &[
            ("format", "generic"),
            ("time", "1"),
            ("time_unit", "us"),
            ("address", "lba"),
            ("address_unit", "4096"),
            ("size", "3"),
            ("size_unit", "byte"),
            ("op", "4"),
            ("ops.0", "write"),
            ("header", "true"),
            ("delimiter", "whitespace"),
            ("stream", "6"),
        ];
        let plain: &[(&str, &str)] = &[
            ("unsorted", "sort:64"),
            ("volume", "each"),
            ("action", "C"),
            ("mqsim_time_unit", "ps"),
            ("zero_size", "skip"),
            ("sub_sector", "round"),
            ("rebase", "false"),
            ("op_default", "write"),
            ("object_unit", "sector"),
            ("coarse_time", "spread"),
            ("resample", "3"),
            ("resample_block_ns", "1000"),
            ("from_ns", "10"),
            ("to_ns", "20"),
            ("skip", "1"),
            ("take", "2"),
            ("time_scale", "1/3"),
            ("seed", "7"),
            ("workload.twin.update_ratio", "0.5"),
        ];
        for pairs in [generic, plain, &[]] {
            let options = trace_options(pairs.iter().copied()).unwrap();
            let text = texts(&options);
            assert!(text.len() >= pairs.len(), "{text:?}");
            assert_eq!(trace_options(text.iter().map(|(k, v)| (k.as_str(), v.as_str()))).unwrap(), options);
        }
        assert!(texts(&TraceOptions::default()).is_empty());
    }

    #[test]
    fn times_may_have_units() {
        let options =
            trace_options([("from_ns", "2h"), ("to_ns", "7.5 s"), ("resample_block_ns", "3")]).unwrap();
        assert_eq!((options.from_ns, options.to_ns), (Some(7_200_000_000_000), Some(7_500_000_000)));
        assert_eq!(options.resample_block_ns, Some(3));
        for text in ["2 hours", "-1s", "0.1ns", "h"] {
            assert!(trace_options([("from_ns", text)]).is_err(), "{text}");
        }
    }

    #[test]
    fn time_unit_follows_the_format() {
        let options = trace_options([("format", "mqsim"), ("time_unit", "ps")]).unwrap();
        assert_eq!(options.mqsim_time_unit, MqsimTimeUnit::Ps);
        assert!(options.generic.is_none());
    }

    #[test]
    fn settings_of_a_workload_keep_their_text() {
        let options = trace_options([("seed", "7"), ("workload.twin.update_ratio", "0.5")]).unwrap();
        assert_eq!(options.seed, Some(7));
        assert_eq!(options.workload["twin.update_ratio"], "0.5");
        assert!(trace_options([("seed", "-1")]).is_err());
    }

    #[test]
    fn objects_take_a_name_or_a_number_of_bytes() {
        let unit =
            |text| trace_options([("object_unit", text), ("op_default", "write")]).unwrap().object_unit;
        assert_eq!(unit("sector"), Some(UnitBytes::SECTOR));
        assert_eq!(unit("4096"), Some(UnitBytes::Bytes(4096)));
        assert!(trace_options([("op_default", "trim")]).unwrap_err().to_string().contains("op_default"));
    }

    #[test]
    fn no_option_is_said_twice_however_it_is_written() {
        let names = KEYS.plain.keys().chain(KEYS.generic.keys()).cloned();
        let names: Vec<String> = names.chain(["ops.W".to_owned()]).collect();
        for name in &names {
            let generic = KEYS.generic.contains_key(name) || name.starts_with(OPS);
            let other = if generic { format!("generic.{name}") } else { name.clone() };
            for pair in [[name, name], [name, &other], [&other, name]] {
                let text = trace_options(pair.map(|key| (key.as_str(), "1"))).unwrap_err().to_string();
                assert!(text.contains("says it as well; give one of the two"), "{pair:?}: {text}");
            }
        }
        for pair in [["workload.twin", "workload.twin.x"], ["workload.requests", "workload.requests"]] {
            let text = trace_options(pair.map(|key| (key, "1"))).unwrap_err().to_string();
            assert!(text.contains("give one of the two"), "{text}");
        }
        let mqsim = [("format", "mqsim"), ("time_unit", "ps"), ("mqsim_time_unit", "ns")];
        assert!(trace_options(mqsim).unwrap_err().to_string().contains("time_unit=ps says"));
        assert!(trace_options([("time", "1"), ("time_unit", "s")])
            .is_err_and(|error| !error.to_string().contains("give one of the two")));
    }

    #[test]
    fn every_bad_option_is_told() {
        let error = trace_options([("formt", "msr"), ("unsorted", "soon"), ("rebase", "maybe")]);
        let text = error.unwrap_err().to_string();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("did you mean format?"), "{text}");
        assert!(text.contains("sort:N"), "{text}");
        assert!(text.contains("rebase"), "{text}");
        let columns = [("time", "1"), ("time_unit", "minutes"), ("address_unit", "foo"), ("ops.W", "wrte")];
        let text = trace_options(columns).unwrap_err().to_string();
        for told in [
            "generic.time_unit = \"minutes\": must be one of",
            "generic.address_unit = \"foo\": must be one of sector, byte, or a whole number",
            "generic.ops.W = \"wrte\": must be one of read, write",
            "generic.address: missing; must be",
            "generic.size: missing; must be",
        ] {
            assert!(text.contains(told), "{told}: {text}");
        }
    }
}
