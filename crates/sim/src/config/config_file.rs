//! A configuration file: what single settings could say, in one file, between device and settings.

use super::error::{Origin, Words};
use super::source::{self, ConfigText};
use super::{ConfigError, ConfigErrors};
use slcache_base::document::tree::{Key, Step};
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// Stands around the place of a setting that a file says; no key begins with it.
const MARK: char = '\u{1f}';

/// A setting `key=value` with the place in a file where it is said.
pub fn placed(place: &str, setting: &str) -> String {
    format!("{MARK}{place}{MARK}{setting}")
}

/// The place in a file and the setting, of one that is placed.
pub(super) fn place(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(MARK)?.split_once(MARK)
}

/// What a configuration file says: each key as it is written there, with its value and place.
///
/// Keys may be quoted, as in `"pool[0].blocks" = 32`; a list of tables is one value.
pub fn config_file(name: &str) -> Result<Vec<(String, String, String)>, ConfigErrors> {
    let failed = |message: String| ConfigErrors::one(Origin::file(name), "", message);
    let text =
        source::read_text(Path::new(name)).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let (source, tree) =
        ConfigText::parse(name.to_owned(), text).map_err(|error| ConfigErrors(vec![error]))?;
    let mut said = Vec::new();
    collect(&tree, &Key::default(), &mut said);
    let mut errors = said_twice(&source, &said);
    // Of a device, null says that there is none, as results have it. A single key has no such value.
    if !said.iter().any(|(key, _)| written(key) == "device.pool") {
        let message = |key| format!("{key} = null: leave it out; only a whole configuration says none");
        errors.extend(source.nulls().map(|key| ConfigError::new(source.place(key), key, message(key))));
    }
    let told = |(key, value): (Key, &Value)| {
        (written(&key), value.to_string(), source.place(&key).text(Words::Python))
    };
    match errors.is_empty() {
        true => Ok(said.into_iter().map(told).collect()),
        false => Err(ConfigErrors(errors)),
    }
}

/// Everything that is no table with keys of its own.
fn collect<'a>(table: &'a Table, front: &Key, said: &mut Vec<(Key, &'a Value)>) {
    for (name, value) in table {
        let key = front.field(name);
        match value {
            Value::Table(inner) if !inner.is_empty() => collect(inner, &key, said),
            _ => said.push((key, value)),
        }
    }
}

/// An error for every key that an earlier one is once dots are read, as `"run.seed"` beside `seed` in
/// `[run]`.
fn said_twice(source: &ConfigText, said: &[(Key, &Value)]) -> Vec<ConfigError> {
    let mut earlier: BTreeMap<String, &Key> = BTreeMap::new();
    let mut errors = Vec::new();
    for (key, _) in said {
        let name = written(key);
        if let Some(first) = earlier.get(&name) {
            let place = source.place(first).text(Words::Python);
            let message = format!("{name}: {place} says it as well; give one of the two");
            errors.push(ConfigError::new(source.place(key), &name, message));
        }
        earlier.insert(name, key);
    }
    errors
}

/// The names of a key with dots between them; a name may have dots and indices of its own.
fn written(key: &Key) -> String {
    let names = key.0.iter().map(|step| match step {
        Step::Field(name) => name.clone(),
        Step::Index(index) => index.to_string(),
    });
    names.collect::<Vec<_>>().join(".")
}
