//! Everything that can be wrong with a trace, each naming where and what.

mod line_fault;
pub(crate) mod quote;
pub(crate) mod workload_problem;

pub use line_fault::LineFault;

use crate::error::quote::quoted;
use crate::error::workload_problem::WorkloadProblems;
use slcache_files::OutputError;
use std::borrow::Cow;
use std::fmt::Display;

/// A trace that cannot be read as asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A file as a whole cannot be read or written.
    #[error("{file}: {reason}")]
    File {
        /// Path, or preset of a workload, as given.
        file: String,
        fault: FileFault,
        /// Why, and what is allowed.
        reason: String,
    },
    /// One line is not what the format allows.
    #[error("{file}:{line}: {fault}")]
    Line {
        file: String,
        /// Line number, from 1.
        line: u64,
        fault: LineFault,
    },
    /// One record of a binary trace is not what the format allows.
    #[error("{file}: record {record} (up to byte {end_byte}): {fault}")]
    Record {
        file: String,
        /// Record number, from 1.
        record: u64,
        /// Byte behind the record (decompressed), or where it begins when its end is not known.
        end_byte: u64,
        fault: LineFault,
    },
    /// One row of a Parquet trace is not what the layout allows.
    #[error("{file}: row {row}: {fault}")]
    Row {
        file: String,
        /// Row number, from 1.
        row: u64,
        fault: LineFault,
    },
    /// Several volumes in one file and no word on what to do with them.
    #[error("{file}:{line}: a second volume appears; the file holds {count} volumes: {listed}. Allowed: volume = \"NAME\" (one of them), \"each\" (side by side as streams) or \"merge\" (one address space, addresses as they are)")]
    SeveralVolumes {
        file: String,
        /// Line on which the second volume appears.
        line: u64,
        /// How many volumes the file holds.
        count: usize,
        /// Their names with request counts, the busiest first.
        listed: String,
    },
    /// The chosen volume is not in the file.
    #[error("{file}: volume = {} is not in the file; it holds: {listed}", quoted(.volume.as_bytes()))]
    VolumeMissing {
        file: String,
        volume: String,
        /// The volumes of the file with request counts, the busiest first.
        listed: String,
    },
    /// An option holds a value that is not allowed.
    #[error("trace option {key}: {} is not allowed; allowed: {allowed}", quoted(.value.as_bytes()))]
    Option { key: Cow<'static, str>, value: String, allowed: String },
    /// An output would take the place of an input or of another output.
    #[error("{0}")]
    OutputTaken(String),
    /// Something cannot be done with a trace as asked.
    #[error("{what}: {reason}")]
    Refused {
        what: &'static str,
        /// Why, and what is allowed.
        reason: String,
    },
    /// A workload file is not what it has to be; every problem is listed.
    #[error("{0}")]
    Workload(WorkloadProblems),
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

/// What is wrong with a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// It cannot be opened, or reading stops.
    Read,
    /// It holds no request.
    Empty,
    /// It ends early.
    Truncated,
    /// Its bytes are not those that were written.
    Damaged,
    /// Nobody can tell its format.
    Format,
    /// What is to be made of it needs more memory than there is.
    Memory,
    /// It is a workload without an end where one with an end is needed.
    Endless,
    /// The system cannot write it.
    Write,
    /// It cannot be written as asked.
    Output,
    /// What is asked of it suits its requests, or their format, not.
    Unfit,
}

impl TraceError {
    pub fn file(file: impl Into<String>, fault: FileFault, reason: impl Into<String>) -> Self {
        Self::File { file: file.into(), fault, reason: reason.into() }
    }

    pub(crate) fn open(file: &str, source: impl Display) -> Self {
        Self::file(file, FileFault::Read, format!("cannot be opened: {source}"))
    }

    pub(crate) fn write(file: &str, source: impl Display) -> Self {
        Self::file(file, FileFault::Write, format!("cannot be written: {source}"))
    }

    /// There is no memory for what is said, with what is allowed.
    pub fn memory(file: &str, what: impl Display) -> Self {
        Self::file(file, FileFault::Memory, format!("there is no memory for {what}"))
    }

    /// A reader on a thread of its own ended without a word.
    pub fn reader_stopped(file: &str) -> Self {
        Self::file(file, FileFault::Read, "the background reader stopped without a result")
    }

    /// The file holds no bytes, or none behind its compression.
    pub(crate) fn empty(file: &str) -> Self {
        Self::file(file, FileFault::Empty, "the file is empty; a trace holds at least one request")
    }

    /// The file was read to its end and no request came out of it; what was left out instead.
    pub(crate) fn no_requests(file: &str, lines: u64, skipped: &str) -> Self {
        let reason =
            format!("no request among its {lines} lines ({skipped}); a trace holds at least one request");
        Self::file(file, FileFault::Empty, reason)
    }

    pub(crate) fn option(
        key: impl Into<Cow<'static, str>>,
        value: impl Display,
        allowed: impl Into<String>,
    ) -> Self {
        Self::Option { key: key.into(), value: value.to_string(), allowed: allowed.into() }
    }

    pub(crate) fn refused(what: &'static str, reason: impl Into<String>) -> Self {
        Self::Refused { what, reason: reason.into() }
    }
}

impl From<OutputError> for TraceError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Io { path, source } => Self::write(&path.display().to_string(), source),
            OutputError::IsInput { .. } | OutputError::Twice { .. } => Self::OutputTaken(error.to_string()),
        }
    }
}

/// What an error is about, as far as it is about one such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// Path or preset as given.
    pub file: Option<&'a str>,
    /// Line, from 1; of what has no lines, such as binary records, none.
    pub line: Option<u64>,
    /// The option, the workload's key or the column.
    pub key: Option<&'a str>,
}

impl TraceError {
    pub fn place(&self) -> Place<'_> {
        match self {
            Self::Line { file, line, fault } => {
                Place { file: Some(file), line: Some(*line), key: column(fault) }
            }
            Self::Record { file, fault, .. } | Self::Row { file, fault, .. } => {
                Place { file: Some(file), line: None, key: column(fault) }
            }
            Self::SeveralVolumes { file, line, .. } => {
                Place { file: Some(file), line: Some(*line), key: Some("volume") }
            }
            Self::VolumeMissing { file, .. } => Place { file: Some(file), line: None, key: Some("volume") },
            Self::File { file, fault: FileFault::Format, .. } => {
                Place { file: Some(file), line: None, key: Some("format") }
            }
            Self::File { file, .. } => Place { file: Some(file), ..Place::default() },
            Self::Option { key, .. } => Place { key: Some(key), ..Place::default() },
            Self::Workload(problems) => {
                let first = problems.problems.first();
                let key = first.map(|problem| problem.key.as_str()).filter(|key| !key.is_empty());
                let line = first.and_then(|problem| problem.line).map(|line| line as u64);
                Place { file: Some(&problems.file), line, key }
            }
            Self::OutputTaken(_) | Self::Refused { .. } | Self::Cancelled => Place::default(),
        }
    }
}

/// The column that holds what is wrong, by the name it has in the format.
fn column(fault: &LineFault) -> Option<&str> {
    match fault {
        LineFault::Field { name, .. }
        | LineFault::ZeroSize { name, .. }
        | LineFault::SubSector { name, .. } => Some(name),
        _ => None,
    }
}
