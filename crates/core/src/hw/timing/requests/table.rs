//! Requests in flight, and who hears of the end of an operation.

use super::super::ops::{Ops, COUNTS, JOINABLE, PATH, WAITERS};
use super::super::spec::{OpId, RequestId};
use super::waits::{Own, Path, Snapshot, WaitTime};
use crate::base::op::Cause;
use crate::base::room::Room;
use crate::base::slab::Slab;
use crate::base::Gap;
use std::collections::TryReserveError;

/// Who waits for an operation or hears that it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// A request, which has waited for all its operations when it is finished.
    Request(RequestId),
    /// Whoever knows this token.
    Notice(u32),
    /// A request that is held until then, besides what it has operations for.
    Held(RequestId),
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
    /// Notes an operation on `unit`, for which the request waits if that `counts`; says whether there may be
    /// another there.
    #[inline(always)]
    pub(super) fn join(&mut self, unit: u32, counts: bool) -> bool {
        self.remaining += u32::from(counts);
        let bit = 1 << (unit % u64::BITS);
        let again = self.units & bit != 0;
        self.units |= bit;
        again
    }
}

/// The requests in flight, and what is kept of what they wait for.
#[derive(Clone)]
pub struct Requests {
    pub(super) table: Slab<RequestPath>,
    /// Whoever else hears of the end of operations.
    more_waiters: Slab<(Waiter, u32)>,
    /// Notices asked for and not given yet.
    notices: u32,
    /// What is complete, and who has to hear of it.
    finished: Vec<Waiter>,
    /// What units had done when operations were queued.
    pub(super) snapshots: Slab<Snapshot>,
    /// Paths of operations and requests that waited.
    pub(super) paths: Slab<Path>,
    /// What operations of one request do on one unit.
    pub(super) accounts: Slab<Own>,
    /// Whether any read was repeated yet.
    pub(super) repeats: bool,
}

impl Requests {
    pub fn new() -> Self {
        Self {
            table: Slab::new(RequestPath::default()),
            more_waiters: Slab::new((Waiter::Request(RequestId::NONE), 0)),
            notices: 0,
            finished: Vec::new(),
            snapshots: Slab::new(Snapshot::default()),
            paths: Slab::new(Path::default()),
            accounts: Slab::new(Own::default()),
            repeats: false,
        }
    }

    /// Makes room for more.
    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.more_waiters.make_room()?;
        self.snapshots.make_room()?;
        self.paths.make_room()?;
        self.table.make_room()?;
        self.accounts.make_room()
    }

    /// Registers a request, held once until `release_request`.
    #[inline(always)]
    pub fn add(&mut self) -> RequestId {
        RequestId(self.table.insert(RequestPath { remaining: 1, ..RequestPath::default() }))
    }

    /// Whether any read was repeated yet.
    #[inline(always)]
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// Says what a request waited for besides operations.
    pub fn set_gap(&mut self, id: RequestId, gap: Gap) {
        self.table[id.index()].gap = gap;
    }

    /// Whether it has several operations on one unit.
    #[inline(always)]
    pub fn has_accounts(&self, id: RequestId) -> bool {
        self.table[id.index()].accounts != 0
    }

    /// Holds a request once more.
    #[inline(always)]
    pub fn hold(&mut self, id: RequestId) {
        self.table[id.index()].remaining += 1;
    }

    /// Takes one hold away; the last one finishes the request.
    #[inline(always)]
    pub fn release(&mut self, id: RequestId) {
        let request = &mut self.table[id.index()];
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

    #[inline(always)]
    pub fn remove(&mut self, id: RequestId) {
        let RequestPath { wait, accounts, .. } = self.table[id.index()];
        if wait != 0 {
            self.paths.remove(wait);
        }
        if accounts != 0 {
            self.close_accounts(accounts);
        }
        self.table.remove(id.0);
    }

    /// The path of a finished request and what it waited for on it, if it did.
    #[inline(always)]
    pub fn path(&self, id: RequestId) -> (&RequestPath, Option<&WaitTime>) {
        let path = &self.table[id.index()];
        let wait = (path.wait != 0).then(|| self.wait_on(path.wait));
        (path, wait)
    }

    /// The cause of the operation that a finished request waited for as a source on its path.
    pub fn source(&self, id: RequestId) -> Option<Cause> {
        self.paths[self.table[id.index()].wait as usize].source
    }

    /// Whether there are neither requests nor notices that were asked for and not given.
    pub fn is_idle(&self) -> bool {
        self.table.is_empty() && self.notices == 0
    }

    /// Counts requests from 1 again, if there are none.
    pub fn begin_anew(&mut self) {
        if self.table.is_empty() {
            self.table.begin_anew();
        }
    }

    /// Whether something is complete of which nobody has heard.
    #[inline(always)]
    pub fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Gives `notice` back, between the requests that finish, when `id` is complete.
    pub fn notify(&mut self, ops: &mut Ops, id: OpId, notice: Waiter) {
        self.notices += 1;
        ops[id].set(COUNTS);
        self.add_waiter(ops, id, notice);
    }

    /// An operation of the disk is ordered, whose token is given back.
    pub fn expect_disk(&mut self) {
        self.notices += 1;
    }

    /// The disk has served an operation.
    pub fn finish_disk(&mut self, token: u32) {
        self.finished.push(Waiter::Disk(token));
        self.notices -= 1;
    }

    /// Has one more hear of the end of `id`.
    pub fn add_waiter(&mut self, ops: &mut Ops, id: OpId, waiter: Waiter) {
        let (op, more) = ops.both_mut(id);
        if !op.has(WAITERS) {
            op.set(WAITERS);
            more.waiters = 0;
        }
        more.waiters = self.more_waiters.insert((waiter, more.waiters));
    }

    /// Books a finished operation with its requests: the one that finishes last is the critical one.
    pub fn finish_for_requests(&mut self, ops: &mut Ops, id: OpId) {
        let (array_ns, bus_ns) = self.path_times(ops, id);
        let (op, more) = ops.both_mut(id);
        let request = op.request;
        let gap = if op.has(JOINABLE) { more.gap } else { Gap::None };
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
                Waiter::Notice(_) | Waiter::Held(_) | Waiter::Disk(_) => {
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
    pub fn finish_for_request(&mut self, id: RequestId, array_ns: u64, bus_ns: u64, wait: u32, gap: Gap) {
        let path = &mut self.table[id.index()];
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
