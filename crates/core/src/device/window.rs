//! Windows of the host's requests: counted as they arrive, each with its own counters; and the latencies of
//! what was completed lately, for whoever looks at windows.

use super::Simulation;
use crate::base::request::{HostOp, Request};
use crate::ftl::window::{HostCount, WindowCounters, WindowLength, WindowUnit};
use crate::metrics::counters::OpCounters;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Arrived {
    reads: HostCount,
    writes: HostCount,
    trims: HostCount,
}

/// The window under way.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct HostWindow {
    length: WindowLength,
    index: u64,
    /// How much of it is over.
    filled: u64,
    arrived: Arrived,
    /// All operations and the time when it began.
    #[serde(skip)]
    start: OpCounters,
    #[serde(skip)]
    start_ns: u64,
    /// Its operations and time before the device was restored.
    before: OpCounters,
    before_ns: u64,
}

impl HostWindow {
    /// The first window of a device that has done `so_far` by `now_ns`.
    pub fn new(length: WindowLength, so_far: &OpCounters, now_ns: u64) -> Self {
        Self {
            length,
            index: 0,
            filled: 0,
            arrived: Arrived::default(),
            start: so_far.clone(),
            start_ns: now_ns,
            before: so_far.since(so_far),
            before_ns: 0,
        }
    }

    /// Whether windows end at all.
    pub fn has_length(&self) -> bool {
        self.length.count > 0
    }

    /// Whether the window has its full length.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.has_length() && self.filled >= self.length.count
    }

    /// Whether the window is over before `request`, which would count in the next one.
    #[inline]
    pub fn is_over_before(&self, request: &Request) -> bool {
        self.is_complete() && self.share_of(request) > 0
    }

    #[inline]
    pub fn count(&mut self, request: &Request) {
        if self.length.count == 0 {
            return;
        }
        self.filled += self.share_of(request);
        match request.op {
            HostOp::Read => self.arrived.reads.add(request.bytes()),
            HostOp::Write => self.arrived.writes.add(request.bytes()),
            HostOp::Trim => self.arrived.trims.add(request.bytes()),
            HostOp::Flush => {}
        }
    }

    #[inline]
    fn share_of(&self, request: &Request) -> u64 {
        match (self.length.unit, request.op) {
            (_, HostOp::Flush) => 0,
            (WindowUnit::Requests, _) | (WindowUnit::WriteRequests, HostOp::Write) => 1,
            (WindowUnit::WriteBytes, HostOp::Write) => request.bytes(),
            (WindowUnit::WriteRequests | WindowUnit::WriteBytes, _) => 0,
        }
    }

    /// What the window came to so far.
    pub fn counters(&self, so_far: &OpCounters, now_ns: u64) -> WindowCounters {
        let mut ops = so_far.since(&self.start);
        ops.add(&self.before);
        WindowCounters {
            index: self.index,
            end_ns: now_ns,
            duration_ns: now_ns - self.start_ns + self.before_ns,
            reads: self.arrived.reads,
            writes: self.arrived.writes,
            trims: self.arrived.trims,
            ops,
        }
    }

    /// Ends the window, and begins the next one. Bytes beyond its end count in the next, so that
    /// windows end at multiples of their length; a request that is longer ends all that it covers.
    pub fn end(&mut self, so_far: &OpCounters, now_ns: u64) -> WindowCounters {
        let counters = self.counters(so_far, now_ns);
        let (index, filled) = (self.index + 1, self.filled % self.length.count);
        *self = Self { index, filled, ..Self::new(self.length, so_far, now_ns) };
        counters
    }

    /// As it is at rest: all that it came to lies behind it.
    pub fn at_rest(&self, so_far: &OpCounters, now_ns: u64) -> Self {
        let WindowCounters { ops, duration_ns, .. } = self.counters(so_far, now_ns);
        Self { before: ops, before_ns: duration_ns, ..self.clone() }
    }

    /// Goes on out of a snapshot, where this one has just begun, or says that it cannot.
    pub fn resume(&mut self, saved: Self) -> Result<(), String> {
        let Self { index, filled, arrived, before, before_ns, .. } = saved;
        match saved.length == self.length && before.is_like(&self.start) {
            true => *self = Self { index, filled, arrived, before, before_ns, ..self.clone() },
            false => return Err("the window of another scheme".to_owned()),
        }
        Ok(())
    }
}

/// Latencies of reads and writes, in the order of their completion, ns.
#[derive(Clone, Debug, Default)]
pub struct CompletedLatencies {
    pub reads_ns: Vec<u64>,
    pub writes_ns: Vec<u64>,
}

impl CompletedLatencies {
    #[inline]
    pub(super) fn record(&mut self, op: HostOp, latency_ns: u64) {
        match op {
            HostOp::Read => self.reads_ns.push(latency_ns),
            HostOp::Write => self.writes_ns.push(latency_ns),
            HostOp::Trim | HostOp::Flush => {}
        }
    }

    /// Forgets them; the room stays.
    pub fn clear(&mut self) {
        self.reads_ns.clear();
        self.writes_ns.clear();
    }
}

impl Simulation {
    /// Keeps the latencies of what completes from now on, until they are taken.
    pub fn keep_completed(&mut self) {
        self.completed = Some(CompletedLatencies::default());
        self.watched = true;
    }

    /// Takes the latencies kept so far into `completed`, whose own are forgotten.
    pub fn take_completed(&mut self, completed: &mut CompletedLatencies) {
        completed.clear();
        if let Some(kept) = self.completed.as_mut() {
            std::mem::swap(kept, completed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: HostOp, sectors: u32) -> Request {
        Request { at_ns: 0, sector: 0, sectors, stream: 0, hint: 0, op }
    }

    fn over_before(unit: WindowUnit, count: u64, requests: &[Request]) -> (Vec<usize>, HostWindow) {
        let zero = OpCounters::new(1);
        let mut window = HostWindow::new(WindowLength { unit, count }, &zero, 0);
        let mut over = Vec::new();
        for (i, request) in requests.iter().enumerate() {
            if window.is_over_before(request) {
                over.push(i);
                window.end(&zero, 10 * i as u64);
            }
            window.count(request);
        }
        (over, window)
    }

    #[test]
    fn a_window_is_over_when_the_next_counted_request_comes() {
        let (read, write) = (request(HostOp::Read, 8), request(HostOp::Write, 8));
        let mixed = [write, write, read, write, read, write, write];
        assert_eq!(over_before(WindowUnit::WriteRequests, 2, &mixed).0, [3, 6]);
        assert_eq!(over_before(WindowUnit::Requests, 2, &mixed).0, [2, 4, 6]);
        assert_eq!(over_before(WindowUnit::WriteRequests, 0, &mixed).0, [0; 0]);
    }

    #[test]
    fn windows_of_bytes_lie_at_multiples_of_their_length() {
        let writes: Vec<_> = [8, 16, 8, 8, 80, 8, 8].map(|n| request(HostOp::Write, n)).to_vec();
        // Sectors behind each: 8, 24, 32, 40, 120, 128, 136; ends at 16, 32, 48 to 112, 128.
        let (over, window) = over_before(WindowUnit::WriteBytes, 16 * 512, &writes);
        assert_eq!(over, [2, 3, 5, 6]);
        assert_eq!((window.index, window.filled), (4, 8 * 512));
    }

    #[test]
    fn a_window_has_its_own_counters_also_across_a_snapshot() {
        use crate::base::{Cause, CellMode, OpKind};
        let mut so_far = OpCounters::new(1);
        let length = WindowLength { unit: WindowUnit::WriteRequests, count: 1 };
        let programs =
            |counters: &OpCounters| counters.get(0, OpKind::Program, CellMode::Slc, Cause::Host).count;
        let mut window = HostWindow::new(length, &so_far, 5);
        window.count(&request(HostOp::Write, 8));
        so_far.at(0, OpKind::Program, CellMode::Slc, Cause::Host).count += 3;
        let ended = window.end(&so_far, 25);
        assert_eq!((programs(&ended.ops), ended.duration_ns, ended.writes.bytes), (3, 20, 4096));
        so_far.at(0, OpKind::Program, CellMode::Slc, Cause::Host).count += 4;
        let state = window.at_rest(&so_far, 32);
        let fresh = OpCounters::new(1);
        let mut restored = HostWindow::new(length, &fresh, 0);
        assert_eq!(restored.resume(state), Ok(()));
        let ended = restored.end(&fresh, 3);
        assert_eq!((programs(&ended.ops), ended.duration_ns, ended.index), (4, 10, 1));
    }
}
