//! Requests as the device knows them: begun, joined to operations, told of and let go.

use super::engine::Timing;
use super::ops::COUNTS;
use super::requests::{RequestPath, WaitTime, Waiter};
use super::spec::{OpId, RequestId};
use crate::base::op::Cause;
use crate::base::Gap;

impl Timing {
    /// Registers a request, held once until `release_request`.
    #[inline(always)]
    pub fn add_request(&mut self) -> RequestId {
        self.requests.add()
    }

    /// Says what a request waited for besides operations.
    pub fn set_gap(&mut self, id: RequestId, gap: Gap) {
        self.requests.set_gap(id, gap);
    }

    /// Holds a request once more.
    #[inline(always)]
    pub fn hold_request(&mut self, id: RequestId) {
        self.requests.hold(id);
    }

    /// Takes one hold away; the last one finishes the request.
    #[inline(always)]
    pub fn release_request(&mut self, id: RequestId) {
        self.requests.release(id);
    }

    /// The next finished request, still in the table, or the token of a notice asked for.
    #[inline(always)]
    pub fn take_finished(&mut self) -> Option<Waiter> {
        self.requests.take_finished()
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
        self.requests.remove(id);
    }

    /// The path of a finished request and what it waited for on it, if it did.
    #[inline(always)]
    pub fn path(&self, id: RequestId) -> (&RequestPath, Option<&WaitTime>) {
        self.requests.path(id)
    }

    /// The cause of the operation that a finished request waited for as a source on its path.
    pub fn source(&self, id: RequestId) -> Option<Cause> {
        self.requests.source(id)
    }

    /// Makes one more request wait for `id`, a joinable operation that is not queued yet.
    pub fn join_request(&mut self, id: OpId, request: RequestId) {
        self.set_resting(id, false);
        let op = &mut self.ops[id];
        if op.request.is_none() {
            op.request = request;
            op.set(COUNTS);
            self.requests.note_operation(request, op.unit, true);
        } else {
            self.requests.hold(request);
            self.requests.add_waiter(&mut self.ops, id, Waiter::Request(request));
        }
    }

    /// Has `request`, which is held, hear of it when `id` is complete, which its path says nothing of.
    pub fn notify_held(&mut self, id: OpId, request: RequestId) {
        self.requests.notify(&mut self.ops, id, Waiter::Held(request));
    }

    /// Gives `token` back, between the requests that finish, when `id` is complete.
    pub fn notify(&mut self, id: OpId, token: u32) {
        self.requests.notify(&mut self.ops, id, Waiter::Notice(token));
    }
}
