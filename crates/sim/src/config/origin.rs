//! Where something was said that is wrong, and how to tell: a program's user knows options, and who
//! calls from Python arguments.

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
