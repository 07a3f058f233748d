//! What is wrong with a configuration, and where it was said.

use super::origin::{Origin, Words};
use slcache_core::base::Problem;
use std::fmt;

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    pub origin: Origin,
    /// The dotted key that is wrong; empty where it is none in particular.
    pub key: String,
    /// What is wrong: key, value and what is allowed.
    pub message: String,
}

impl ConfigError {
    /// An error with `key`, said at `origin`.
    pub fn new(origin: impl Into<Origin>, key: impl fmt::Display, message: impl Into<String>) -> Self {
        Self { origin: origin.into(), key: key.to_string(), message: message.into() }
    }

    /// The error as whoever speaks in `words` would put it.
    pub fn text(&self, words: Words) -> String {
        match self.origin.text(words) {
            origin if origin.is_empty() => self.message.clone(),
            origin => format!("{origin}: {}", self.message),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Words::CommandLine))
    }
}

/// Everything that is wrong with a configuration; one problem per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// A single error.
    pub fn one(origin: impl Into<Origin>, key: impl fmt::Display, message: impl Into<String>) -> Self {
        Self(vec![ConfigError::new(origin, key, message)])
    }

    /// Problems found by the model, where only their keys are known.
    pub fn from_problems(problems: &[Problem]) -> Self {
        let error = |problem: &Problem| ConfigError::new(Origin::Nowhere, &problem.key, problem.to_string());
        Self(problems.iter().map(error).collect())
    }

    /// The errors as whoever speaks in `words` would put them, one a line.
    pub fn text(&self, words: Words) -> String {
        self.0.iter().map(|error| error.text(words)).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Words::CommandLine))
    }
}

impl std::error::Error for ConfigErrors {}
