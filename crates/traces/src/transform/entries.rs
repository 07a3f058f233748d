//! What flows through a pipeline.

use super::report::{InputReport, StepReport};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::origin::Origin;
use crate::progress::Progress;
use crate::sources::reader::TraceReader;

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

/// Opens a stream once more from the beginning.
pub(super) type Again = Box<dyn Fn(&mut Progress<'_>) -> Result<Box<dyn Entries>, TraceError>>;

/// A trace as it is read.
pub(super) struct Read {
    pub path: String,
    pub reader: TraceReader,
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

/// One transformation of a stream.
pub(super) trait Stage {
    /// Changes the requests of a batch; those left out vanish from it.
    fn apply(&mut self, batch: &mut Vec<TraceEntry>) -> Result<(), TraceError>;

    /// What was left out or changed so far, by reason.
    fn counts(&self) -> Vec<(&'static str, u64)>;
}

/// A stream behind a transformation.
pub(super) struct Staged {
    pub inner: Box<dyn Entries>,
    pub stage: Box<dyn Stage>,
    /// The transformation with its parameters.
    pub step: String,
}

impl Entries for Staged {
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        while self.inner.next(out)? {
            self.stage.apply(out)?;
            if !out.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn label(&self) -> Option<String> {
        self.inner.label()
    }

    fn origin(&self) -> Origin {
        let mut origin = self.inner.origin();
        origin.steps.push(self.step.clone());
        origin
    }

    fn progress(&self) -> (u64, u64) {
        self.inner.progress()
    }

    fn report(&self, inputs: &mut Vec<InputReport>, steps: &mut Vec<StepReport>) {
        self.inner.report(inputs, steps);
        steps.push(StepReport::new(&self.step, self.stage.counts()));
    }
}

/// Reads a stream to its end and shows every request.
pub(super) fn visit(
    entries: &mut dyn Entries,
    progress: &mut Progress<'_>,
    mut see: impl FnMut(&TraceEntry),
) -> Result<(), TraceError> {
    let mut batch = Vec::new();
    while entries.next(&mut batch)? {
        batch.iter().for_each(&mut see);
        tell("scan", entries, progress)?;
    }
    Ok(())
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
