//! Response times: those that the trace publishes, or from the two events of a recording that has both.
//!
//! Such a recording is read again for its completions. One ends the latest issue of the same place, length
//! and operation.

use super::BATCH;
use crate::error::{FileFault, TraceError};
use crate::options::{BlkparseAction, TraceOptions, Unsorted, VolumeChoice};
use crate::records::checker::SKIPPED_UNANSWERED;
use crate::request_source::Progress;
use crate::sources::part::Part;
use crate::sources::reader::open;
use crate::stored::trace_path::TracePath;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::latency::{Latency, LatencySummary};
use slcache_base::request::HostOp;

const NS_PER_S: f64 = 1e9;

/// Response times of the traced system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ResponseTimes {
    /// Reads and writes with a response time.
    pub requests: u64,
    /// Of reads, in microseconds.
    pub read_us: Option<LatencySummary>,
    /// Of writes, in microseconds.
    pub write_us: Option<LatencySummary>,
    /// Mean number of requests in flight: response times over the duration
    /// (Little's law); `None` for a trace without duration.
    pub mean_queue_depth: Option<f64>,
    /// Reads and writes of a recording that were issued and of which it has no completion.
    pub unanswered: u64,
}

/// Takes the response times one by one.
#[derive(Default)]
pub(super) struct Responses {
    reads: Latency,
    writes: Latency,
    unanswered: u64,
}

impl Responses {
    #[inline]
    pub(super) fn add(&mut self, op: HostOp, response_ns: u64) {
        let times = match op {
            HostOp::Read => &mut self.reads,
            HostOp::Write => &mut self.writes,
            HostOp::Flush | HostOp::Trim => return,
        };
        times.record(response_ns);
    }

    /// The figures, for a trace of so many seconds; `None` where none was published.
    pub(super) fn finish(&self, duration_s: f64) -> Option<ResponseTimes> {
        let requests = self.reads.count() + self.writes.count();
        let sum_s = (self.reads.sum_ns() + self.writes.sum_ns()) as f64 / NS_PER_S;
        (requests > 0).then(|| ResponseTimes {
            requests,
            read_us: self.reads.summary(),
            write_us: self.writes.summary(),
            mean_queue_depth: (duration_s > 0.0).then(|| sum_s / duration_s),
            unanswered: self.unanswered,
        })
    }
}

/// What can be told of a recording in which `action` chooses the request; nothing where it has only one of
/// both events.
pub(super) fn responses(
    path: &str,
    options: &TraceOptions,
    progress: &mut Progress<'_>,
) -> Result<Responses, TraceError> {
    let refused = |why: &str| Err(TraceError::refused("service times", why));
    if TracePath::new(path).is_read_once() {
        return refused("they take a second reading; give the recording as a file");
    }
    if options.resample.is_some() || Part::of(options)?.is_some() {
        return refused("they are told of whole recordings; leave out from_ns, to_ns, skip, take, copies, time_scale and resample");
    }
    let mut responses = Responses::default();
    let volume = match &options.volume {
        Some(named @ VolumeChoice::Named(_)) => named.clone(),
        _ => VolumeChoice::Each,
    };
    let options = TraceOptions {
        action: BlkparseAction::Timed,
        rebase: Some(false),
        volume: Some(volume),
        unsorted: Unsorted::Keep,
        ..options.clone()
    };
    let mut reader = open(path, &options)?;
    let mut entries = Vec::with_capacity(BATCH);
    loop {
        match reader.next_entries(&mut entries, BATCH) {
            Ok(true) => {}
            Ok(false) => break,
            // A recording need not have completions.
            Err(TraceError::File { fault: FileFault::Empty, .. }) => return Ok(responses),
            Err(error) => return Err(error),
        }
        let took = entries.iter().filter_map(|entry| Some((entry.request.op, entry.response_ns?)));
        took.for_each(|(op, response_ns)| responses.add(op, response_ns));
        reader.tell("service times", progress)?;
    }
    let skipped = &reader.summary().skipped;
    let unanswered = skipped.iter().find(|skipped| skipped.reason == SKIPPED_UNANSWERED);
    responses.unanswered = unanswered.map_or(0, |skipped| skipped.count);
    Ok(responses)
}
