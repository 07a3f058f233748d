//! One setting, `key=value`.

use super::error::{Argument, Statement};
use super::{config_file, keys};
use slcache_base::document::Key;
use toml::{Table, Value};

/// A single setting above all files.
#[derive(Clone, Debug)]
pub struct Setting {
    pub origin: Statement,
    /// The full key.
    pub key: Key,
    /// The key as it was written.
    pub written: String,
    pub value: Value,
}

const SECTIONS: [&str; 7] = ["device", "scheme", "host", "buffer", "precondition", "trace", "run"];

impl Setting {
    /// A setting that came from an option of its own.
    pub fn fixed(origin: Statement, key: &str, value: Value) -> Self {
        let full = Key::parse(key).expect("a key written in this program");
        Self { origin, key: full, written: key.to_owned(), value }
    }

    /// Parses `key=value`; a key outside the sections belongs to `scheme`, and so does one of the class that is its
    /// policy.
    pub fn parse(text: &str, scheme: &str, class: Option<&str>) -> Result<Self, String> {
        let origin = Self::statement(text);
        let text = config_file::place(text).map_or(text, |(_, setting)| setting);
        let Some((written, value)) = text.split_once('=') else {
            return Err("must be key=value, such as slc_blocks=64".to_owned());
        };
        let written = written.trim();
        let Some(key) = Key::parse(written) else {
            return Err(format!("\"{written}\" is not a key such as device.pool[0].blocks"));
        };
        let key = class.and_then(|class| key.below(&["scheme", class])).unwrap_or(key);
        let key = match key.section() {
            section if SECTIONS.contains(&section) => key,
            // What is no key of `custom` itself is an option of its policy.
            section if scheme == "custom" && !keys::is_scheme_key(scheme, section) => {
                key.under(&["scheme", scheme, "options"])
            }
            _ => key.under(&["scheme", scheme]),
        };
        let value = match parse_value(value.trim())? {
            // A choice may have names that look like numbers.
            Value::Integer(_) if keys::choices(&key).iter().any(|name| name == value.trim()) => {
                Value::String(value.trim().to_owned())
            }
            other => other,
        };
        Ok(Self { origin, key, written: written.to_owned(), value })
    }
    /// Where a setting was said, which may be a configuration file.
    pub fn statement(text: &str) -> Statement {
        match config_file::place(text) {
            Some((place, _)) => Statement::new(Argument::ConfigFile, place),
            None => Statement::new(Argument::Setting, text),
        }
    }

    /// Whether a configuration file says it, above which single settings are.
    pub fn is_from_file(&self) -> bool {
        self.origin.argument == Argument::ConfigFile
    }
}

/// A value as TOML, or a bare word as text.
fn parse_value(text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Err("the value is missing; write \"\" for an empty text".to_owned());
    }
    if text.contains('\n') {
        return Err("a value is written on one line".to_owned());
    }
    match toml::from_str::<Table>(&format!("value = {text}")) {
        // In a list a comment would hide the list's end.
        Ok(_) if toml::from_str::<Table>(&format!("value = [{text}]")).is_err() => {
            Err(format!("{text} holds a comment; write the value alone, or quote a text that has a #"))
        }
        Ok(mut table) => Ok(table.remove("value").unwrap_or_else(|| text.into())),
        Err(error) if text.starts_with(['[', '{', '"', '\'']) => {
            Err(format!("{text} is not a TOML value: {}", error.message()))
        }
        Err(_) => Ok(Value::String(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_name_where_the_choice_has_it() {
        let value = |text: &str| Setting::parse(text, "dwa", None).unwrap().value;
        assert_eq!(value("setting=2"), Value::from("2"));
        assert_eq!(value("scheme.dwa.setting=\"2\""), Value::from("2"));
        assert_eq!(value("setting=3"), Value::from(3));
        assert_eq!(value("device.pool[0].blocks=2"), Value::from(2));
    }
}
