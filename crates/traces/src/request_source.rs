//! What every source of requests does and tells, whatever it reads.

use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::options::{TraceOptions, VolumeChoice};
use crate::origin::Origin;
use crate::stored::shared_file::SharedFile;
use crate::summary::TraceSummary;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// What is behind a reader.
pub(crate) trait RequestSource: Send {
    /// Appends some more requests, until `out` holds about `max` of them; `false` when nothing is
    /// left. May be called again after a fault in one record, and goes on behind it.
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError>;

    /// Settles the figures at the end; an error when nothing was taken.
    fn finish(&mut self) -> Result<(), TraceError>;

    /// The error as it is told when it ends the trace.
    fn final_error(&mut self, error: TraceError) -> TraceError {
        error
    }

    /// Brings counts that are kept elsewhere up to date.
    fn update_summary(&mut self) {}

    /// Counts so far.
    fn summary(&self) -> &TraceSummary;

    fn format_name(&self) -> &'static str;

    /// The names of the volumes by stream, as far as they have appeared; empty
    /// where all streams share one address space.
    fn stream_names(&self) -> Vec<String>;

    /// Whether the streams are volumes with addresses of their own.
    fn has_volumes(&self, options: &TraceOptions) -> bool {
        options.volume == Some(VolumeChoice::Each)
    }

    /// Where the requests come from, for a file made out of them; its hash is
    /// known at the end of the trace.
    fn origin(&self, path: &str) -> Origin {
        Origin {
            file: path.rsplit('/').next().unwrap_or(path).to_owned(),
            format: self.format_name().to_owned(),
            sha256: self.summary().sha256.clone(),
            label: None,
            steps: Vec::new(),
        }
    }

    /// Stored (compressed) bytes consumed so far; shared.
    fn byte_counter(&self) -> Arc<AtomicU64>;

    /// Stored bytes in all, where known.
    fn bytes_total(&self) -> Option<u64>;

    /// The copy of the bytes that had to be made to read them.
    fn copy(&self) -> Option<&SharedFile> {
        None
    }
}
