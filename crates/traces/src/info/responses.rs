//! Response times: those that the trace publishes, or from the two events of a recording that has both.
//!
//! Such a recording is read twice side by side, once for its issues and once for its completions. A
//! completion ends the earliest issue of the same place, length and operation that is in flight.

use crate::error::{FileFault, TraceError};
use crate::options::{BlkparseAction, TraceOptions, Unsorted, VolumeChoice};
use crate::request_source::{Progress, TraceEntry};
use crate::sources::part::Part;
use crate::sources::reader::{open, TraceReader};
use crate::stored::trace_path::TracePath;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::latency::{Latency, LatencySummary};
use slcache_base::request::HostOp;
use std::collections::VecDeque;

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
}

/// Takes the response times one by one.
#[derive(Default)]
pub(super) struct Responses {
    reads: Latency,
    writes: Latency,
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
        })
    }
}

/// Requests taken from a reader at a time.
const BATCH: usize = 4096;
/// Most requests in flight: what was lost of a recording must not pile up.
const IN_FLIGHT_MAX: usize = 1 << 20;

/// Number of the volume among those known, first sector, length and operation.
type Key = (usize, u64, u32, HostOp);

/// What can be told of a recording in which `action` chooses the request; nothing where it has only one of
/// both events, or can be read only once.
pub(super) fn responses(
    path: &str,
    options: &TraceOptions,
    progress: &mut Progress<'_>,
) -> Result<Responses, TraceError> {
    let mut responses = Responses::default();
    let once = TracePath::new(path).is_read_once();
    if once || options.resample.is_some() || Part::of(options)?.is_some() {
        return Ok(responses);
    }
    let read = |action| {
        let (rebase, volume) = (Some(false), options.volume.clone().or(Some(VolumeChoice::Each)));
        let options = TraceOptions { action, rebase, volume, unsorted: Unsorted::Keep, ..options.clone() };
        Ok::<_, TraceError>(Events {
            reader: open(path, &options)?,
            waiting: VecDeque::new(),
            volumes: Vec::new(),
        })
    };
    let (mut issues, mut completions) = (read(BlkparseAction::D)?, read(BlkparseAction::C)?);
    let mut known: Vec<String> = Vec::new();
    let mut in_flight: FxHashMap<Key, VecDeque<u64>> = FxHashMap::default();
    loop {
        let issue = issues.time(&mut known)?;
        let Some(completion_ns) = completions.time(&mut known)? else { return Ok(responses) };
        if issue.is_some_and(|issue_ns| issue_ns <= completion_ns) {
            let (key, at_ns) = issues.next();
            if in_flight.len() == IN_FLIGHT_MAX {
                in_flight.clear();
            }
            in_flight.entry(key).or_default().push_back(at_ns);
            continue;
        }
        let (key, at_ns) = completions.next();
        if let Some(times) = in_flight.get_mut(&key) {
            if let Some(issued_ns) = times.pop_front() {
                responses.add(key.3, at_ns - issued_ns);
            }
            if times.is_empty() {
                in_flight.remove(&key);
            }
        }
        if completions.waiting.is_empty() {
            completions.reader.tell("service times", progress)?;
        }
    }
}

/// One of the two events, request by request.
struct Events {
    reader: TraceReader,
    waiting: VecDeque<TraceEntry>,
    /// Of each stream the volume's number among those known to both.
    volumes: Vec<usize>,
}

impl Events {
    /// When the next one is; none at the end.
    fn time(&mut self, known: &mut Vec<String>) -> Result<Option<u64>, TraceError> {
        let mut batch = Vec::new();
        while self.waiting.is_empty() && self.more(&mut batch)? {
            let batch = std::mem::take(&mut batch);
            let transfers = |entry: &TraceEntry| matches!(entry.request.op, HostOp::Read | HostOp::Write);
            self.waiting.extend(batch.into_iter().filter(transfers));
            self.volumes.clear();
            for name in self.reader.stream_names() {
                let found = known.iter().position(|other| *other == name);
                self.volumes.push(found.unwrap_or(known.len()));
                if found.is_none() {
                    known.push(name);
                }
            }
        }
        Ok(self.waiting.front().map(|entry| entry.request.at_ns))
    }

    /// Whether some were read; a recording need not have both events.
    fn more(&mut self, batch: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        match self.reader.next_entries(batch, BATCH) {
            Err(TraceError::File { fault: FileFault::Empty, .. }) => Ok(false),
            other => other,
        }
    }

    fn next(&mut self) -> (Key, u64) {
        let request = self.waiting.pop_front().expect("its time was asked for").request;
        let volume = self.volumes.get(usize::from(request.stream));
        ((volume.copied().unwrap_or(0), request.sector, request.sectors, request.op), request.at_ns)
    }
}
