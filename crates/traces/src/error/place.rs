//! Which file, line and key an error is about, for programs that ask.

use crate::error::{FileFault, LineFault, TraceError};

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
