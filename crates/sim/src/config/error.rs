//! What is wrong with a configuration, and where it was said.

use slcache_core::base::Problem;
use std::fmt;

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it was said: `file:line`, `--set key=value`, or empty for a default.
    pub origin: String,
    /// What is wrong: key, value and what is allowed.
    pub message: String,
}

impl ConfigError {
    /// An error said at `origin`.
    pub fn new(origin: impl Into<String>, message: impl Into<String>) -> Self {
        Self { origin: origin.into(), message: message.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.origin.is_empty() {
            write!(f, "{}", self.message)
        } else {
            write!(f, "{}: {}", self.origin, self.message)
        }
    }
}

/// Everything that is wrong with a configuration; one problem per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// A single error.
    pub fn one(origin: impl Into<String>, message: impl Into<String>) -> Self {
        Self(vec![ConfigError::new(origin, message)])
    }

    /// Problems found by the model, where only their keys are known.
    pub fn from_problems(problems: &[Problem]) -> Self {
        Self(problems.iter().map(|problem| ConfigError::new("", problem.to_string())).collect())
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, error) in self.0.iter().enumerate() {
            if place > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}
