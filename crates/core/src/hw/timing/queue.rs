//! The queues of the units: one per class.

use super::attribution::WAIT_SOURCE;
use super::engine::Timing;
use super::ids::OpId;
use super::ops::{Op, FOLLOWS, QUEUED};
use super::parked::{FIRST_PLACE, PLACE_STEP};
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
            self.add_wait(id, WAIT_SOURCE, waited_ns);
            let u = &mut self.units[unit as usize];
            if !u.current.is_none() || u.mask != 0 || !u.suspended.is_none() {
                self.snapshot(id);
            } else {
                u.first = id;
            }
        }
        self.link(id);
        self.ready.push(unit);
    }

    /// Queues an operation last in its class, but before the one of its block that waits for it:
    /// the queue's front stays startable, however long the queue.
    #[inline(always)]
    pub(super) fn link(&mut self, id: OpId) {
        let op = &self.ops[id];
        if self.folds(op.unit, op.cause) {
            self.fold_linked(id);
        }
        let op = &self.ops[id];
        let follower = op.block_next;
        if !follower.is_none() {
            let next = &self.ops[follower];
            if next.has(QUEUED) && next.class == op.class {
                return self.link_before(id, follower);
            }
        }
        let (class, plane) = (op.class as usize, op.plane_in_die);
        let unit = &mut self.units[op.unit as usize];
        let tail = std::mem::replace(&mut unit.tail[class], id);
        let has_parked = unit.parked >> class & 1 == 1;
        let place = if tail.is_none() {
            unit.head[class] = id;
            unit.mask |= 1 << class;
            unit.plane[class] = plane;
            FIRST_PLACE
        } else {
            unit.join_planes(class, plane);
            self.ops[tail].next = id;
            self.ops.more(tail).place + PLACE_STEP
        };
        let (op, more) = self.ops.both_mut(id);
        op.next = OpId::NONE;
        (more.prev, more.place) = (tail, place);
        if has_parked {
            self.linked_near_parked(id, OpId::NONE);
        }
    }

    fn link_before(&mut self, id: OpId, follower: OpId) {
        let next = self.ops.more_mut(follower);
        let prev = std::mem::replace(&mut next.prev, id);
        // Nothing else is ever put right before the follower: the place is free.
        let place = next.place - 1;
        debug_assert!(prev.is_none() || self.ops.more(prev).place < place);
        let (op, more) = self.ops.both_mut(id);
        op.next = follower;
        (more.prev, more.place) = (prev, place);
        let (unit, class) = (op.unit as usize, op.class as usize);
        self.units[unit].join_planes(class, op.plane_in_die);
        if prev.is_none() {
            self.units[unit].head[class] = id;
        } else {
            self.ops[prev].next = id;
        }
        if self.units[unit].parked >> class & 1 == 1 {
            self.linked_near_parked(id, follower);
        }
        if self.units[unit].has_window(class) {
            self.linked_in_window(unit as u32, class, follower);
        }
    }

    /// Puts the second half of a move at the front of its class.
    #[inline]
    pub(super) fn link_front(&mut self, id: OpId) {
        let op = &self.ops[id];
        if self.folds(op.unit, op.cause) {
            self.fold_linked(id);
        }
        let op = &self.ops[id];
        let (class, plane) = (op.class as usize, op.plane_in_die);
        let unit = &mut self.units[op.unit as usize];
        let head = std::mem::replace(&mut unit.head[class], id);
        let has_parked = unit.parked >> class & 1 == 1;
        let place = if head.is_none() {
            unit.tail[class] = id;
            unit.mask |= 1 << class;
            unit.plane[class] = plane;
            FIRST_PLACE
        } else {
            unit.join_planes(class, plane);
            let first = self.ops.more_mut(head);
            first.prev = id;
            first.place - PLACE_STEP
        };
        self.ops.queue(id).next = head;
        let more = self.ops.more_mut(id);
        (more.prev, more.place) = (OpId::NONE, place);
        let unit = self.ops[id].unit;
        if has_parked {
            self.linked_near_parked(id, head);
        }
        if self.units[unit as usize].has_window(class) {
            self.linked_in_window(unit, class, head);
        }
    }

    /// Queues `id` right before `next`, of which it was a part.
    pub(super) fn link_part(&mut self, id: OpId, next: OpId) {
        let behind = self.ops.more_mut(next);
        let (prev, place, was_parked) =
            (std::mem::replace(&mut behind.prev, id), behind.place, behind.parked);
        behind.place += 2;
        let (op, more) = self.ops.both_mut(id);
        op.next = next;
        (more.prev, more.place) = (prev, place);
        let (unit, class) = (op.unit as usize, op.class as usize);
        if prev.is_none() {
            self.units[unit].head[class] = id;
        } else {
            self.ops[prev].next = id;
        }
        if self.units[unit].parked >> class & 1 == 1 {
            self.linked_near_parked(id, next);
            if was_parked {
                self.wake_parked(next);
            }
        }
        if self.units[unit].has_window(class) {
            self.linked_in_window(unit as u32, class, next);
        }
    }

    /// Takes the first operation of a class off its queue.
    #[inline(always)]
    pub(super) fn unlink_head(&mut self, unit: u32, class: usize, head: OpId) {
        let Op { next, cause, .. } = self.ops[head];
        if self.folds(unit, cause) {
            self.fold_unlinked(head);
        }
        let u = &mut self.units[unit as usize];
        u.head[class] = next;
        if next.is_none() {
            u.tail[class] = OpId::NONE;
            u.mask &= !(1 << class);
        } else {
            self.ops.more_mut(next).prev = OpId::NONE;
            self.fetch_behind(next);
        }
        if self.units[unit as usize].parked >> class & 1 == 1 {
            self.unlinked_near_parked(head);
        }
        if self.units[unit as usize].has_window(class) {
            self.unlinked_first(unit, class);
        }
    }

    /// Asks for what the start of `id`, the new head of its queue, will look at, and for the one behind
    /// it: where many wait, they were queued so long ago that they have left the caches.
    #[inline(always)]
    fn fetch_behind(&self, id: OpId) {
        let (op, more) = (&self.ops[id], self.ops.more(id));
        if !op.next.is_none() {
            self.ops.prefetch(op.next);
        }
        self.snapshots.prefetch(more.before);
        self.requests.prefetch(op.request.0);
    }

    #[inline]
    pub(super) fn unlink(&mut self, id: OpId) {
        let Op { next, class, unit, cause, .. } = self.ops[id];
        if self.folds(unit, cause) {
            self.fold_unlinked(id);
        }
        let prev = self.ops.more(id).prev;
        let class = class as usize;
        if prev.is_none() {
            self.units[unit as usize].head[class] = next;
        } else {
            self.ops[prev].next = next;
        }
        if next.is_none() {
            self.units[unit as usize].tail[class] = prev;
        } else {
            self.ops.more_mut(next).prev = prev;
        }
        let u = &mut self.units[unit as usize];
        if u.head[class].is_none() {
            u.mask &= !(1 << class);
        }
        let has_window = u.has_window(class);
        if u.parked >> class & 1 == 1 {
            self.unlinked_near_parked(id);
        }
        if has_window {
            self.unlinked_in_window(unit, class, id);
        }
    }

    /// Whether nothing keeps a queued operation from starting: the orders (a) and (b).
    #[inline(always)]
    pub(super) fn startable(&self, id: OpId) -> bool {
        let op = &self.ops[id];
        match op.kind {
            OpKind::Read => true,
            OpKind::Program | OpKind::Reprogram | OpKind::CopyBack => !op.has(FOLLOWS),
            OpKind::Erase => !op.has(FOLLOWS) && !self.ops.blocks.is_read(op.block),
        }
    }
}
