//! A trace as batches of requests, and how far through it we are.

use super::namespaces::Namespaces;
use super::time_scale::TimeScale;
use super::{Progress, SimError};
use slcache_core::device::request::Request;
use slcache_traces::{spawn, TraceError, TraceOptions, TracePath, TraceStream, TraceSummary};

/// Requests handed over at a time.
const BATCH_REQUESTS: usize = 4096;

/// One pass over a trace, read on a thread of its own.
pub struct Source {
    stream: TraceStream,
    namespaces: Option<Namespaces>,
    scale: TimeScale,
}

impl Source {
    /// Starts reading.
    pub fn open(path: &TracePath, options: &TraceOptions, scale: TimeScale) -> Result<Self, TraceError> {
        Ok(Self { stream: spawn(path, options, BATCH_REQUESTS)?, namespaces: None, scale })
    }

    /// Starts reading once more what this pass reads.
    pub fn again(&self, options: &TraceOptions) -> Result<Self, TraceError> {
        Self::open(self.stream.path(), options, self.scale)
    }

    /// This pass, with every volume at its own place.
    pub fn with(self, namespaces: Option<Namespaces>) -> Self {
        Self { namespaces, ..self }
    }

    /// Whether the trace's streams are volumes with addresses of their own.
    pub fn has_volumes(&self) -> bool {
        self.stream.has_volumes()
    }

    /// Where the volumes lie, if there are several.
    pub fn namespaces(&self) -> Option<&Namespaces> {
        self.namespaces.as_ref()
    }

    /// Takes the places of the volumes out, for another pass.
    pub fn into_namespaces(self) -> Option<Namespaces> {
        self.namespaces
    }

    /// The next batch in trace order; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Vec<Request>>, SimError> {
        let mut batch = self.stream.next().transpose()?;
        if let Some(batch) = &batch {
            self.scale.check(batch)?;
        }
        if let (Some(batch), Some(namespaces)) = (&mut batch, &self.namespaces) {
            namespaces.apply(batch);
        }
        Ok(batch)
    }

    /// Tells how far through the file the reader is.
    pub fn report(&self, phase: &str, progress: &mut Progress<'_>) -> Result<(), SimError> {
        let total = self.stream.bytes_total().unwrap_or(0);
        if progress(phase, self.stream.bytes_read(), total) {
            Ok(())
        } else {
            Err(SimError::Cancelled)
        }
    }

    /// Name of the trace's format.
    pub fn format(&self) -> &'static str {
        self.stream.format()
    }

    /// Counts of the whole trace; after the last batch only.
    pub fn summary(&self) -> Result<&TraceSummary, TraceError> {
        let stopped = || TraceError::reader_stopped(self.stream.path().name());
        self.stream.summary().ok_or_else(stopped)
    }
}
