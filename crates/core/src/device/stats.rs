//! What the host saw: requests, bytes, latency and where the latency went.

use super::front::Ends;
use super::requests::HostRequest;
use crate::base::op::{Cause, Gap, CAUSES, GAPS, USUAL_CAUSES};
use crate::base::request::HostOp;
use crate::hw::timing::{
    RequestPath, WaitTime, DISK_POSITIONING, DISK_TRANSFER, RETRY, WAIT_CHANNEL, WAIT_KINDS, WAIT_ORDER,
    WAIT_SOURCE, WAIT_SPIN_UP, WAIT_SUSPENDED,
};
use crate::metrics::components::{keeper_names, KEEPERS};
use crate::metrics::latency::{Bucket, Latency, RequestsBeyond};
use crate::metrics::report::{Attribution, HostOpReport};
use std::ops::Range;

/// Sums of the parts of all latencies, ns; they add up to the latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LatencyParts {
    array_ns: u128,
    transfer_ns: u128,
    link_ns: u128,
    controller_ns: u128,
    controller_wait_ns: u128,
    buffer_ns: u128,
    queue_ns: u128,
    link_wait_ns: u128,
    map_ns: u128,
    wait_ns: [u128; WAIT_KINDS],
    gap_ns: [u128; GAPS],
    /// What it was of waiting for room in the DRAM buffer.
    kept_ns: [u128; KEEPERS],
}

/// Adds times to their sums; how much they are together, ns.
#[inline(always)]
fn add(sums: &mut [u128], times_ns: &[u64]) -> u64 {
    for (sum, ns) in sums.iter_mut().zip(times_ns) {
        *sum += u128::from(*ns);
    }
    times_ns.iter().sum()
}

#[derive(Clone, Default)]
pub struct OpStats {
    latency: Latency,
    bytes: u64,
    sums: LatencyParts,
}

impl OpStats {
    /// Books a finished request, in the bucket of latencies that is told; what no part of its path
    /// explains is the gap before the path.
    #[inline(always)]
    pub(super) fn record(
        &mut self,
        latency_ns: u64,
        request: &HostRequest,
        ends: Ends,
        path: &RequestPath,
        wait: Option<&WaitTime>,
    ) -> Bucket {
        let bucket = self.latency.record(latency_ns);
        self.bytes += request.request.bytes();
        let queue_ns = request.admitted_ns - request.arrived_ns();
        let s = &mut self.sums;
        s.array_ns += u128::from(path.array_ns);
        s.transfer_ns += u128::from(path.bus_ns);
        let mut explained_ns = path.array_ns + path.bus_ns + queue_ns;
        // What only some requests have is added only then.
        let buffer_ns = u64::from(request.buffer_ns);
        let controller_ns = ends.controller_ns | request.controller_wait_ns;
        if queue_ns | ends.link_ns | controller_ns | buffer_ns | request.map_ns != 0 {
            s.queue_ns += u128::from(queue_ns);
            s.link_ns += u128::from(ends.link_ns);
            s.controller_ns += u128::from(ends.controller_ns);
            s.controller_wait_ns += u128::from(request.controller_wait_ns);
            s.buffer_ns += u128::from(buffer_ns);
            s.map_ns += u128::from(request.map_ns);
            s.link_wait_ns += u128::from(request.link_wait_ns);
            explained_ns += ends.link_ns + ends.controller_ns + request.controller_wait_ns;
            explained_ns += buffer_ns + request.link_wait_ns + request.map_ns;
        }
        if let Some(wait) = wait {
            let mut explain = |kinds: Range<usize>| add(&mut s.wait_ns[kinds.clone()], &wait[kinds]);
            explained_ns += explain(0..USUAL_CAUSES) + explain(CAUSES..WAIT_SPIN_UP);
            for seldom in [USUAL_CAUSES..CAUSES, WAIT_SPIN_UP..WAIT_KINDS] {
                if wait[seldom.clone()].iter().any(|&ns| ns != 0) {
                    explained_ns += explain(seldom);
                }
            }
        }
        debug_assert!(
            explained_ns <= latency_ns,
            "Invariant: {request:?} {path:?} {wait:?} exceed the latency {latency_ns}"
        );
        debug_assert!(
            explained_ns == latency_ns || path.gap != Gap::None,
            "Invariant: {request:?} {path:?} {wait:?} explain less than the latency {latency_ns}"
        );
        if explained_ns < latency_ns {
            s.gap_ns[path.gap as usize] += u128::from(latency_ns - explained_ns);
        }
        bucket
    }

    /// Sums of waiting for room in the DRAM buffer, by what kept the room, to add to.
    pub(super) fn kept_ns(&mut self) -> &mut [u128; KEEPERS] {
        &mut self.sums.kept_ns
    }

    /// Requests booked.
    pub fn requests(&self) -> u64 {
        self.latency.count()
    }

    /// Bytes booked.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn latency(&self) -> &Latency {
        &self.latency
    }

    pub fn report(&self) -> HostOpReport {
        HostOpReport {
            requests: self.requests(),
            bytes: self.bytes,
            latency_us: self.latency.summary(),
            requests_beyond: RequestsBeyond::of(self.requests()),
            attribution_us: self.attribution(),
            cdf: self.latency.cdf(),
        }
    }

    fn attribution(&self) -> Attribution {
        let us = |ns: u128| ns as f64 / 1000.0;
        let s = &self.sums;
        let mut out = Attribution { total: self.latency.sum_ns() as f64 / 1000.0, ..Attribution::default() };
        let service = [
            ("array", s.array_ns),
            ("transfer", s.transfer_ns),
            ("link", s.link_ns),
            ("buffer", s.buffer_ns),
        ];
        let disk =
            [("disk-positioning", s.wait_ns[DISK_POSITIONING]), ("disk-transfer", s.wait_ns[DISK_TRANSFER])];
        let some = [("controller", s.controller_ns), ("retry", s.wait_ns[RETRY])];
        let some = some.into_iter().chain(disk).filter(|(_, ns)| *ns > 0);
        let service = service.into_iter().chain(some);
        out.service.extend(service.map(|(name, ns)| (name.to_string(), us(ns))));
        let causes = (0..CAUSES).map(|c| (Cause::ALL[c].name(), s.wait_ns[c]));
        let kept = keeper_names().zip(s.kept_ns);
        let untold_ns = s.gap_ns[Gap::Room as usize] - s.kept_ns.iter().sum::<u128>();
        let others = [
            ("channel", s.wait_ns[WAIT_CHANNEL]),
            ("order", s.wait_ns[WAIT_ORDER]),
            ("source", s.wait_ns[WAIT_SOURCE]),
            ("suspended", s.wait_ns[WAIT_SUSPENDED]),
            ("spin-up", s.wait_ns[WAIT_SPIN_UP]),
            ("fetch", s.gap_ns[Gap::Fetch as usize]),
            ("stage", s.gap_ns[Gap::Stage as usize]),
            ("merge", s.gap_ns[Gap::Merge as usize]),
            ("buffer", s.gap_ns[Gap::Buffer as usize] + untold_ns),
            ("queue", s.queue_ns),
            ("controller", s.controller_wait_ns),
            ("link", s.link_wait_ns),
            ("look-up", s.map_ns),
        ];
        let waits = causes.chain(others).chain(kept).filter(|(_, ns)| *ns > 0);
        out.wait.extend(waits.map(|(name, ns)| (name.to_string(), us(ns))));
        out
    }
}

/// Everything the host saw.
#[derive(Clone, Default)]
pub struct HostStats {
    pub read: OpStats,
    pub write: OpStats,
    pub flush: OpStats,
    /// Trim requests.
    pub trims: u64,
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
