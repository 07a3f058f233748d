//! A part of a device for quick runs: fewer blocks, less data and smaller caches, with the planes, pages
//! and times of the whole.

use super::device_file::{DeviceFile, DeviceSource, SCHEME_DEFAULTS};
use super::{ConfigError, ConfigErrors};
use slcache_base::document::tree::{self, Key};
use slcache_core::base::units::parse_bytes;
use toml::{Table, Value};

/// Keys that count bytes of a device or a cache, beside `device.user_bytes`.
const BYTES: [&str; 3] = ["dynamic.max_bytes", "device.map.cache_bytes", "device.user_bytes"];
const TABLE: &str = "dynamic.table";

/// What a device file would hold of a `divisor`th of a device.
pub fn scaled(device: &DeviceSource, divisor: u64) -> Result<Table, ConfigErrors> {
    let file = DeviceFile::of(device).map_err(|error| ConfigErrors(vec![error]))?;
    if !file.errors.is_empty() {
        return Err(ConfigErrors(file.errors));
    }
    let mut tree = file.whole();
    let mut errors = Vec::new();
    for key in counted(&tree) {
        let value = tree::get(&tree, &key).expect("it was just found").clone();
        match divided(&key, &value, divisor) {
            Some(part) => tree::set(&mut tree, &key, part).expect("it stands there"),
            None => {
                let message = format!(
                    "{key} = {}: cannot be divided by {divisor} for --scale 1/{divisor}",
                    tree::shown(&value)
                );
                errors.push(ConfigError::new(file.source.place(&key), &key, message));
            }
        }
    }
    let name = Key::default().field("device").field("name");
    if let (true, Some(Value::String(text))) = (divisor > 1, tree::get(&tree, &name).cloned()) {
        tree::set(&mut tree, &name, format!("{text} 1/{divisor}").into()).expect("it stands there");
    }
    match errors.is_empty() {
        true => Ok(tree),
        false => Err(ConfigErrors(errors)),
    }
}

/// The keys that a part of a device has less of.
fn counted(tree: &Table) -> Vec<Key> {
    let mut found = Vec::new();
    for section in ["device", "scheme", SCHEME_DEFAULTS] {
        if let Some(value) = tree.get(section) {
            collect(value, &Key::default().field(section), &mut found);
        }
    }
    found
}

fn collect(value: &Value, key: &Key, found: &mut Vec<Key>) {
    let text = key.to_string();
    let blocks = text.ends_with("_blocks") || text.ends_with(".blocks");
    let is_bytes = BYTES.iter().any(|name| text == *name || text.ends_with(&format!(".{name}")));
    if blocks || is_bytes || text.ends_with(&format!(".{TABLE}")) {
        return found.push(key.clone());
    }
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(name, value)| collect(value, &key.field(name), found));
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect(value, &key.element(index), found);
            }
        }
        _ => {}
    }
}

/// A `divisor`th of a count, a size, or the bytes of a table; none where it is no whole one.
fn divided(key: &Key, value: &Value, divisor: u64) -> Option<Value> {
    let whole = |number: u64| (number % divisor == 0).then(|| Value::Integer((number / divisor) as i64));
    match value {
        Value::Integer(number) => whole(u64::try_from(*number).ok()?),
        Value::String(text) => whole(parse_bytes(text)?),
        Value::Array(pairs) if key.to_string().ends_with(TABLE) => {
            let part = |pair: &Value| match pair.as_array()?.as_slice() {
                [held, bytes] => Some(Value::Array(vec![held.clone(), divided(key, bytes, divisor)?])),
                _ => None,
            };
            pairs.iter().map(part).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        _ => None,
    }
}
