//! Requests in flight and where their time goes.

use super::op_table::{Op, OpId, RequestId};
use super::Timing;
use crate::base::op::CAUSES;
use crate::base::Gap;

/// Waiting for the channel.
pub const WAIT_CHANNEL: usize = CAUSES;
/// Waiting in an idle unit for an earlier operation of the block, which itself waits.
pub const WAIT_ORDER: usize = CAUSES + 1;
/// Waiting for the reads or the program that an operation's data come from.
pub const WAIT_SOURCE: usize = CAUSES + 2;
/// Being suspended.
pub const WAIT_SUSPENDED: usize = CAUSES + 3;
/// Kinds of waiting: behind each cause, and those above.
pub const WAIT_KINDS: usize = CAUSES + 4;

/// Waiting time by what occupied the resource, ns.
pub type WaitTime = [u64; WAIT_KINDS];

/// What a unit had done at one moment: busy by cause, and waiting for the channel, ns.
pub(super) type Snapshot = [u64; CAUSES + 1];

/// Who waits for an operation or hears that it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// A request, which has waited for all its operations when it is finished.
    Request(RequestId),
    /// Whoever knows this token.
    Notice(u32),
}

/// A request in flight: what it waits for, and the path to the operation that it waited for last.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestPath {
    /// Operations (and holds) it still waits for.
    remaining: u32,
    /// Waiting on the critical path (index into the wait table, 0 = none).
    wait: u32,
    /// Array time on the critical path, ns.
    pub array_ns: u64,
    /// Channel time on the critical path, ns.
    pub bus_ns: u64,
    /// What it waited for before that path.
    pub gap: Gap,
}

impl Timing {
    /// Registers a request, held once until `release_request`.
    #[inline]
    pub fn add_request(&mut self) -> RequestId {
        RequestId(self.requests.insert(RequestPath { remaining: 1, ..RequestPath::default() }))
    }

    /// Says what a request waited for besides operations.
    pub fn set_gap(&mut self, id: RequestId, gap: Gap) {
        self.requests[id.index()].gap = gap;
    }

    /// Holds a request once more.
    #[inline]
    pub fn hold_request(&mut self, id: RequestId) {
        self.requests[id.index()].remaining += 1;
    }

    /// Takes one hold away; the last one finishes the request.
    #[inline]
    pub fn release_request(&mut self, id: RequestId) {
        let request = &mut self.requests[id.index()];
        request.remaining -= 1;
        if request.remaining == 0 {
            self.finished.push(Waiter::Request(id));
        }
    }

    /// The next finished request, still in the table, or the token of a notice asked for.
    #[inline]
    pub fn take_finished(&mut self) -> Option<Waiter> {
        self.finished.pop()
    }

    /// Forgets a finished request.
    #[inline]
    pub fn remove_request(&mut self, id: RequestId) {
        let wait = self.requests[id.index()].wait;
        if wait != 0 {
            self.waits.remove(wait);
        }
        self.requests.remove(id.0);
    }

    /// The path of a finished request and what it waited for on it, if it did.
    #[inline]
    pub fn path(&self, id: RequestId) -> (&RequestPath, Option<&WaitTime>) {
        let path = &self.requests[id.index()];
        let wait = (path.wait != 0).then(|| &self.waits[path.wait as usize]);
        (path, wait)
    }

    /// Remembers what the unit had done when `id` was queued, to tell later what it waited for.
    pub(super) fn snapshot(&mut self, id: OpId) {
        let op = &self.ops[id.index()];
        let unit = &self.units[op.spec.unit as usize];
        let mut busy = [0; CAUSES + 1];
        busy[..CAUSES].copy_from_slice(&unit.busy_ns);
        if !unit.current.is_none() {
            // The part of the running operation that is over is not waited for.
            let cause = self.ops[unit.current.index()].spec.cause as usize;
            busy[cause] += self.now_ns - unit.started_ns;
        }
        busy[WAIT_CHANNEL] = unit.wished_ns;
        if unit.wishes {
            busy[WAIT_CHANNEL] += self.now_ns - unit.wish_ns;
        }
        let index = self.snapshots.insert(busy);
        self.ops[id.index()].snapshot = index;
    }

    /// Another operation than the one that found the unit idle starts first, after `channel_ns` of
    /// waiting for the channel: what the unit had done until then is what it had done by then.
    #[cold]
    pub(super) fn snapshot_first(&mut self, first: OpId, channel_ns: u64) {
        self.snapshot(first);
        let index = self.ops[first.index()].snapshot;
        self.snapshots[index as usize][WAIT_CHANNEL] -= channel_ns;
    }

    /// The waiting on an operation's path so far, to add to.
    pub(super) fn path_wait(&mut self, id: OpId) -> &mut WaitTime {
        if self.ops[id.index()].path_wait == 0 {
            self.ops[id.index()].path_wait = self.waits.insert([0; WAIT_KINDS]);
        }
        &mut self.waits[self.ops[id.index()].path_wait as usize]
    }

    /// Books the time `id` waited before it starts now; `channel_ns` of it for the channel if it
    /// found the unit idle.
    pub(super) fn book_wait(&mut self, id: OpId, channel_ns: u64) {
        let op = &self.ops[id.index()];
        let mut left = self.now_ns - op.queued_ns;
        if left == 0 || op.spec.request.is_none() {
            return self.drop_snapshot(id);
        }
        let mut wait = if op.path_wait == 0 { [0; WAIT_KINDS] } else { self.waits[op.path_wait as usize] };
        if op.snapshot != 0 {
            let before = &self.snapshots[op.snapshot as usize];
            let unit = &self.units[op.spec.unit as usize];
            let done = unit.busy_ns.iter().chain([&unit.wished_ns]);
            for (kind, (ns, before_ns)) in done.zip(before).enumerate() {
                let ns = ns.saturating_sub(*before_ns).min(left);
                wait[kind] += ns;
                left -= ns;
            }
        } else {
            let ns = channel_ns.min(left);
            wait[WAIT_CHANNEL] += ns;
            left -= ns;
        }
        wait[WAIT_ORDER] += left;
        self.drop_snapshot(id);
        let index = match self.ops[id.index()].path_wait {
            0 => self.waits.insert(wait),
            index => {
                self.waits[index as usize] = wait;
                index
            }
        };
        self.ops[id.index()].path_wait = index;
    }

    fn drop_snapshot(&mut self, id: OpId) {
        let index = std::mem::take(&mut self.ops[id.index()].snapshot);
        if index != 0 {
            self.snapshots.remove(index);
        }
    }

    /// Hands the path of a finished read on to the operation of the same request that waited for it.
    pub(super) fn pass_path(&mut self, from: OpId, to: OpId) {
        let Op { path_array_ns, path_bus_ns, path_wait, .. } = self.ops[from.index()];
        let old = self.ops[to.index()].path_wait;
        if old != 0 {
            self.waits.remove(old);
        }
        let copy = if path_wait == 0 { 0 } else { self.waits.insert(self.waits[path_wait as usize]) };
        let target = &mut self.ops[to.index()];
        target.path_array_ns = path_array_ns;
        target.path_bus_ns = path_bus_ns;
        target.path_wait = copy;
        // The path explains everything until now.
        target.queued_ns = self.now_ns;
    }

    /// Makes one more request wait for `id`, a joint operation that is not queued yet.
    pub fn join_request(&mut self, id: OpId, request: RequestId) {
        self.hold_request(request);
        self.set_resting(id, false);
        let op = &mut self.ops[id.index()];
        if op.spec.request.is_none() {
            op.spec.request = request;
            op.spec.counts = true;
        } else {
            self.add_waiter(id, Waiter::Request(request));
        }
    }

    /// Gives `token` back, between the requests that finish, when `id` is complete.
    pub fn notify(&mut self, id: OpId, token: u32) {
        self.notices += 1;
        self.ops[id.index()].spec.counts = true;
        self.add_waiter(id, Waiter::Notice(token));
    }

    fn add_waiter(&mut self, id: OpId, waiter: Waiter) {
        let link = self.more_waiters.insert((waiter, self.ops[id.index()].more_waiters));
        self.ops[id.index()].more_waiters = link;
    }

    /// Books a finished operation with its requests: the one that finishes last is the critical one.
    pub(super) fn finish_for_requests(&mut self, id: OpId) {
        let op = &mut self.ops[id.index()];
        let mut link = op.more_waiters;
        let wait = std::mem::take(&mut op.path_wait);
        let (request, array_ns, bus_ns) = (op.spec.request, op.path_array_ns, op.path_bus_ns);
        let gap = op.gap;
        while link != 0 {
            let (waiter, next) = self.more_waiters[link as usize];
            self.more_waiters.remove(link);
            match waiter {
                Waiter::Request(request) => {
                    let copy = if wait == 0 { 0 } else { self.waits.insert(self.waits[wait as usize]) };
                    self.finish_for_request(request, array_ns, bus_ns, copy, gap);
                }
                Waiter::Notice(_) => {
                    self.notices -= 1;
                    self.finished.push(waiter);
                }
            }
            link = next;
        }
        if !request.is_none() {
            self.finish_for_request(request, array_ns, bus_ns, wait, gap);
        }
    }

    #[inline]
    fn finish_for_request(&mut self, id: RequestId, array_ns: u64, bus_ns: u64, wait: u32, gap: Gap) {
        let path = &mut self.requests[id.index()];
        path.array_ns = array_ns;
        path.bus_ns = bus_ns;
        path.gap = gap;
        let old = std::mem::replace(&mut path.wait, wait);
        if old != 0 {
            self.waits.remove(old);
        }
        self.release_request(id);
    }
}
