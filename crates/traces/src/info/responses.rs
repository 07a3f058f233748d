//! Response times, where the trace publishes them.

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
