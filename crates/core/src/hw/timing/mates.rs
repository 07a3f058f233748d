//! What a multi-plane command takes along: operations of its class on the same page of other planes. Commands of
//! the host look along their queue; for those that fold see `folds`.

use super::engine::Timing;
use super::ids::OpId;
use super::ops::Op;
use super::spec::MoveTarget;
use crate::base::op::OpKind;

/// How far a multi-plane command looks along its class for operations to take along.
pub(super) const MATE_WINDOW: u32 = 16;

/// The operations of a multi-plane command.
pub(super) struct Mates {
    pub(super) first: OpId,
    last: OpId,
    /// Their planes, a bit each.
    planes: u32,
}

impl Timing {
    /// Whether the program of move `id`, which is at the front of its class then, would take others along.
    pub(super) fn has_mate(&self, unit: u32, id: OpId, then: MoveTarget) -> bool {
        let Op { class, plane_in_die, .. } = self.ops[id];
        if self.units[unit as usize].plane[class as usize] == plane_in_die {
            return false;
        }
        let mut left = MATE_WINDOW;
        let mut id = self.units[unit as usize].head[class as usize];
        loop {
            id = self.ops.find_page(then.page, id, &mut left);
            if id.is_none() {
                return false;
            }
            let op = &self.ops[id];
            if op.is_run() {
                left = (left + 1).saturating_sub(self.ops.moves_left(id));
            } else if op.kind == then.kind
                && op.pages == 1
                && op.plane_in_die != plane_in_die
                && self.startable(id)
            {
                return true;
            }
            id = op.next;
        }
    }

    /// Chains to `first`, taken off the queue, what a multi-plane command takes along.
    pub(super) fn take_mates(&mut self, unit: u32, first: OpId) {
        self.ops[first].next = OpId::NONE;
        let Op { page, class, cause, plane_in_die, .. } = self.ops[first];
        let is_host = class.is_host();
        let class = class as usize;
        if self.units[unit as usize].plane[class] == plane_in_die {
            return; // All that is queued is on its plane.
        }
        let mut mates = Mates { first, last: first, planes: 1 << plane_in_die };
        if self.folds(unit, cause) {
            self.take_fold_mates(unit, &mut mates);
        }
        if !is_host {
            return;
        }
        if self.units[unit as usize].has_window(class) {
            if let Some(ids) = self.in_window(unit, class, page) {
                let ids = ids.into_iter().take_while(|id| !id.is_none());
                return ids.for_each(|id| self.take_mate(&mut mates, id));
            }
        }
        let (mut id, mut left, mut runs) = (self.units[unit as usize].head[class], MATE_WINDOW, false);
        loop {
            // Pages match least often.
            id = self.ops.find_page(page, id, &mut left);
            if id.is_none() {
                break;
            }
            let op = &self.ops[id];
            let next = op.next;
            if op.is_run() {
                runs = true;
                let window = left + 1;
                left = window.saturating_sub(self.ops.moves_left(id));
                self.take_mate_of(&mut mates, id, window);
            } else {
                self.take_mate(&mut mates, id);
            }
            id = next;
        }
        if left == 0 && !runs && self.lays_out {
            self.fill_window(unit, class);
        }
    }

    /// Chains `id` to a command, if it may be one with it.
    #[inline(always)]
    pub(super) fn take_mate(&mut self, mates: &mut Mates, id: OpId) {
        let (first, op) = (&self.ops[mates.first], &self.ops[id]);
        let fits = op.kind == first.kind
            && op.pages == first.pages
            && mates.planes >> op.plane_in_die & 1 == 0
            && self.startable(id);
        if fits {
            self.unlink(id);
            self.chain(mates, id);
        }
    }

    /// The same of a move's read on the page, of those among the first `window` moves of run `id`.
    #[cold]
    fn take_mate_of(&mut self, mates: &mut Mates, id: OpId, window: u32) {
        let (first, op) = (&self.ops[mates.first], &self.ops[id]);
        if first.kind == OpKind::Read && mates.planes >> op.plane_in_die & 1 == 0 {
            let mate = self.take_read_of(id, first.page, window);
            if !mate.is_none() {
                self.chain(mates, mate);
            }
        }
    }

    fn chain(&mut self, mates: &mut Mates, id: OpId) {
        mates.planes |= 1 << self.ops[id].plane_in_die;
        self.ops[id].next = OpId::NONE;
        self.ops[mates.last].next = id;
        mates.last = id;
    }
}
