//! A configuration file: what single settings could say, in one file, between device and settings.

use super::lines::{line_at, line_of};
use super::origin::Origin;
use super::tree::{Key, Step};
use super::{ConfigError, ConfigErrors};
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

/// What a configuration file in TOML says: each key as it is written there, with its value and place.
///
/// Keys may be quoted, as in `"pool[0].blocks" = 32`; a list of tables is one value.
pub fn config_file(name: &str) -> Result<Vec<(String, String, String)>, ConfigErrors> {
    let failed = |message: String| ConfigErrors::one(Origin::file(name), "", message);
    let text = std::fs::read_to_string(name).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let tree: Table = toml::from_str(&text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_at(&text, span.start));
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        ConfigErrors(vec![ConfigError::new(
            Origin::line(name, line),
            "",
            format!("not valid TOML: {message}"),
        )])
    })?;
    let mut said = Vec::new();
    collect(&tree, &Key::default(), &mut said);
    let told = |(key, value): (Key, &Value)| {
        let place = line_of(&text, &key).map_or(name.to_owned(), |line| format!("{name}:{line}"));
        (written(&key), value.to_string(), place)
    };
    Ok(said.into_iter().map(told).collect())
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

/// The names of a key with dots between them; a name may have dots and indices of its own.
fn written(key: &Key) -> String {
    let names = key.0.iter().map(|step| match step {
        Step::Field(name) => name.clone(),
        Step::Index(index) => index.to_string(),
    });
    names.collect::<Vec<_>>().join(".")
}
