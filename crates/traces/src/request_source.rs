//! What every source of requests gives, does and tells, whatever it reads.

use crate::error::{FileFault, TraceError};
use crate::stored::opened::SharedFile;
use crate::summary::TraceSummary;
use serde::{Deserialize, Serialize};
use slcache_base::request::Request;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// Records taken at a time where only their volumes count.
const LISTED: usize = 4096;

/// What is known of a source once it is opened.
pub(crate) struct Facts<'a> {
    /// Name of the format.
    pub format: &'static str,
    /// Whether the streams are volumes with addresses of their own; of what does not tell, the options say it.
    pub has_volumes: Option<bool>,
    /// How far it is, shared: stored (compressed) bytes, or requests of what is made.
    pub done: Arc<AtomicU64>,
    /// Of so many in all, where known.
    pub total: Option<u64>,
    /// The copy of the bytes that had to be made to read them.
    pub copy: Option<&'a SharedFile>,
}

/// The error of a source in which a second volume came, in that line or record: reads to the end so that it
/// lists them all. Where damage to the file explains a faulty record, it is told instead.
pub(crate) fn several_volumes(source: &mut dyn RequestSource, file: String, line: u64) -> TraceError {
    let mut unused = Vec::new();
    loop {
        unused.clear();
        match source.step(&mut unused, LISTED) {
            Ok(true) | Err(TraceError::Line { .. } | TraceError::Record { .. }) => {}
            Err(damaged @ TraceError::File { fault: FileFault::Damaged, .. }) => return damaged,
            _ => break,
        }
    }
    let summary = source.summary();
    let count = summary.volumes.len();
    TraceError::SeveralVolumes { file, line, count, listed: summary.volumes_text() }
}

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

    fn facts(&self) -> Facts<'_>;

    /// The names of the volumes by stream, as far as they have appeared; empty
    /// where all streams share one address space.
    fn stream_names(&self) -> Vec<String>;

    /// Where the requests come from, for a file made out of them; its hash is
    /// known at the end of the trace.
    fn origin(&self, path: &str) -> Origin {
        Origin {
            file: path.rsplit('/').next().unwrap_or(path).to_owned(),
            format: self.facts().format.to_owned(),
            sha256: self.summary().sha256.clone(),
            label: None,
            steps: Vec::new(),
        }
    }
}

/// A request of a trace and the response time published with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    pub request: Request,
    /// How long the traced system took to answer, in nanoseconds, where the
    /// trace says so.
    pub response_ns: Option<u64>,
}

/// Where the requests of a trace come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Name of the file, without its folders.
    pub file: String,
    /// Format it was read as.
    pub format: String,
    /// SHA-256 of the file as stored, in hex.
    pub sha256: Option<String>,
    /// What the requests are where they are not a recording, such as `twin of ...`.
    pub label: Option<String>,
    /// Transformations applied since, in order, each with its parameters.
    pub steps: Vec<String>,
}

/// Called with what is being done, how much of it is done and how much there is
/// (0 = unknown); returning `false` cancels.
pub type Progress<'a> = dyn FnMut(&str, u64, u64) -> bool + 'a;
