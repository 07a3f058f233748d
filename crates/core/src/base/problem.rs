//! One thing that is wrong with a configuration, said so that the user can mend it.

use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::document::shape::{self, Fault};
use std::fmt;

/// A configuration problem: the key, the value found and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Dotted key, such as `device.pool[0].blocks`.
    pub key: String,
    /// The value found, as the user would write it.
    pub value: String,
    /// What is allowed, and why where it is not obvious.
    pub allowed: String,
}

impl Problem {
    /// A problem with `key`, whose `value` is not within what is `allowed`.
    pub fn new(key: impl Into<String>, value: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self { key: key.into(), value: short(value.to_string()), allowed: allowed.into() }
    }
}

/// A number of many digits, as 1e308 is without an exponent, in short.
fn short(value: String) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 24 && number.is_finite() => format!("{number:e}"),
        _ => value,
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: must be {}", self.key, self.value, self.allowed)
    }
}

/// Every value of `config` that is not what its schema allows.
pub fn of_shape<T: Serialize + JsonSchema + 'static>(config: &T) -> Vec<Problem> {
    let problem = |fault: Fault| Problem::new(fault.key.to_string(), fault.value, fault.allowed);
    shape::faults_of(config).into_iter().map(problem).collect()
}

/// Adds a problem unless `value` lies in `range`.
pub fn check_range<T: PartialOrd + fmt::Display>(
    problems: &mut Vec<Problem>,
    key: &str,
    value: T,
    range: std::ops::RangeInclusive<T>,
) {
    if !range.contains(&value) {
        let allowed = format!("between {} and {}", range.start(), range.end());
        problems.push(Problem::new(key, value, allowed));
    }
}

#[cfg(test)]
mod tests {
    use super::Problem;

    #[test]
    fn a_value_is_told_as_it_was_given_unless_it_is_long() {
        let told = |value: f64| Problem::new("key", value, "less").value;
        assert_eq!([told(1e308), told(-2e-300), told(0.1)], ["1e308", "-2e-300", "0.1"]);
        assert_eq!(Problem::new("key", u64::MAX, "less").value, "18446744073709551615");
        let text = "9".repeat(400);
        assert_eq!(Problem::new("key", &text, "less").value, text);
    }
}
