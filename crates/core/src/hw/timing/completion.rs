//! The end of operations: what it means to their block, to those that wait and to their requests.

use super::engine::Timing;
use super::ops::{Op, COUNTS, FOLLOWS, JOINABLE, MOVES, PATH, WAITERS};
use super::spec::OpId;
use super::unit::UnitPhase;
use crate::base::op::OpKind;
use crate::base::Gap;

impl Timing {
    #[inline(always)]
    pub(super) fn complete(&mut self, unit: u32) {
        let op = &self.ops[self.units[unit as usize].current];
        if self.requests.has_accounts(op.request) || !op.next.is_none() {
            self.count_own(unit);
        }
        if self.logged.is_some() {
            self.log_command(unit);
        }
        let u = &mut self.units[unit as usize];
        let id = std::mem::take(&mut u.current);
        u.phase = UnitPhase::Idle;
        self.ended_ns = self.clock.now_ns();
        let op = &self.ops[id];
        u.busy_ns[op.cause as usize] += self.clock.now_ns() - u.started_ns;
        if op.next.is_none() && !op.has(MOVES) {
            self.finish(unit, id);
        } else {
            self.complete_all(unit, id);
        }
        let u = &self.units[unit as usize];
        if u.queues.mask() != 0 || !u.suspended.is_none() {
            self.ready.push(unit);
        } else if u.idle_planes != 0 {
            self.arm_idle(unit);
        }
    }

    /// Completes the operations of one command, of which some may be the reads of moves.
    fn complete_all(&mut self, unit: u32, mut id: OpId) {
        while !id.is_none() {
            let next = self.ops[id].next;
            if self.ops[id].has(MOVES) {
                self.turn_into_program(id);
                self.units[unit as usize].queues.link_front(&mut self.ops, id);
            } else {
                self.finish(unit, id);
            }
            id = next;
        }
    }

    #[inline(always)]
    fn finish(&mut self, unit: u32, id: OpId) {
        let op = &self.ops[id];
        let Op { request, wakes, .. } = *op;
        let (own_ns, counts) = ((op.array_ns, op.bus_ns()), op.has(COUNTS));
        // What only some operations have is looked at only then.
        let tells_more = op.has(WAITERS | PATH | JOINABLE);
        let u = &mut self.units[unit as usize];
        u.outstanding -= 1;
        u.load_ns -= op.service_ns();
        if op.class.is_host() {
            u.host_ns = self.clock.now_ns();
            self.host_ns = self.clock.now_ns();
        }
        self.leave_block(id);
        if !wakes.is_none() {
            self.wake_all(id, wakes);
        }
        if tells_more {
            self.finish_with_more(id);
        } else if counts && !request.is_none() {
            self.requests.finish_for_request(request, u64::from(own_ns.0), own_ns.1, 0, Gap::None);
        }
        debug_assert!(
            counts || request.is_none() || !wakes.is_none() || self.has_loose_ends,
            "Invariant: an operation of a request counts or wakes one that does"
        );
        self.ops.remove(id);
    }

    /// What the end of an operation means to its block.
    #[inline(always)]
    fn leave_block(&mut self, id: OpId) {
        let op = &self.ops[id];
        let (block, next, unit) = (op.block, op.block_next, op.unit);
        if op.kind == OpKind::Read {
            if self.ops.blocks.end_read(block) {
                let queues = &mut self.units[unit as usize].queues;
                queues.wake_erase(&mut self.ops, block);
            }
            return;
        }
        if op.kind != OpKind::Erase {
            let (generation, end) = (op.generation, op.page + u16::from(op.pages));
            self.ops.blocks.end_program(block, generation, end);
        }
        if next.is_none() {
            self.ops.blocks.empty(block);
        } else {
            self.ops[next].clear(FOLLOWS);
            if self.ops.more(next).parked {
                self.units[unit as usize].queues.wake_parked(&mut self.ops, next);
            }
        }
    }

    #[cold]
    fn finish_with_more(&mut self, id: OpId) {
        if self.ops[id].has(COUNTS) {
            self.requests.finish_for_requests(&mut self.ops, id);
        }
        if self.ops[id].has(PATH) {
            self.requests.drop_path(self.ops.more(id).path);
        }
    }

    #[inline(always)]
    fn wake_up(&mut self, from: OpId, to: OpId) {
        let (request, op) = (self.ops[from].request, &self.ops[to]);
        let waits = !op.request.is_none();
        if waits && op.request == request && !op.has(JOINABLE) {
            self.requests.pass_path(&mut self.ops, from, to, self.clock.now_ns());
        }
        self.fulfil(to);
        if waits {
            self.requests.note_source(&self.ops, to, from);
        }
    }

    #[inline(never)]
    fn wake_all(&mut self, from: OpId, first: OpId) {
        let mut link = self.ops.more(from).wakes;
        self.wake_up(from, first);
        while link != 0 {
            let (to, next) = self.ops.take_link(link);
            self.wake_up(from, to);
            link = next;
        }
    }
}
