//! One thing that is wrong with a configuration, said so that the user can mend it.

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
        Self { key: key.into(), value: value.to_string(), allowed: allowed.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: must be {}", self.key, self.value, self.allowed)
    }
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
