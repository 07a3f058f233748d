//! Into the queues of a unit, and out of them.

use super::engine::Timing;
use super::requests::WAIT_SOURCE;
use super::spec::OpId;
use crate::base::op::OpKind;

impl Timing {
    /// Queues what is at hand of a unit, if there is something.
    #[inline(always)]
    pub(super) fn link_pending(&mut self, unit: u32) {
        let id = std::mem::take(&mut self.units[unit as usize].pending);
        if !id.is_none() {
            self.ops.queue(id);
            self.link(id);
        }
    }

    #[inline]
    pub(super) fn enqueue(&mut self, id: OpId) {
        let now_ns = self.clock.now_ns();
        let unit = self.ops[id].unit;
        self.settle(unit);
        // It came first. Only what is linked is marked as queued.
        self.link_pending(unit);
        let op = self.ops.queue(id);
        let waited_ns = now_ns - std::mem::replace(&mut op.queued_ns, now_ns);
        let for_request = !op.request.is_none();
        if op.kind == OpKind::Read {
            let block = op.block;
            self.ops.blocks.begin_reads(block, 1);
        }
        if for_request {
            self.requests.add_wait(&mut self.ops, id, WAIT_SOURCE, waited_ns);
            let u = &mut self.units[unit as usize];
            if !u.current.is_none() || u.queues.mask() != 0 || !u.suspended.is_none() {
                self.snapshot(id);
            } else {
                u.first = id;
            }
        }
        self.link(id);
        self.ready.push(unit);
    }

    /// Queues an operation in its unit.
    #[inline(always)]
    pub(super) fn link(&mut self, id: OpId) {
        let unit = self.ops[id].unit;
        self.units[unit as usize].queues.link(&mut self.ops, id);
    }

    /// Takes an operation off the queue of its unit.
    #[inline(always)]
    pub(super) fn unlink(&mut self, id: OpId) {
        let unit = self.ops[id].unit;
        self.units[unit as usize].queues.unlink(&mut self.ops, id);
    }

    /// Takes the first operation of a class off its queue.
    #[inline(always)]
    pub(super) fn unlink_head(&mut self, unit: u32, class: usize, head: OpId) {
        let next = self.units[unit as usize].queues.unlink_head(&mut self.ops, class, head);
        if !next.is_none() {
            self.fetch_behind(next);
        }
    }

    /// The first operation of a queue, in its order, that may start.
    #[inline]
    pub(super) fn first_startable(&mut self, unit: u32, class: usize) -> OpId {
        self.units[unit as usize].queues.first_startable(&mut self.ops, class)
    }

    /// Whether something that folds waits in `unit`.
    pub fn is_folding(&self, unit: u32) -> bool {
        let u = &self.units[unit as usize];
        let starts = !u.pending.is_none() && u.queues.folds(self.ops[u.pending].cause);
        starts || u.queues.is_folding()
    }

    /// Asks for what the start of `id`, the new head of its queue, will look at, and for the one behind
    /// it: where many wait, they were queued so long ago that they have left the caches.
    #[inline(always)]
    fn fetch_behind(&self, id: OpId) {
        let (op, more) = (&self.ops[id], self.ops.more(id));
        if !op.next.is_none() {
            self.ops.prefetch(op.next);
        }
        self.requests.prefetch(more.before, op.request.0);
    }
}
