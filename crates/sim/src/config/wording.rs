//! What serde finds wrong with a value, in the words of someone who writes configurations.

use super::keys;
use super::tree::Key;

/// What is expected, in serde's words and in plain ones; the first that fits holds.
const WORDS: [(&str, &str); 14] = [
    ("a nonzero u64", "a whole number, 1 or more"),
    ("a nonzero u32", "a whole number from 1 to 4294967295"),
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a sequence", "a list"),
    ("a string", "a text in quotes"),
    ("a map", "a table, { key = value }"),
    ("table", "a table, { key = value }"),
    ("struct", "a table, { key = value }"),
];

/// What is wrong with the value at `key`, of a message of serde's about it.
pub fn of(message: &str, key: &Key) -> String {
    if ["struct variant", "tuple variant"].iter().any(|form| message.contains(form)) {
        return "must be a table with the keys it needs".to_owned();
    }
    let is_choice = ["unit variant", "string only", "wanted exactly 1 element", " enum ", "enum "];
    if is_choice.iter().any(|sign| message.contains(sign)) {
        return match keys::choices(&key.to_string()) {
            names if names.is_empty() => "must be a table with the keys it needs".to_owned(),
            names => format!("must be one of {}", names.join(", ")),
        };
    }
    let Some((_, expected)) = message.split_once("expected ") else { return message.to_owned() };
    match WORDS.iter().find(|(theirs, _)| starts_with_word(expected, theirs)) {
        Some((_, ours)) => format!("must be {ours}"),
        None => format!("must be {expected}"),
    }
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_in_plain_words() {
        let told = |message: &str| of(message, &Key::default());
        assert_eq!(
            told("invalid type: integer `3`, expected struct BusConfig"),
            "must be a table, { key = value }"
        );
        assert_eq!(
            told("invalid value: integer `0`, expected a nonzero u64"),
            "must be a whole number, 1 or more"
        );
        assert_eq!(told("invalid type: map, expected u32"), "must be a whole number from 0 to 4294967295");
        assert_eq!(told("\"x\" is not a size"), "\"x\" is not a size");
    }
}
