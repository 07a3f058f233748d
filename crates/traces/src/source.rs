//! Where the requests of a trace come from.

use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::record_source::RecordSource;
use crate::summary::TraceSummary;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// The one source behind a reader.
pub(crate) enum Source {
    /// A file of lines or binary records.
    Records(Box<RecordSource>),
}

impl Source {
    /// Opens what `path` names and settles the format.
    pub(crate) fn open(path: &str, options: &TraceOptions) -> Result<Self, TraceError> {
        Ok(Self::Records(Box::new(RecordSource::open(path, options)?)))
    }

    /// Appends up to a few more requests; `false` when nothing is left. May be
    /// called again after a fault in one record, and goes on behind it.
    #[inline]
    pub(crate) fn step(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        match self {
            Self::Records(source) => source.step(out),
        }
    }

    /// Settles the figures at the end; an error when nothing was taken.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        match self {
            Self::Records(source) => source.finish(),
        }
    }

    /// The error as it is told when it ends the trace.
    pub(crate) fn final_error(&mut self, error: TraceError) -> TraceError {
        match self {
            Self::Records(source) => source.list_volumes(error),
        }
    }

    /// Brings counts that are kept elsewhere up to date.
    pub(crate) fn update_summary(&mut self) {
        match self {
            Self::Records(source) => source.update_summary(),
        }
    }

    /// Counts so far.
    pub(crate) fn summary(&self) -> &TraceSummary {
        match self {
            Self::Records(source) => source.summary(),
        }
    }

    /// Name of the format.
    pub(crate) fn format_name(&self) -> &'static str {
        match self {
            Self::Records(source) => source.format_name(),
        }
    }

    /// Stored (compressed) bytes consumed so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        match self {
            Self::Records(source) => source.input().byte_counter(),
        }
    }

    /// Stored bytes in all, where known.
    pub(crate) fn bytes_total(&self) -> Option<u64> {
        match self {
            Self::Records(source) => source.input().bytes_total(),
        }
    }
}
