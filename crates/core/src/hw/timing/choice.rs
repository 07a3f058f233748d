//! The choice: what a free unit does next.

use super::engine::Timing;
use super::spec::OpId;
use crate::base::op::{Class, CLASSES};

/// What a unit does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing that is queued may start.
    Nothing,
    /// This operation, taken off its queue.
    Op(OpId),
    /// So many of the next moves of this run, which stands in its queue.
    Stretch(OpId, usize),
}

impl Timing {
    /// Says what a unit should do now; an operation is taken off its queue.
    #[inline(always)]
    pub(super) fn pick(&mut self, unit: u32) -> Next {
        let u = &self.units[unit as usize];
        let mut mask = u.queues.mask();
        if !u.suspended.is_none() {
            mask &= 1 << Class::HostRead as u8;
        }
        if self.starvation_ns > 0 && mask >> Class::Run as u8 & 1 == 0 {
            let starved = self.pick_starved(unit, mask);
            if !starved.is_none() {
                return Next::Op(starved);
            }
        }
        while mask != 0 {
            let class = mask.trailing_zeros() as usize;
            let head = self.units[unit as usize].queues.head(class);
            if self.ops.startable(head) {
                if self.ops[head].is_run() {
                    return self.pick_of_run(unit, head);
                }
                if self.units[unit as usize].queues.folds(self.ops[head].cause) {
                    let first = self.units[unit as usize].queues.first_of_fold(&self.ops, head);
                    self.unlink(first);
                    return Next::Op(first);
                }
                self.unlink_head(unit, class, head);
                return Next::Op(head);
            }
            let mut id = self.first_startable(unit, class);
            if !id.is_none() {
                let queues = &mut self.units[unit as usize].queues;
                if queues.folds(self.ops[id].cause) {
                    id = queues.first_of_fold(&self.ops, id);
                }
                return Next::Op(queues.take(&mut self.ops, id));
            }
            mask &= mask - 1;
        }
        Next::Nothing
    }

    /// What to do of run `id`, the first of its queue: as much as can be done in one go.
    #[inline(always)]
    fn pick_of_run(&mut self, unit: u32, id: OpId) -> Next {
        match self.moves_in_one_go(unit, id) {
            Some(count) => Next::Stretch(id, count),
            None => Next::Op(self.ops.take_move(id)),
        }
    }

    /// The first operation of the least urgent class that has waited for too long, taken off its queue.
    fn pick_starved(&mut self, unit: u32, mask: u8) -> OpId {
        for class in (1..CLASSES).rev().filter(|&c| mask >> c & 1 == 1) {
            let id = self.first_startable(unit, class);
            if !id.is_none() && self.clock.now_ns() - self.ops[id].queued_ns >= self.starvation_ns {
                return self.units[unit as usize].queues.take(&mut self.ops, id);
            }
        }
        OpId::NONE
    }
}
