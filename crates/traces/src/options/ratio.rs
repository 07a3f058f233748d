//! Exact factors: `2`, `0.125`, `1/3`.

use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A positive factor as a fraction of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "serde_json::Value", into = "String")]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// Reads `N`, `N.DECIMALS` or `N/M`.
    fn parse(text: &str) -> Option<Self> {
        let (numerator, denominator) = match text.split_once('/') {
            Some((numerator, denominator)) => (whole(numerator)?, whole(denominator)?),
            None => decimal(text)?,
        };
        let (mut divisor, mut rest) = (numerator, denominator);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        (numerator > 0 && denominator > 0)
            .then(|| Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// `value` times the factor, rounded down; `None` above `u64::MAX`.
    #[inline]
    pub(crate) fn times(self, value: u64) -> Option<u64> {
        let product = u128::from(value) * u128::from(self.numerator) / u128::from(self.denominator);
        u64::try_from(product).ok()
    }
}

fn whole(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn decimal(text: &str) -> Option<(u64, u64)> {
    let Some((units, decimals)) = text.split_once('.') else {
        return Some((whole(text)?, 1));
    };
    whole(units)?;
    whole(decimals)?;
    let denominator = 10u64.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    Some((whole(&format!("{units}{decimals}"))?, denominator))
}

impl TryFrom<serde_json::Value> for Ratio {
    type Error = String;

    fn try_from(value: serde_json::Value) -> Result<Self, String> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let allowed = "a positive number such as 2, 0.125 or \"1/3\"";
        Self::parse(&text).ok_or_else(|| format!("{text} is not allowed; allowed: {allowed}"))
    }
}

impl From<Ratio> for String {
    fn from(ratio: Ratio) -> Self {
        ratio.to_string()
    }
}

impl JsonSchema for Ratio {
    fn schema_name() -> Cow<'static, str> {
        "Ratio".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string"] })
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_exact() {
        let times = |text: &str, value| Ratio::parse(text).unwrap().times(value);
        assert_eq!(times("1/3", 10), Some(3));
        assert_eq!(times("0.1", u64::MAX), Some(u64::MAX / 10));
        assert_eq!(times("2", u64::MAX / 2), Some(u64::MAX - 1));
        assert_eq!(times("2", u64::MAX), None);
        assert_eq!(times("1.50", 3), Some(4));
    }

    #[test]
    fn what_is_no_factor_is_refused() {
        for text in ["0", "-1", "", ".5", "1.", "1e3", "1/0", "0/1", "nan", "1/2/3", "0.00000000000000000001"]
        {
            assert_eq!(Ratio::parse(text), None, "{text}");
        }
    }
}
