//! A configuration in JSON, alone or as the `config` of a result: its tree, and where its keys stand.
//!
//! serde tells no places. So every object and list is read one level deep, its parts as the pieces of
//! the text that they are.

use super::error::Origin;
use super::ConfigError;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use slcache_base::document::places::{line_at, Places};
use slcache_base::document::tree::{self, Key, Step};
use std::collections::HashMap;
use std::fmt;
use toml::{Table, Value};

/// Deeper than any configuration, and not too deep for a stack.
const DEPTH_MAX: usize = 32;

/// Reads the configuration in `text`; `label` is the file's name.
pub fn parse(label: &str, text: &str) -> Result<(Table, Places), ConfigError> {
    let mut reader = Reader { label, text, places: Places::default() };
    let whole = reader.level::<&RawValue>(text.trim_start_matches('\u{feff}'))?.get();
    let found = if whole.starts_with('{') { reader.configuration(whole)? } else { whole };
    match reader.value(found, &Key::default())? {
        Some(Value::Table(tree)) => Ok((tree, reader.places)),
        _ => Err(reader.error(whole, &Key::default(), "a configuration is an object")),
    }
}

struct Reader<'a> {
    label: &'a str,
    text: &'a str,
    places: Places,
}

impl<'a> Reader<'a> {
    /// The configuration in a document: its `config`, or all of it.
    fn configuration(&self, document: &'a str) -> Result<&'a str, ConfigError> {
        let Fields(fields) = self.level(document)?;
        let part =
            |name: &str| fields.iter().find(|(key, _)| key.get() == name).map(|(_, value)| value.get());
        if part("\"runs\"").is_some() {
            let message = "a comparison has a configuration for each run; give one of its runs";
            return Err(ConfigError::new(Origin::file(self.label), "", message));
        }
        Ok(part("\"config\"").filter(|config| config.starts_with('{')).unwrap_or(document))
    }

    /// The value of a piece of the text, `None` for null.
    fn value(&mut self, piece: &'a str, key: &Key) -> Result<Option<Value>, ConfigError> {
        if key.0.len() > DEPTH_MAX {
            return Err(self.error(piece, key, format!("{key}: nested deeper than {DEPTH_MAX} levels")));
        }
        match piece.as_bytes()[0] {
            b'{' => self.table(piece, key).map(Some),
            b'[' => self.list(piece, key).map(Some),
            b'n' => {
                self.places.nulls.push(key.clone());
                Ok(None)
            }
            _ => serde_json::from_str(piece).map(Some).map_err(|error| {
                let message = format!("{key} = {}: {}", tree::cut(piece), without_place(&error));
                self.error(piece, key, message)
            }),
        }
    }

    fn table(&mut self, piece: &'a str, key: &Key) -> Result<Value, ConfigError> {
        let Fields(fields) = self.level(piece)?;
        let mut table = Table::new();
        let mut lines: HashMap<String, &str> = HashMap::new();
        for (written, value) in fields {
            let name: String = self.level(written.get())?;
            let inner = key.field(&name);
            if let Some(earlier) = lines.get(&name) {
                let line = line_at(self.text, self.offset(earlier));
                let message = format!("{inner}: line {line} says it as well; give one of the two");
                return Err(self.error(written.get(), &inner, message));
            }
            self.places.add(&inner, self.offset(written.get()));
            if let Some(value) = self.value(value.get(), &inner)? {
                table.insert(name.clone(), value);
            }
            lines.insert(name, written.get());
        }
        Ok(Value::Table(table))
    }

    fn list(&mut self, piece: &'a str, key: &Key) -> Result<Value, ConfigError> {
        let elements: Vec<&RawValue> = self.level(piece)?;
        let mut list = Vec::with_capacity(elements.len());
        for (index, element) in elements.into_iter().enumerate() {
            let mut inner = key.clone();
            inner.0.push(Step::Index(index));
            self.places.add(&inner, self.offset(element.get()));
            let Some(value) = self.value(element.get(), &inner)? else {
                return Err(self.error(element.get(), &inner, format!("{inner} = null: leave it out")));
            };
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    /// A piece of the text, one level deep.
    fn level<T: Deserialize<'a>>(&self, piece: &'a str) -> Result<T, ConfigError> {
        serde_json::from_str(piece).map_err(|error| {
            let before = &self.text[..self.offset(piece)];
            let line = line_at(before, before.len()) + error.line().max(1) - 1;
            let in_line = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
            let column = error.column() + if error.line() > 1 { 0 } else { in_line };
            let message = format!("not valid JSON: {} at column {column}", without_place(&error));
            ConfigError::new(Origin::line(self.label, line), "", message)
        })
    }

    fn error(&self, piece: &str, key: &Key, message: impl Into<String>) -> ConfigError {
        let line = line_at(self.text, self.offset(piece));
        ConfigError::new(Origin::line(self.label, line), key, message)
    }

    /// Where a piece of the text begins.
    fn offset(&self, piece: &str) -> usize {
        piece.as_ptr() as usize - self.text.as_ptr() as usize
    }
}

/// A message of serde's without the place, which counts from where the piece begins.
fn without_place(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    error.to_string().replace(&place, "")
}

/// The names and values of an object as they are written.
struct Fields<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of a key of a text that is read without a fault.
    #[track_caller]
    fn line(text: &str, key: &str) -> Option<usize> {
        let (_, places) = parse("x.json", text).unwrap_or_else(|error| panic!("{error}"));
        places.of(&Key::parse(key).expect("a key")).map(|offset| line_at(text, offset))
    }

    #[track_caller]
    fn refusal(text: &str) -> String {
        match parse("x.json", text) {
            Ok((tree, _)) => panic!("{tree} is read"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn keys_have_lines_in_objects_and_lists() {
        let text = "\n{ \"a\" : {\n \"b\":\n1,\n\"c\" : [\n[], {\n\"d\"\n: 2}]}, \"e\": 3\n}";
        for (key, expected) in
            [("a", 2), ("a.b", 3), ("a.c", 5), ("a.c[0]", 6), ("a.c[1]", 6), ("a.c[1].d", 7), ("e", 8)]
        {
            assert_eq!(line(text, key), Some(expected), "{key}");
        }
        assert_eq!(line(text, "a.c[1].missing"), Some(6), "what is around it");
        assert_eq!(line(text, "missing"), None);
        assert_eq!(line(&text.replace('\n', " "), "a.c[1].d"), Some(1));
    }

    #[test]
    fn texts_may_look_like_structure() {
        let text = "{\"x\": \"}, \\\"a\\\": [{\",\n\"\\u0061\": {\n\"b\": \"\\\\\"},\n\"c\": 1}";
        assert_eq!(["x", "a", "a.b", "c"].map(|key| line(text, key)), [Some(1), Some(2), Some(3), Some(4)]);
        let (tree, _) = parse("x.json", text).unwrap();
        assert_eq!(tree["a"]["b"].as_str(), Some("\\"));
    }

    #[test]
    fn a_result_has_its_configuration_inside() {
        let result = "\u{feff}{\"host\": {\"a\": null},\n\"config\":\n{\"a\":\n{\"b\": 1}}}";
        assert_eq!(line(result, "a.b"), Some(4));
        assert_eq!(line(result, "host"), None);
        assert_eq!(line("{\"config\": 3}", "config"), Some(1), "a key like any other");
    }

    #[test]
    fn null_is_left_out_and_known() {
        let (tree, places) = parse("x.json", "{\"a\": null, \"b\": {\"c\": null}}").unwrap();
        assert_eq!(tree.to_string().trim(), "[b]");
        assert_eq!(places.nulls.iter().map(Key::to_string).collect::<Vec<_>>(), ["a", "b.c"]);
        assert_eq!(refusal("{\"a\": [1,\nnull]}"), "x.json:2: a[1] = null: leave it out");
    }

    #[test]
    fn nothing_is_said_twice() {
        let told = refusal("{\"a\": {\"b\": 1,\n\"c\": 2,\n\"\\u0062\": 3}}");
        assert_eq!(told, "x.json:3: a.b: line 1 says it as well; give one of the two");
    }

    #[test]
    fn syntax_errors_have_line_and_column() {
        for (text, told) in [
            ("", "1: not valid JSON: EOF while parsing a value at column 0"),
            ("{\n \"a\": 1,\n \"b\" 2}", "3: not valid JSON: expected `:` at column 6"),
            ("{\"a\": {\"b\": [1 2]}}", "1: not valid JSON: expected `,` or `]` at column 16"),
            ("{\"a\": 1} x", "1: not valid JSON: trailing characters at column 10"),
            ("{\"a\":\n {\"\\ud800\": 1}}", "2: not valid JSON: unexpected end of hex escape at column 10"),
            ("[1]", "1: a configuration is an object"),
            ("{\n\"a\": 1e999}", "2: a = 1e999: number out of range"),
            ("{\n\"a\": 9223372036854775808}", "2: a = 9223372036854775808: "),
        ] {
            let found = refusal(text);
            assert!(found.starts_with(&format!("x.json:{told}")), "{text}: {found}");
        }
        let deep = format!("{{\"a\":\n{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(refusal(&deep).contains("nested deeper than 32 levels"));
    }

    #[test]
    fn a_comparison_is_no_configuration() {
        assert!(refusal("{\"runs\": []}").starts_with("x.json: a comparison has a configuration for each"));
    }
}
