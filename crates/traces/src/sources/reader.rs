//! The streaming reader: requests in batches, problems in trace order.

use crate::error::TraceError;
use crate::options::{TraceOptions, VolumeChoice};
use crate::request_source::{Facts, Origin, Progress, RequestSource, TraceEntry};
use crate::sources::source::source;
use crate::stored::trace_path::TracePath;
use crate::summary::TraceSummary;
use slcache_base::request::Request;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Opens a trace file, or standard input for the path `-`; the format is told
/// from the content unless the options name it.
pub fn open(path: impl Into<TracePath>, options: &TraceOptions) -> Result<TraceReader, TraceError> {
    let path = path.into();
    let source = source(&path, options)?;
    let Facts { copy, has_volumes, .. } = source.facts();
    Ok(TraceReader {
        has_volumes: has_volumes.unwrap_or(options.volume == Some(VolumeChoice::Each)),
        path: copy.map_or(path.clone(), |copy| TracePath::with_copy(path.name(), copy.clone())),
        source,
        entries: Vec::new(),
        carried: None,
        failure: None,
        ended: false,
    })
}

/// Reads a trace request by request, in batches.
pub struct TraceReader {
    path: TracePath,
    has_volumes: bool,
    source: Box<dyn RequestSource>,
    /// The batch behind [`Self::next_batch`], reused.
    entries: Vec<TraceEntry>,
    /// A request that did not fit the batch it was read for.
    carried: Option<TraceEntry>,
    failure: Option<TraceError>,
    ended: bool,
}

impl TraceReader {
    /// Clears `out` and appends up to `max` requests (at least one is asked
    /// for); `Ok(false)` at the end of the trace. Requests before a problem are
    /// always handed out before the error, which then stays.
    pub fn next_batch(&mut self, out: &mut Vec<Request>, max: usize) -> Result<bool, TraceError> {
        let mut entries = std::mem::take(&mut self.entries);
        let more = self.next_entries(&mut entries, max);
        out.clear();
        out.extend(entries.iter().map(|entry| entry.request));
        self.entries = entries;
        more
    }

    /// Like [`Self::next_batch`], with what the trace says beside each request.
    pub fn next_entries(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        out.clear();
        out.extend(self.carried.take());
        let max = max.max(1);
        while out.len() < max && !self.ended {
            match self.source.step(out, max) {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = true;
                    self.failure = self.source.finish().err();
                }
                Err(error) => {
                    self.ended = true;
                    self.failure = Some(self.source.final_error(error));
                }
            }
        }
        // One record gives at most two requests (a flush before a write).
        if out.len() > max {
            self.carried = out.pop();
        }
        self.source.update_summary();
        match &self.failure {
            Some(failure) if out.is_empty() => Err(failure.clone()),
            _ => Ok(!out.is_empty()),
        }
    }

    /// What was opened, with a copy of its bytes where reading made one.
    pub fn path(&self) -> &TracePath {
        &self.path
    }

    pub fn format(&self) -> &'static str {
        self.source.facts().format
    }

    /// Stored (compressed) bytes consumed so far, or requests of what is made.
    pub fn done(&self) -> u64 {
        self.source.facts().done.load(Ordering::Relaxed)
    }

    /// Of so many in all; `None` for standard input, and where only time ends a workload.
    pub fn total(&self) -> Option<u64> {
        self.source.facts().total
    }

    /// The names of the volumes by stream, as far as they have appeared; empty
    /// where all streams share one address space.
    pub fn stream_names(&self) -> Vec<String> {
        self.source.stream_names()
    }

    /// Whether the streams are volumes with addresses of their own, of which
    /// there may be several.
    pub fn has_volumes(&self) -> bool {
        self.has_volumes
    }

    /// Where the requests come from; complete once [`Self::next_batch`] has
    /// said `Ok(false)`.
    pub fn origin(&self) -> Origin {
        self.source.origin(self.path.name())
    }

    /// Counts so far; complete once [`Self::next_batch`] has said `Ok(false)`.
    pub fn summary(&self) -> &TraceSummary {
        self.source.summary()
    }

    /// The counter behind [`Self::done`], for another thread.
    pub(crate) fn counter(&self) -> Arc<AtomicU64> {
        self.source.facts().done
    }

    /// Tells how far it is; an error when the caller cancels.
    pub(crate) fn tell(&self, phase: &str, progress: &mut Progress<'_>) -> Result<(), TraceError> {
        match progress(phase, self.done(), self.total().unwrap_or(0)) {
            true => Ok(()),
            false => Err(TraceError::Cancelled),
        }
    }
}
