//! What is wrong with a configuration, and where it was said.

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

/// Whose words a message uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// `--set slc_blocks=99`
    CommandLine,
    /// `settings slc_blocks=99`
    Python,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// In no place: a default, or all of it together.
    #[default]
    Nowhere,
    File {
        /// Its name, or that of a preset.
        name: String,
        /// The line, from 1.
        line: Option<usize>,
    },
    /// By the caller; several where none is wrong alone.
    Statements(Vec<Statement>),
}

impl Origin {
    pub fn line(name: impl Into<String>, line: usize) -> Self {
        Self::File { name: name.into(), line: Some(line) }
    }

    /// A file as a whole.
    pub fn file(name: impl Into<String>) -> Self {
        Self::File { name: name.into(), line: None }
    }

    /// The place, as whoever speaks in `words` would name it; empty for none.
    pub fn text(&self, words: Words) -> String {
        match self {
            Self::Nowhere => String::new(),
            Self::File { name, line: None } => name.clone(),
            Self::File { name, line: Some(line) } => format!("{name}:{line}"),
            Self::Statements(all) => {
                all.iter().map(|said| said.text(words)).collect::<Vec<_>>().join(" and ")
            }
        }
    }
}

impl From<Statement> for Origin {
    fn from(said: Statement) -> Self {
        match said.argument {
            Argument::ConfigFile => match said.value.rsplit_once(':') {
                Some((name, line)) if line.parse::<usize>().is_ok() => {
                    Self::File { name: name.to_owned(), line: line.parse().ok() }
                }
                _ => Self::file(said.value),
            },
            _ => Self::Statements(vec![said]),
        }
    }
}

/// What a caller can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A single setting.
    Setting,
    /// A line of a configuration file, `file:line`.
    ConfigFile,
    Device,
    Scheme,
    Seed,
    /// How requests are replayed.
    Replay,
    /// An option of the trace's reader.
    TraceOption,
}

/// What the caller said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub argument: Argument,
    pub value: String,
}

impl Statement {
    pub fn new(argument: Argument, value: impl ToString) -> Self {
        Self { argument, value: value.to_string() }
    }

    /// What was said, as whoever speaks in `words` would put it.
    pub fn text(&self, words: Words) -> String {
        let name = match (self.argument, words) {
            (Argument::Setting, Words::CommandLine) => "--set",
            (Argument::Setting, Words::Python) => "settings",
            (Argument::Device, Words::CommandLine) => "--device",
            (Argument::Device, Words::Python) => "device",
            (Argument::Scheme, Words::CommandLine) => "--scheme",
            (Argument::Scheme, Words::Python) => "scheme",
            (Argument::Seed, Words::CommandLine) => "--seed",
            (Argument::Seed, Words::Python) => "seed",
            (Argument::Replay, Words::CommandLine) => "--replay",
            (Argument::Replay, Words::Python) => "replay",
            (Argument::TraceOption, _) => "trace option",
            (Argument::ConfigFile, _) => return self.value.clone(),
        };
        format!("{name} {}", self.value)
    }

    /// What was said, in words that every caller understands.
    pub fn plain(&self) -> String {
        match self.argument {
            Argument::Setting | Argument::ConfigFile => self.value.clone(),
            _ => self.text(Words::Python),
        }
    }
}
