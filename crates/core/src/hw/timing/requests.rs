//! Requests in flight, and who hears of the end of an operation.

use super::attribution::WaitTime;
use super::engine::Timing;
use super::ids::{OpId, RequestId};
use super::ops::{COUNTS, JOINT, PATH, WAITERS};
use crate::base::Gap;

/// Who waits for an operation or hears that it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// A request, which has waited for all its operations when it is finished.
    Request(RequestId),
    /// Whoever knows this token.
    Notice(u32),
    /// Whoever knows the token of this operation of the disk.
    Disk(u32),
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
    /// The units of its operations: bit by number, and again from the 64th.
    units: u64,
    /// What its operations do on units where it has several (list of accounts, 0 = none).
    pub(super) accounts: u32,
    /// What it waited for before that path.
    pub gap: Gap,
}

impl RequestPath {
    /// Notes an operation on `unit`; says whether there may be another.
    #[inline(always)]
    pub(super) fn visit(&mut self, unit: u32) -> bool {
        let bit = 1 << (unit % u64::BITS);
        let again = self.units & bit != 0;
        self.units |= bit;
        again
    }
}

impl Timing {
    /// Registers a request, held once until `release_request`.
    #[inline(always)]
    pub fn add_request(&mut self) -> RequestId {
        RequestId(self.requests.insert(RequestPath { remaining: 1, ..RequestPath::default() }))
    }

    /// Says what a request waited for besides operations.
    pub fn set_gap(&mut self, id: RequestId, gap: Gap) {
        self.requests[id.index()].gap = gap;
    }

    /// Whether it has several operations on one unit.
    #[inline(always)]
    pub(super) fn has_accounts(&self, id: RequestId) -> bool {
        self.requests[id.index()].accounts != 0
    }

    /// Holds a request once more.
    #[inline(always)]
    pub fn hold_request(&mut self, id: RequestId) {
        self.requests[id.index()].remaining += 1;
    }

    /// Takes one hold away; the last one finishes the request.
    #[inline(always)]
    pub fn release_request(&mut self, id: RequestId) {
        let request = &mut self.requests[id.index()];
        request.remaining -= 1;
        if request.remaining == 0 {
            self.finished.push(Waiter::Request(id));
        }
    }

    /// The next finished request, still in the table, or the token of a notice asked for.
    #[inline(always)]
    pub fn take_finished(&mut self) -> Option<Waiter> {
        self.finished.pop()
    }

    /// The request of the operation whose phase ends next, if it is one of a unit.
    #[inline(always)]
    pub fn next_request(&self) -> RequestId {
        match self.clock.first_unit() {
            Some(unit) => self.ops[self.units[unit as usize].current].request,
            None => RequestId::NONE,
        }
    }

    /// Forgets a finished request.
    #[inline(always)]
    pub fn remove_request(&mut self, id: RequestId) {
        let RequestPath { wait, accounts, .. } = self.requests[id.index()];
        if wait != 0 {
            self.paths.remove(wait);
        }
        if accounts != 0 {
            self.close_accounts(accounts);
        }
        self.requests.remove(id.0);
    }

    /// The path of a finished request and what it waited for on it, if it did.
    #[inline(always)]
    pub fn path(&self, id: RequestId) -> (&RequestPath, Option<&WaitTime>) {
        let path = &self.requests[id.index()];
        let wait = (path.wait != 0).then(|| self.wait_on(path.wait));
        (path, wait)
    }

    /// Makes one more request wait for `id`, a joint operation that is not queued yet.
    pub fn join_request(&mut self, id: OpId, request: RequestId) {
        self.hold_request(request);
        self.set_resting(id, false);
        let op = &mut self.ops[id];
        if op.request.is_none() {
            op.request = request;
            op.set(COUNTS);
            let unit = op.unit;
            self.note_unit(request, unit);
        } else {
            self.add_waiter(id, Waiter::Request(request));
        }
    }

    /// Gives `token` back, between the requests that finish, when `id` is complete.
    pub fn notify(&mut self, id: OpId, token: u32) {
        self.notices += 1;
        self.ops[id].set(COUNTS);
        self.add_waiter(id, Waiter::Notice(token));
    }

    fn add_waiter(&mut self, id: OpId, waiter: Waiter) {
        let (op, more) = self.ops.both_mut(id);
        if !op.has(WAITERS) {
            op.set(WAITERS);
            more.waiters = 0;
        }
        more.waiters = self.more_waiters.insert((waiter, more.waiters));
    }

    /// Books a finished operation with its requests: the one that finishes last is the critical one.
    pub(super) fn finish_for_requests(&mut self, id: OpId) {
        let (array_ns, bus_ns) = self.path_times(id);
        let (op, more) = self.ops.both_mut(id);
        let request = op.request;
        let gap = if op.has(JOINT) { more.gap } else { Gap::None };
        let mut link = if op.has(WAITERS) { more.waiters } else { 0 };
        let wait = if op.has(PATH) { more.path } else { 0 };
        op.clear(PATH);
        while link != 0 {
            let (waiter, next) = self.more_waiters[link as usize];
            self.more_waiters.remove(link);
            match waiter {
                Waiter::Request(request) => {
                    let copy = if wait == 0 { 0 } else { self.paths.insert(self.paths[wait as usize]) };
                    self.finish_for_request(request, array_ns, bus_ns, copy, gap);
                }
                Waiter::Notice(_) | Waiter::Disk(_) => {
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

    #[inline(always)]
    pub(super) fn finish_for_request(
        &mut self,
        id: RequestId,
        array_ns: u64,
        bus_ns: u64,
        wait: u32,
        gap: Gap,
    ) {
        let path = &mut self.requests[id.index()];
        path.array_ns = array_ns;
        path.bus_ns = bus_ns;
        path.gap = gap;
        let old = std::mem::replace(&mut path.wait, wait);
        path.remaining -= 1;
        if path.remaining == 0 {
            self.finished.push(Waiter::Request(id));
        }
        if old != 0 {
            self.paths.remove(old);
        }
    }
}
