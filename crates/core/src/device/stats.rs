//! What the host saw: requests, bytes, latency and where the latency went.

use crate::base::request::HostOp;
use crate::hw::op::{Cause, CAUSES};
use crate::hw::timing::{InFlight, WaitTime, WAIT_CHANNEL, WAIT_KINDS, WAIT_OTHER};
use crate::metrics::latency::Latency;
use crate::metrics::report::{Attribution, HostOpReport};

/// Sums of the parts of all latencies, ns; they add up to the latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Parts {
    array_ns: u64,
    transfer_ns: u64,
    link_ns: u64,
    buffer_ns: u64,
    queue_ns: u64,
    link_wait_ns: u64,
    wait_ns: [u64; WAIT_KINDS],
}

/// Reads or writes.
#[derive(Default)]
pub struct OpStats {
    latency: Latency,
    bytes: u64,
    sums: Parts,
}

impl OpStats {
    /// Books a finished request; what no part of its path explains is waiting for other operations.
    #[inline]
    pub fn record(&mut self, latency_ns: u64, request: &InFlight, wait: Option<&WaitTime>) {
        self.latency.record(latency_ns);
        self.bytes += request.request.bytes();
        let queue_ns = request.admitted_ns - request.arrived_ns;
        let s = &mut self.sums;
        s.array_ns += request.path_array_ns;
        s.transfer_ns += request.path_bus_ns;
        s.link_ns += request.link_ns;
        s.buffer_ns += request.buffer_ns;
        s.queue_ns += queue_ns;
        s.link_wait_ns += request.link_wait_ns;
        let mut explained_ns = request.path_array_ns
            + request.path_bus_ns
            + request.link_ns
            + request.buffer_ns
            + queue_ns
            + request.link_wait_ns;
        if let Some(wait) = wait {
            for (sum, ns) in s.wait_ns.iter_mut().zip(wait) {
                *sum += ns;
                explained_ns += ns;
            }
        }
        debug_assert!(
            explained_ns <= latency_ns,
            "Invariant: {request:?} {wait:?} exceed the latency {latency_ns}"
        );
        s.wait_ns[WAIT_OTHER] += latency_ns.saturating_sub(explained_ns);
    }

    /// Requests booked.
    pub fn requests(&self) -> u64 {
        self.latency.count()
    }

    /// Bytes booked.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The latencies.
    pub fn latency(&self) -> &Latency {
        &self.latency
    }

    /// The report.
    pub fn report(&self) -> HostOpReport {
        HostOpReport {
            requests: self.requests(),
            bytes: self.bytes,
            latency_us: self.latency.summary(),
            attribution_us: self.attribution(),
            cdf: self.latency.cdf(),
        }
    }

    fn attribution(&self) -> Attribution {
        let us = |ns: u64| ns as f64 / 1000.0;
        let s = &self.sums;
        let mut out = Attribution { total: self.latency.sum_ns() as f64 / 1000.0, ..Attribution::default() };
        let service = [
            ("array", s.array_ns),
            ("transfer", s.transfer_ns),
            ("link", s.link_ns),
            ("buffer", s.buffer_ns),
        ];
        out.service.extend(service.into_iter().map(|(name, ns)| (name.to_string(), us(ns))));
        let causes = (0..CAUSES).map(|c| (Cause::ALL[c].name(), s.wait_ns[c]));
        let others = [
            ("channel", s.wait_ns[WAIT_CHANNEL]),
            ("other", s.wait_ns[WAIT_OTHER]),
            ("queue", s.queue_ns),
            ("link", s.link_wait_ns),
        ];
        let waits = causes.chain(others).filter(|(_, ns)| *ns > 0);
        out.wait.extend(waits.map(|(name, ns)| (name.to_string(), us(ns))));
        out
    }
}

/// Everything the host saw.
#[derive(Default)]
pub struct HostStats {
    /// Reads.
    pub read: OpStats,
    /// Writes.
    pub write: OpStats,
    /// Flushes.
    pub flush: OpStats,
    /// Trim requests.
    pub trims: u64,
    /// Bytes trimmed.
    pub trim_bytes: u64,
    /// Reads of logical pages without data.
    pub unmapped_reads: u64,
    /// Writes rounded outwards to whole mapping units.
    pub sub_mu_rounded: u64,
    /// When the last request was complete, ns.
    pub last_completion_ns: u64,
}

impl HostStats {
    /// The statistics of one kind of request with a latency.
    #[inline]
    pub fn of(&mut self, op: HostOp) -> &mut OpStats {
        match op {
            HostOp::Read => &mut self.read,
            HostOp::Write => &mut self.write,
            HostOp::Flush | HostOp::Trim => &mut self.flush,
        }
    }
}
