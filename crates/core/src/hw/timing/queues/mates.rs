//! What a multi-plane command takes along: operations of its class on the same page of other planes. Commands of
//! the host look along their queue; for those that fold see `folds`.

use super::super::ops::{Op, Ops};
use super::super::spec::{MoveTarget, OpId};
use super::fronts::MATE_WINDOW;
use super::lists::Queues;
use crate::base::op::OpKind;

/// The operations of a multi-plane command.
pub(super) struct Mates {
    pub(super) first: OpId,
    last: OpId,
    /// Their planes, a bit each.
    planes: u32,
}

impl Queues {
    /// Whether the program of move `id`, which is at the front of its class then, would take others along.
    pub fn has_mate(&self, ops: &Ops, id: OpId, then: MoveTarget) -> bool {
        let Op { class, plane_in_die, .. } = ops[id];
        if self.is_all_on(class as usize, plane_in_die) {
            return false;
        }
        let mut left = MATE_WINDOW;
        let mut id = self.head(class as usize);
        loop {
            id = ops.find_page(then.page, id, &mut left);
            if id.is_none() {
                return false;
            }
            let op = &ops[id];
            if op.is_run() {
                left = (left + 1).saturating_sub(ops.moves_left(id));
            } else if op.kind == then.kind
                && op.pages == 1
                && op.plane_in_die != plane_in_die
                && ops.startable(id)
            {
                return true;
            }
            id = op.next;
        }
    }

    /// Chains to `first`, taken off the queue, what a multi-plane command takes along.
    pub fn take_mates(&mut self, ops: &mut Ops, first: OpId) {
        ops[first].next = OpId::NONE;
        let Op { page, class, cause, plane_in_die, .. } = ops[first];
        let is_host = class.is_host();
        let class = class as usize;
        if self.is_all_on(class, plane_in_die) {
            debug_assert!(self.walks_on(ops, class, plane_in_die), "Invariant: a class knows its plane");
            return;
        }
        let mut mates = Mates { first, last: first, planes: 1 << plane_in_die };
        if self.folds(cause) {
            self.take_fold_mates(ops, &mut mates);
        }
        if !is_host {
            return;
        }
        if self.has_window(class) {
            if let Some(ids) = self.in_window(ops, class, page) {
                let ids = ids.into_iter().take_while(|id| !id.is_none());
                return ids.for_each(|id| self.take_mate(ops, &mut mates, id));
            }
        }
        self.search_mates(ops, &mut mates, class);
    }

    /// Whether what a command would look at along the queue of a class is all on `plane`: by walking.
    fn walks_on(&self, ops: &Ops, class: usize, plane: u8) -> bool {
        let behind = |&id: &OpId| Some(ops[id].next).filter(|next| !next.is_none());
        let queue = std::iter::successors(Some(self.head(class)).filter(|head| !head.is_none()), behind);
        queue.take(MATE_WINDOW as usize).all(|id| ops[id].plane_in_die == plane)
    }

    /// Chains to a command of the host what it finds along the queue of its class.
    fn search_mates(&mut self, ops: &mut Ops, mates: &mut Mates, class: usize) {
        let page = ops[mates.first].page;
        let (mut id, mut left, mut runs) = (self.head(class), MATE_WINDOW, false);
        loop {
            // Pages match least often.
            id = ops.find_page(page, id, &mut left);
            if id.is_none() {
                break;
            }
            let op = &ops[id];
            let next = op.next;
            if op.is_run() {
                runs = true;
                let window = left + 1;
                left = window.saturating_sub(ops.moves_left(id));
                self.take_mate_of(ops, mates, id, window);
            } else {
                self.take_mate(ops, mates, id);
            }
            id = next;
        }
        if left == 0 && !runs && self.lays_out {
            self.fill_window(ops, class);
        }
    }

    /// Chains `id` to a command, if it may be one with it.
    #[inline(always)]
    pub(super) fn take_mate(&mut self, ops: &mut Ops, mates: &mut Mates, id: OpId) {
        let (first, op) = (&ops[mates.first], &ops[id]);
        let fits = op.kind == first.kind
            && op.pages == first.pages
            && mates.planes >> op.plane_in_die & 1 == 0
            && ops.startable(id);
        if fits {
            self.unlink(ops, id);
            mates.chain(ops, id);
        }
    }

    /// Chains a read of the command's page to it, if one is among the first `window` moves of run `id`.
    #[cold]
    fn take_mate_of(&mut self, ops: &mut Ops, mates: &mut Mates, id: OpId, window: u32) {
        let (first, op) = (&ops[mates.first], &ops[id]);
        if first.kind == OpKind::Read && mates.planes >> op.plane_in_die & 1 == 0 {
            let mate = self.take_read_of(ops, id, first.page, window);
            if !mate.is_none() {
                mates.chain(ops, mate);
            }
        }
    }

    /// Takes a queued operation off its queue, of a run its first move.
    #[inline(always)]
    pub fn take(&mut self, ops: &mut Ops, id: OpId) -> OpId {
        if ops[id].is_run() {
            return ops.take_move(id);
        }
        self.unlink(ops, id);
        id
    }

    /// Takes the first of the next `window` moves of run `id` that reads `page`, if there is one.
    fn take_read_of(&mut self, ops: &mut Ops, id: OpId, page: u16, window: u32) -> OpId {
        let left = ops.run_of(id).left();
        let place = left.iter().take(window as usize).position(|move_| move_.from == page);
        let Some(place) = place else { return OpId::NONE };
        if place > 0 {
            let front = ops.split_run(id, place);
            self.link_part(ops, front, id);
        }
        self.take(ops, id)
    }
}

impl Mates {
    fn chain(&mut self, ops: &mut Ops, id: OpId) {
        self.planes |= 1 << ops[id].plane_in_die;
        ops[id].next = OpId::NONE;
        ops[self.last].next = id;
        self.last = id;
    }
}
