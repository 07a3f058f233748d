//! The end of operations: what it means to their block, to those that wait and to their requests.

use super::ids::OpId;
use super::op_table::{Op, COUNTS, FOLLOWS, JOINT, MOVES, PATH};
use super::unit::Phase;
use super::Timing;
use crate::base::op::OpKind;

impl Timing {
    pub(super) fn complete(&mut self, unit: u32) {
        let now_ns = self.now_ns;
        let u = &mut self.units[unit as usize];
        let mut id = std::mem::take(&mut u.current);
        u.phase = Phase::Idle;
        let cause = self.ops[id].cause as usize;
        u.busy_ns[cause] += now_ns - u.started_ns;
        while !id.is_none() {
            let next = self.ops[id].next;
            if self.ops[id].has(MOVES) {
                self.turn_into_program(id);
                self.link_front(id);
            } else {
                self.finish(unit, id);
            }
            id = next;
        }
        let u = &self.units[unit as usize];
        if u.mask != 0 || !u.suspended.is_none() {
            self.ready.push(unit);
        } else if u.idle_planes != 0 {
            self.arm_idle(unit);
        }
    }

    #[inline(always)]
    fn finish(&mut self, unit: u32, id: OpId) {
        let op = &self.ops[id];
        let block = op.block;
        let clock = &mut self.blocks[block.index()];
        let mut wakes_erase = false;
        match op.kind {
            OpKind::Read => {
                clock.reads -= 1;
                wakes_erase = clock.reads == 0 && clock.erase_parked;
            }
            OpKind::Erase => {}
            OpKind::Program | OpKind::Reprogram | OpKind::CopyBack => {
                if op.generation == clock.generation {
                    clock.done = clock.done.max(op.page + u16::from(op.pages));
                }
            }
        }
        let Op { kind, class, request, wakes, block_next, .. } = *op;
        let counts = op.has(COUNTS);
        let service_ns = op.service_ns();
        if kind != OpKind::Read {
            if block_next.is_none() {
                clock.last = 0;
            } else {
                self.ops[block_next].clear(FOLLOWS);
                if self.ops.more(block_next).parked {
                    self.wake_parked(block_next);
                }
            }
        }
        if wakes_erase {
            self.wake_erase(block);
        }
        let u = &mut self.units[unit as usize];
        u.outstanding -= 1;
        u.load_ns -= service_ns;
        if class.is_host() {
            u.host_ns = self.now_ns;
            self.host_ns = self.now_ns;
        }
        if !wakes.is_none() {
            let link = self.ops.more(id).wakes;
            self.wake_up(id, wakes);
            self.wake_more(id, link);
        }
        if counts {
            self.finish_for_requests(id);
        } else if !request.is_none() && wakes.is_none() {
            debug_assert!(false, "Invariant: an operation of a request counts or wakes one that does");
        }
        if self.ops[id].has(PATH) {
            self.paths.remove(self.ops.more(id).path);
        }
        self.ops.remove(id);
    }

    #[inline(always)]
    fn wake_up(&mut self, from: OpId, to: OpId) {
        let request = self.ops[from].request;
        let op = &self.ops[to];
        if !request.is_none() && op.request == request && !op.has(JOINT) {
            self.pass_path(from, to);
        }
        self.fulfil(to);
    }

    fn wake_more(&mut self, from: OpId, mut link: u32) {
        while link != 0 {
            let (to, next) = self.op_links[link as usize];
            self.op_links.remove(link);
            self.wake_up(from, to);
            link = next;
        }
    }
}
