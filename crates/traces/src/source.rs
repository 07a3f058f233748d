//! Where the requests of a trace come from.

use crate::blktrace_files;
use crate::detect::detect_in;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::formats::{looks_like_tar, BLKTRACE};
use crate::merged_source::MergedSource;
use crate::options::TraceOptions;
use crate::record_source::RecordSource;
use crate::records::RecordReader;
use crate::summary::TraceSummary;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// The one source behind a reader.
pub(crate) enum Source {
    /// A file of lines or binary records.
    Records(Box<RecordSource>),
    /// The files of a blktrace recording.
    Merged(Box<MergedSource>),
}

impl Source {
    /// Opens what `path` names and settles the format.
    pub(crate) fn open(path: &str, options: &TraceOptions) -> Result<Self, TraceError> {
        let may_be_blktrace = options.format.as_deref().is_none_or(|name| name == BLKTRACE);
        if may_be_blktrace && path != "-" {
            if let Some(files) = blktrace_files::files_of(path)? {
                return Ok(Self::Merged(Box::new(MergedSource::open(path, &files, options)?)));
            }
        }
        let mut records = RecordReader::open(path)?;
        if may_be_blktrace && is_archive(path, records.sample()?, options)? {
            let (_, first, input) = records.into_parts();
            let archive = blktrace_files::unpack(path, first, input)?;
            return Ok(Self::Merged(Box::new(MergedSource::of_archive(path, archive, options)?)));
        }
        Ok(Self::Records(Box::new(RecordSource::new(records, options)?)))
    }

    /// Appends up to a few more requests; `false` when nothing is left. May be
    /// called again after a fault in one record, and goes on behind it.
    #[inline]
    pub(crate) fn step(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        match self {
            Self::Records(source) => source.step(out),
            Self::Merged(source) => source.step(out),
        }
    }

    /// Settles the figures at the end; an error when nothing was taken.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        match self {
            Self::Records(source) => source.finish(),
            Self::Merged(source) => source.finish(),
        }
    }

    /// The error as it is told when it ends the trace.
    pub(crate) fn final_error(&mut self, error: TraceError) -> TraceError {
        match self {
            Self::Records(source) => source.list_volumes(error),
            Self::Merged(source) => source.list_volumes(error),
        }
    }

    /// Brings counts that are kept elsewhere up to date.
    pub(crate) fn update_summary(&mut self) {
        match self {
            Self::Records(source) => source.update_summary(),
            Self::Merged(source) => source.update_summary(),
        }
    }

    /// Counts so far.
    pub(crate) fn summary(&self) -> &TraceSummary {
        match self {
            Self::Records(source) => source.summary(),
            Self::Merged(source) => source.summary(),
        }
    }

    /// Name of the format.
    pub(crate) fn format_name(&self) -> &'static str {
        match self {
            Self::Records(source) => source.format_name(),
            Self::Merged(source) => source.format_name(),
        }
    }

    /// Stored (compressed) bytes consumed so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        match self {
            Self::Records(source) => source.input().byte_counter(),
            Self::Merged(source) => source.byte_counter(),
        }
    }

    /// Stored bytes in all, where known.
    pub(crate) fn bytes_total(&self) -> Option<u64> {
        match self {
            Self::Records(source) => source.input().bytes_total(),
            Self::Merged(source) => source.bytes_total(),
        }
    }
}

/// Whether a file that begins so is an archive of a blktrace recording.
fn is_archive(path: &str, sample: &[u8], options: &TraceOptions) -> Result<bool, TraceError> {
    if !looks_like_tar(sample) {
        return Ok(false);
    }
    Ok(options.format.is_some() || detect_in(path, sample)?.name == BLKTRACE)
}
