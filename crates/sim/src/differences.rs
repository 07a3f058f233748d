//! Where two configurations differ, key by key with both values.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What the two sides are called, such as `snapshot` and `run`.
#[derive(Clone, Copy)]
pub struct Sides(pub &'static str, pub &'static str);

/// Lists the keys whose values differ, each with both values.
pub fn differences(key: &str, first: &Value, second: &Value, sides: Sides, keys: &mut Vec<String>) {
    match (first, second) {
        _ if first == second => {}
        (Value::Object(a), Value::Object(b)) => {
            if let (Some(a), Some(b)) = (choice(a), choice(b)) {
                if a != b {
                    return keys.push(line(key, a, b, sides));
                }
            }
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let value = |map: &Map<String, Value>| map.get(name).cloned();
                let (a, b) = (value(a).unwrap_or_default(), value(b).unwrap_or_default());
                differences(&format!("{key}.{name}"), &a, &b, sides, keys);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{key}[{index}]"), a, b, sides, keys);
            }
        }
        _ => keys.push(line(key, &brief(first), &brief(second), sides)),
    }
}

fn line(key: &str, first: &str, second: &str, sides: Sides) -> String {
    format!("{key} ({} {first}, {} {second})", sides.0, sides.1)
}

/// The name in a table that holds one choice, such as the scheme.
fn choice(table: &Map<String, Value>) -> Option<&String> {
    table.keys().next().filter(|_| table.len() == 1)
}

/// A value in a word or two: what is inside tables would hide which key it is about.
fn brief(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Object(_) => "given".to_owned(),
        Value::Array(list) if list.iter().any(Value::is_object) => format!("{} of them", list.len()),
        plain => plain.to_string(),
    }
}
