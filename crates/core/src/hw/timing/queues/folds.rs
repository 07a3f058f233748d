//! Folding: migration out of whole blocks in a die that runs multi-plane commands. Planes that empty blocks at
//! the same time share commands, as those that the host writes do.
//!
//! A mate is not searched for along the queue, where the other planes' operations may stand hundreds behind:
//! what folds is listed by plane, and only the first of each plane is looked at. The plane that is behind goes
//! first, until the others are where it is: pages must match in a command, and frontiers go on in order.

use super::super::ids::OpId;
use super::super::ops::{Op, Ops, FOLLOWS};
use super::fold_lists::{key, part, Part};
use super::lists::Queues;
use super::mates::Mates;

/// How far a plane is: the page that it reads or stores next, and whether it has the data.
fn progress(ops: &Ops, id: OpId) -> (u16, bool) {
    match ops.then(id) {
        Some(then) => (then.page, false),
        None => (ops[id].page, true),
    }
}

impl Queues {
    pub fn is_folding(&self) -> bool {
        !self.folds.queued.is_empty()
    }

    /// `id`, which folds, has joined its queue.
    #[cold]
    pub(super) fn fold_linked(&mut self, op: &Op, id: OpId) {
        self.folds.queued.insert(key(op), id);
    }

    /// An operation that folds leaves its queue.
    #[cold]
    pub(super) fn fold_unlinked(&mut self, op: &Op) {
        self.folds.queued.remove(&key(op));
    }

    /// The operation that starts in place of `id`, which folds and is the next by its queue: that of a plane which
    /// is behind, or whose data are to be read before both are programmed.
    #[cold]
    pub fn first_of_fold(&self, ops: &Ops, id: OpId) -> OpId {
        let op = &ops[id];
        let others = (0..self.folds.planes).filter(|&other| other != op.plane_in_die);
        let fronts = others.filter_map(|other| self.folds.front(op.class, part(op), other));
        let ready = fronts.filter(|&other| ops.startable(other) && !ops[other].has(FOLLOWS));
        std::iter::once(id).chain(ready).min_by_key(|&other| progress(ops, other)).unwrap_or(id)
    }

    /// Chains to a command that folds those of other planes that can be one with it.
    #[cold]
    pub(super) fn take_fold_mates(&mut self, ops: &mut Ops, mates: &mut Mates) {
        let Op { class, page, .. } = ops[mates.first];
        let part = part(&ops[mates.first]);
        for plane in 0..self.folds.planes {
            let front = self.folds.front(class, part, plane);
            let Some(id) = front.filter(|&id| ops[id].page == page) else { continue };
            if part != Part::Store || !ops[id].has(FOLLOWS) {
                self.take_mate(ops, mates, id);
            }
        }
    }
}
