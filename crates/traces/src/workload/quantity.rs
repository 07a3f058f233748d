//! Sizes and times as a user writes them, with or without a unit.

use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

const SIZE_ALLOWED: &str =
    "bytes, or a number with k, M, G, T, KiB, MiB, GiB, TiB (1024-based) or kB, MB, GB, TB (1000-based)";
const TIME_ALLOWED: &str = "nanoseconds, or a number with ns, us, ms, s, min, h or d";

/// The multiple of a size unit in bytes. `KB` is refused: half of the world
/// means 1000 by it.
fn size_unit(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "B" => 1.0,
        "k" | "K" | "KiB" => 1024.0,
        "m" | "M" | "MiB" => 1_048_576.0,
        "g" | "G" | "GiB" => 1_073_741_824.0,
        "t" | "T" | "TiB" => 1_099_511_627_776.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    })
}

fn time_unit(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "h" => 3_600e9,
        "d" => 86_400e9,
        _ => return None,
    })
}

/// A non-negative number with a unit.
fn parse(text: &str, unit: fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let number: f64 = text[..split].replace('_', "").parse().ok()?;
    Some(number * unit(text[split..].trim())?)
}

/// The value as a whole number, if it is one that a `f64` holds exactly.
fn whole(value: f64) -> Option<u64> {
    let exact = value >= 0.0 && value <= (1u64 << 53) as f64 && value == libm::floor(value);
    exact.then_some(value as u64)
}

/// Parses a size in whole bytes such as `4k` or `1.5GiB`.
pub(super) fn parse_size_bytes(text: &str) -> Option<u64> {
    parse(text, size_unit).and_then(whole)
}

/// Parses a time in whole nanoseconds such as `2h` or `7.5s`.
pub fn time_ns(text: &str) -> Option<u64> {
    parse(text, time_unit).and_then(whole)
}

/// A quantity as it stands in a file.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or a text of a number and a unit")]
enum Given {
    Number(f64),
    Text(String),
}

impl Given {
    /// The number of units meant.
    fn read(self, unit: fn(&str) -> Option<f64>, allowed: &str) -> Result<f64, String> {
        match self {
            Self::Number(number) if number.is_finite() && number >= 0.0 => Ok(number),
            Self::Number(number) => Err(format!("{number} is not allowed; allowed: {allowed}")),
            Self::Text(text) => {
                parse(&text, unit).ok_or_else(|| format!("\"{text}\" is not allowed; allowed: {allowed}"))
            }
        }
    }
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($inner:ty), $unit:ident, $allowed:ident, $make:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "Given")]
        pub struct $name(pub $inner);

        impl TryFrom<Given> for $name {
            type Error = String;

            fn try_from(given: Given) -> Result<Self, String> {
                let make: fn(f64) -> Result<$inner, String> = $make;
                make(given.read($unit, $allowed)?).map(Self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $allowed,
                    "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string" }],
                })
            }
        }
    };
}

quantity!(
    /// A size in whole bytes: `4096`, `"4k"`, `"1MiB"`.
    SizeBytes(u64),
    size_unit,
    SIZE_ALLOWED,
    |value| whole(value).ok_or_else(|| format!("{value} is not a whole number of bytes up to 2^53"))
);
quantity!(
    /// A mean or a total in bytes as papers round it: `"8.33KiB"`, `"28.16GiB"`.
    FigureBytes(f64),
    size_unit,
    SIZE_ALLOWED,
    Ok
);
quantity!(
    /// A time in nanoseconds: `10000`, `"10us"`, `"1h"`.
    TimeNs(f64),
    time_unit,
    TIME_ALLOWED,
    Ok
);

/// Sizes as text for a key that also takes one bare number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Given")]
pub struct SizeText(pub String);

impl From<Given> for SizeText {
    fn from(given: Given) -> Self {
        match given {
            Given::Number(bytes) => Self(bytes.to_string()),
            Given::Text(text) => Self(text),
        }
    }
}

impl JsonSchema for SizeText {
    fn schema_name() -> Cow<'static, str> {
        "SizeText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 512 }, { "type": "string" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_mean_what_they_say() {
        assert_eq!(parse_size_bytes("4k"), Some(4096));
        assert_eq!(parse_size_bytes("1.5 MiB"), Some(1_572_864));
        assert_eq!(parse_size_bytes("2GB"), Some(2_000_000_000));
        assert_eq!(parse_size_bytes("1_024"), Some(1024));
        assert_eq!(parse_size_bytes("0.3"), None);
        assert_eq!(parse_size_bytes("4KB"), None);
        assert_eq!(parse_size_bytes("-4k"), None);
        assert_eq!(parse("10us", time_unit), Some(10_000.0));
        assert_eq!(parse("7d", time_unit), Some(604_800e9));
        assert_eq!(parse("5 parsecs", time_unit), None);
    }
}
