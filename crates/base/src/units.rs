//! Sizes as a user writes them: an integer of bytes or a string such as `"42GiB"`.

use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::{de, Deserialize, Deserializer};
use std::borrow::Cow;

/// Simulated time stays below this, ns (about 146 years): sums and differences of times fit 64 bits.
pub const TIME_LIMIT_NS: u64 = 1 << 62;

/// What a size is written as, for messages.
pub const A_SIZE: &str = "a size: bytes, or a text such as \"42GiB\" (kB, MB, GB, TB; KiB, MiB, GiB, TiB)";

/// Parses `"64KiB"`, `"1.5 GiB"`, `"4096"` (binary suffixes KiB, MiB, GiB, TiB; decimal kB, MB, GB, TB).
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let factor: u64 = match suffix.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let bytes = number.parse::<f64>().ok()? * factor as f64;
    (bytes.fract() == 0.0 && bytes < u64::MAX as f64).then_some(bytes as u64)
}

/// The schema of a size.
pub struct Bytes;

impl JsonSchema for Bytes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"], "format": "bytes", "minimum": 0 })
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum IntOrText {
    Int(u64),
    Text(String),
}

/// Deserialises a byte count from an integer or a string with a unit.
pub fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    // The state of a device, where a size is part of it, does not say what it holds.
    if !deserializer.is_human_readable() {
        return u64::deserialize(deserializer);
    }
    match IntOrText::deserialize(deserializer) {
        Ok(IntOrText::Int(n)) => Ok(n),
        Ok(IntOrText::Text(text)) => parse_bytes(&text).ok_or_else(|| {
            de::Error::custom(format!("\"{text}\" is not a size; write bytes or a string such as \"42GiB\""))
        }),
        Err(_) => Err(de::Error::custom(format!("expected {A_SIZE}"))),
    }
}

#[derive(Deserialize)]
struct Size(#[serde(deserialize_with = "bytes")] u64);

/// Deserialises a list of such byte counts.
pub fn byte_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    let sizes = Vec::<Size>::deserialize(deserializer)?;
    Ok(sizes.into_iter().map(|Size(bytes)| bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn sizes_parse_exactly_or_not_at_all() {
        assert_eq!(parse_bytes("42GiB"), Some(42 << 30));
        assert_eq!(parse_bytes("1.5 KiB"), Some(1536));
        assert_eq!(parse_bytes("4096"), Some(4096));
        assert_eq!(parse_bytes("1.3B"), None);
        assert_eq!(parse_bytes("4 parsecs"), None);
        assert_eq!(parse_bytes("-1"), None);
    }

    #[test]
    fn a_list_takes_both_ways_of_writing_and_names_what_is_neither() {
        let listed = |text: &str| {
            let sizes = super::byte_list(&mut serde_json::Deserializer::from_str(text));
            sizes.map_err(|error| error.to_string())
        };
        assert_eq!(listed(r#"[512, "4KiB", "1.5 KiB"]"#), Ok(vec![512, 4096, 1536]));
        assert_eq!(listed("[]"), Ok(vec![]));
        assert!(listed(r#"[512, "4 parsecs"]"#).is_err_and(|told| told.contains("4 parsecs")));
        assert!(listed("512").is_err() && listed("[-1]").is_err());
    }
}
