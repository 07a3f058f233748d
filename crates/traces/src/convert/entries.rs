//! Requests on their way into a file.

use super::report::{InputReport, StepReport};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::origin::Origin;
use crate::progress::Progress;
use crate::sources::reader::{open, TraceReader};

/// Requests taken at a time.
const BATCH: usize = 4096;

/// Requests in order, and what is known about them.
pub(super) trait Entries {
    /// Replaces `out` by the next requests, at least one; `false` at the end.
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError>;

    /// Names of the volumes by stream, as far as they have appeared; empty
    /// where all streams share one address space.
    fn names(&self) -> Vec<String>;

    /// What the requests are where they are not a recording.
    fn label(&self) -> Option<String>;

    /// Where the requests come from; complete at the end.
    fn origin(&self) -> Origin;

    /// Stored bytes read and in all (0 = unknown).
    fn progress(&self) -> (u64, u64);

    /// Appends what was read and what was done, in order; complete at the end.
    fn report(&self, inputs: &mut Vec<InputReport>, steps: &mut Vec<StepReport>);
}

/// A trace as it is read.
pub(super) struct Read {
    path: String,
    reader: TraceReader,
}

impl Read {
    pub(super) fn open(path: &str, options: &TraceOptions) -> Result<Self, TraceError> {
        Ok(Self { path: path.to_owned(), reader: open(path, options)? })
    }
}

impl Entries for Read {
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        self.reader.next_entries(out, BATCH)
    }

    fn names(&self) -> Vec<String> {
        let names = self.reader.stream_names();
        // One volume without a name is no volume to tell apart.
        if names.iter().all(String::is_empty) {
            Vec::new()
        } else {
            names
        }
    }

    fn label(&self) -> Option<String> {
        self.reader.summary().label.clone()
    }

    fn origin(&self) -> Origin {
        self.reader.origin()
    }

    fn progress(&self) -> (u64, u64) {
        (self.reader.bytes_read(), self.reader.bytes_total().unwrap_or(0))
    }

    fn report(&self, inputs: &mut Vec<InputReport>, _: &mut Vec<StepReport>) {
        inputs.push(InputReport {
            file: self.path.clone(),
            format: self.reader.format(),
            summary: self.reader.summary().clone(),
        });
    }
}

/// Tells how far a stream is read; an error when the caller cancels.
pub(super) fn tell(
    phase: &str,
    entries: &dyn Entries,
    progress: &mut Progress<'_>,
) -> Result<(), TraceError> {
    let (done, total) = entries.progress();
    match progress(phase, done, total) {
        true => Ok(()),
        false => Err(TraceError::Cancelled),
    }
}
