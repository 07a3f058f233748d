//! Emission, dependencies and the per-unit queues.

use super::op_table::{Op, OpId};
use super::parked::{FIRST_PLACE, PLACE_STEP};
use super::{Timing, WAIT_SOURCE};
use crate::base::op::{Cause, Class, OpKind, CLASSES};
use crate::base::BlockId;

/// How far a multi-plane command looks along its class for operations to take along.
const MATE_WINDOW: usize = 16;

impl Timing {
    /// A new operation, to be described through `op_mut` and then submitted.
    #[inline]
    pub fn begin(&mut self, kind: OpKind, cause: Cause, class: Class, block: BlockId, unit: u32) -> OpId {
        // 0 stands for an operation that is complete.
        self.serial += 1;
        let serial = self.serial;
        let index = self.ops.take();
        let op = &mut self.ops[index as usize];
        *op = Op { kind, cause, class, block, unit, serial, ..Op::BLANK };
        OpId(index)
    }

    /// Emits a described operation; it is queued once its `deps` are met.
    #[inline]
    pub fn submit(&mut self, id: OpId) -> OpId {
        let now_ns = self.now_ns;
        let op = &mut self.ops[id.index()];
        op.queued_ns = now_ns;
        let (unit, kind, block, class, deps) = (op.unit, op.kind, op.block, op.class, op.deps);
        let (counts, request, then) = (op.counts, op.request, op.then);
        self.load_ns[unit as usize] += op.service_ns();
        self.units[unit as usize].outstanding += 1;
        if counts {
            self.hold_request(request);
        }
        if let Some(target) = then {
            self.chain_in_block(id, target.block, class);
        } else if kind != OpKind::Read {
            self.chain_in_block(id, block, class);
        }
        if deps == 0 {
            self.enqueue(id);
        }
        id
    }

    /// Emits a whole operation.
    pub fn emit(&mut self, op: Op) -> OpId {
        let id = self.begin(op.kind, op.cause, op.class, op.block, op.unit);
        let serial = self.serial;
        *self.op_mut(id) = Op { serial, ..op };
        self.submit(id)
    }

    /// Order (a): the operation follows the block's last one, and lends it its class.
    #[inline]
    fn chain_in_block(&mut self, id: OpId, block: BlockId, class: Class) {
        let clock = &mut self.blocks[block.index()];
        if self.ops[id.index()].kind == OpKind::Erase {
            clock.done = 0;
            clock.generation += 1;
        }
        self.ops[id.index()].generation = clock.generation;
        let prev = OpId(std::mem::replace(&mut clock.last, id.0));
        if !prev.is_none() {
            self.ops[id.index()].block_prev = prev;
            self.ops[prev.index()].block_next = id;
            if self.ops[prev.index()].class > class {
                self.raise(prev, class);
            }
        }
    }

    /// Makes `then` wait for `first`; `then` must have counted this in its `deps`.
    #[inline]
    pub fn wake(&mut self, first: OpId, then: OpId) {
        debug_assert!(!first.is_none() && !then.is_none());
        let op = &mut self.ops[first.index()];
        if op.wakes.is_none() {
            op.wakes = then;
        } else {
            let link = self.op_links.insert((then, op.more_wakes));
            self.ops[first.index()].more_wakes = link;
        }
        let serial = self.ops[first.index()].serial;
        let link = self.source_links.insert((first, serial, self.ops[then.index()].sources));
        self.ops[then.index()].sources = link;
    }

    /// Adds one to what `id`, not yet queued, waits for.
    #[inline]
    pub fn add_dep(&mut self, id: OpId) {
        debug_assert!(!id.is_none() && !self.ops[id.index()].queued);
        self.ops[id.index()].deps += 1;
    }

    /// Takes one away from what `id` waits for; the last one queues it.
    #[inline]
    pub fn release(&mut self, id: OpId) {
        debug_assert!(!id.is_none());
        let op = &mut self.ops[id.index()];
        op.deps -= 1;
        if op.deps == 0 {
            self.enqueue(id);
        }
    }

    /// Says whether `id`, staged and not yet queued, waits for nothing but further pages: its unit is
    /// idle meanwhile. It need not be, as pages may never come unless idle work brings them.
    pub fn set_resting(&mut self, id: OpId, resting: bool) {
        let op = &mut self.ops[id.index()];
        let before = std::mem::replace(&mut op.resting, resting);
        let unit = &mut self.units[op.unit as usize];
        unit.resting = unit.resting + u32::from(resting) - u32::from(before);
    }

    /// Lengthens the transfer of `id`, not yet queued.
    pub fn add_transfer(&mut self, id: OpId, ns: u32) {
        let op = &mut self.ops[id.index()];
        op.in_ns += ns;
        self.load_ns[op.unit as usize] += u64::from(ns);
    }

    /// An operation in flight, to complete its description before it is queued.
    #[inline]
    pub fn op_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id.index()]
    }

    /// Order (c): raises an operation and everything it waits for to at least `class`. Those that
    /// are queued join the new class in the order of their emission.
    pub fn raise(&mut self, id: OpId, class: Class) {
        let mut work = vec![id];
        let mut queued = Vec::new();
        while let Some(id) = work.pop() {
            let op = &self.ops[id.index()];
            if op.class <= class {
                continue;
            }
            if op.queued {
                queued.push((op.serial, id));
            }
            if !op.block_prev.is_none() {
                work.push(op.block_prev);
            }
            if op.deps > 0 {
                self.add_waited_for(id, &mut work);
            }
            if op.queued {
                self.unlink(id);
            }
            let op = &mut self.ops[id.index()];
            op.queued = false;
            op.class = class;
        }
        queued.sort_unstable_by_key(|&(serial, _)| serial);
        for (_, id) in queued {
            self.ops[id.index()].queued = true;
            self.link(id);
            self.ready.push(self.ops[id.index()].unit);
        }
    }

    /// Adds the operations in flight that `id` waits for.
    fn add_waited_for(&self, id: OpId, work: &mut Vec<OpId>) {
        let mut link = self.ops[id.index()].sources;
        while link != 0 {
            let (source, serial, next) = self.source_links[link as usize];
            // A source may be complete and its number in use again.
            if self.is_in_flight(source, serial) {
                work.push(source);
            }
            link = next;
        }
    }

    #[inline]
    fn enqueue(&mut self, id: OpId) {
        let now_ns = self.now_ns;
        self.forget_sources(id);
        let op = &mut self.ops[id.index()];
        let waited_ns = now_ns - std::mem::replace(&mut op.queued_ns, now_ns);
        op.queued = true;
        let (unit, for_request) = (op.unit, !op.request.is_none());
        if op.kind == OpKind::Read {
            self.blocks[op.block.index()].reads += 1;
        }
        if for_request {
            if waited_ns > 0 {
                self.path_wait(id)[WAIT_SOURCE] += waited_ns;
            }
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

    #[inline]
    fn forget_sources(&mut self, id: OpId) {
        let mut link = std::mem::take(&mut self.ops[id.index()].sources);
        while link != 0 {
            let (_, _, next) = self.source_links[link as usize];
            self.source_links.remove(link);
            link = next;
        }
    }

    /// Queues an operation last in its class, but before the one of its block that waits for it:
    /// the queue's front stays startable, however long the queue.
    #[inline]
    fn link(&mut self, id: OpId) {
        let op = &self.ops[id.index()];
        let follower = op.block_next;
        if !follower.is_none() {
            let next = &self.ops[follower.index()];
            if next.queued && next.class == op.class {
                return self.link_before(id, follower);
            }
        }
        let class = op.class as usize;
        let unit = &mut self.units[op.unit as usize];
        let tail = std::mem::replace(&mut unit.tail[class], id);
        let has_parked = unit.parked >> class & 1 == 1;
        let place = if tail.is_none() {
            unit.head[class] = id;
            unit.mask |= 1 << class;
            FIRST_PLACE
        } else {
            let last = &mut self.ops[tail.index()];
            last.next = id;
            last.place + PLACE_STEP
        };
        let op = &mut self.ops[id.index()];
        op.prev = tail;
        op.next = OpId::NONE;
        op.place = place;
        if has_parked {
            self.linked_near_parked(id, OpId::NONE);
        }
    }

    fn link_before(&mut self, id: OpId, follower: OpId) {
        let next = &mut self.ops[follower.index()];
        let prev = std::mem::replace(&mut next.prev, id);
        // Nothing else is ever put right before the follower: the place is free.
        let place = next.place - 1;
        debug_assert!(prev.is_none() || self.ops[prev.index()].place < place);
        let op = &mut self.ops[id.index()];
        op.prev = prev;
        op.next = follower;
        op.place = place;
        let (unit, class) = (op.unit as usize, op.class as usize);
        if prev.is_none() {
            self.units[unit].head[class] = id;
        } else {
            self.ops[prev.index()].next = id;
        }
        if self.units[unit].parked >> class & 1 == 1 {
            self.linked_near_parked(id, follower);
        }
    }

    /// Puts the second half of a move at the front of its class.
    #[inline]
    pub(super) fn link_front(&mut self, id: OpId) {
        let op = &self.ops[id.index()];
        let class = op.class as usize;
        let unit = &mut self.units[op.unit as usize];
        let head = std::mem::replace(&mut unit.head[class], id);
        let has_parked = unit.parked >> class & 1 == 1;
        let place = if head.is_none() {
            unit.tail[class] = id;
            unit.mask |= 1 << class;
            FIRST_PLACE
        } else {
            let first = &mut self.ops[head.index()];
            first.prev = id;
            first.place - PLACE_STEP
        };
        let op = &mut self.ops[id.index()];
        op.prev = OpId::NONE;
        op.next = head;
        op.queued = true;
        op.place = place;
        if has_parked {
            self.linked_near_parked(id, head);
        }
    }

    /// Takes the first operation of a class off its queue.
    #[inline]
    fn unlink_head(&mut self, unit: u32, class: usize, head: OpId) {
        let next = self.ops[head.index()].next;
        let u = &mut self.units[unit as usize];
        u.head[class] = next;
        if next.is_none() {
            u.tail[class] = OpId::NONE;
            u.mask &= !(1 << class);
        } else {
            self.ops[next.index()].prev = OpId::NONE;
        }
        if self.units[unit as usize].parked >> class & 1 == 1 {
            self.unlinked_near_parked(head);
        }
    }

    #[inline]
    fn unlink(&mut self, id: OpId) {
        let Op { prev, next, class, unit, .. } = self.ops[id.index()];
        let class = class as usize;
        if prev.is_none() {
            self.units[unit as usize].head[class] = next;
        } else {
            self.ops[prev.index()].next = next;
        }
        if next.is_none() {
            self.units[unit as usize].tail[class] = prev;
        } else {
            self.ops[next.index()].prev = prev;
        }
        let unit = &mut self.units[unit as usize];
        if unit.head[class].is_none() {
            unit.mask &= !(1 << class);
        }
        if unit.parked >> class & 1 == 1 {
            self.unlinked_near_parked(id);
        }
    }

    /// Takes the operation that the unit should start now off its queue.
    #[inline]
    pub(super) fn pick(&mut self, unit: u32) -> OpId {
        let u = &self.units[unit as usize];
        let mut mask = u.mask;
        if !u.suspended.is_none() {
            mask &= 1 << Class::HostRead as u8;
        }
        if self.starvation_ns > 0 && mask >> Class::Run as u8 & 1 == 0 {
            let starved = self.pick_starved(unit, mask);
            if !starved.is_none() {
                return starved;
            }
        }
        while mask != 0 {
            let class = mask.trailing_zeros() as usize;
            let head = self.units[unit as usize].head[class];
            if self.startable(head) {
                self.unlink_head(unit, class, head);
                return head;
            }
            let id = self.first_startable(unit, class);
            if !id.is_none() {
                self.unlink(id);
                return id;
            }
            mask &= mask - 1;
        }
        OpId::NONE
    }

    fn pick_starved(&mut self, unit: u32, mask: u8) -> OpId {
        for class in (1..CLASSES).rev().filter(|&c| mask >> c & 1 == 1) {
            let id = self.first_startable(unit, class);
            if !id.is_none() && self.now_ns - self.ops[id.index()].queued_ns >= self.starvation_ns {
                self.unlink(id);
                return id;
            }
        }
        OpId::NONE
    }

    /// Whether nothing keeps a queued operation from starting: the orders (a) and (b).
    #[inline(always)]
    pub(super) fn startable(&self, id: OpId) -> bool {
        let op = &self.ops[id.index()];
        match op.kind {
            OpKind::Read => true,
            OpKind::Program | OpKind::Reprogram => op.block_prev.is_none(),
            OpKind::Erase => op.block_prev.is_none() && self.blocks[op.block.index()].reads == 0,
        }
    }

    /// Chains to `first`, taken off the queue, what a multi-plane command takes along.
    pub(super) fn take_mates(&mut self, unit: u32, first: OpId) {
        self.ops[first.index()].next = OpId::NONE;
        let Op { kind, page, class, plane_in_die, pages, .. } = self.ops[first.index()];
        let mut planes = 1u32 << plane_in_die;
        let mut last = first;
        let mut id = self.units[unit as usize].head[class as usize];
        for _ in 0..MATE_WINDOW {
            if id.is_none() {
                break;
            }
            let op = &self.ops[id.index()];
            let next = op.next;
            let fits = op.kind == kind
                && op.page == page
                && op.pages == pages
                && planes >> op.plane_in_die & 1 == 0
                && self.startable(id);
            if fits {
                planes |= 1 << op.plane_in_die;
                self.unlink(id);
                self.ops[id.index()].next = OpId::NONE;
                self.ops[last.index()].next = id;
                last = id;
            }
            id = next;
        }
    }
}
