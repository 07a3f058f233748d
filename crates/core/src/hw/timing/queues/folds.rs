//! Folding: migration out of whole blocks in a die that runs multi-plane commands. Planes that empty blocks at
//! the same time share commands, as those that the host writes do.
//!
//! A mate is not searched for along the queue, where the other planes' operations may stand hundreds behind:
//! what folds is listed by plane, and only the first of each plane is looked at. The plane that is behind goes
//! first, until the others are where it is: pages must match in a command, and frontiers go on in order.

use super::super::ops::{Op, Ops, FOLLOWS, MOVES};
use super::super::spec::OpId;
use super::lists::Queues;
use super::mates::Mates;
use crate::base::op::{Class, OpKind};
use std::collections::BTreeMap;

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
            if part != FoldPart::Store || !ops[id].has(FOLLOWS) {
                self.take_mate(ops, mates, id);
            }
        }
    }
}

/// What is in order within a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FoldPart {
    /// Reads whose data are programmed with others.
    Read,
    /// Programs, and reads whose data the same unit then programs.
    Store,
    Erase,
}

/// The queued operations of a unit that fold, by class, part, plane and emission.
#[derive(Clone, Default)]
pub struct Folds {
    pub(super) planes: u8,
    pub(super) queued: BTreeMap<(Class, FoldPart, u8, u64), OpId>,
}

impl Folds {
    /// None yet, in a die of so many planes.
    pub(super) fn new(planes: u32) -> Self {
        Self { planes: planes as u8, queued: BTreeMap::new() }
    }

    /// The first of `plane`.
    pub(super) fn front(&self, class: Class, part: FoldPart, plane: u8) -> Option<OpId> {
        let all = (class, part, plane, 0)..=(class, part, plane, u64::MAX);
        self.queued.range(all).next().map(|(_, &id)| id)
    }
}

/// What of its plane an operation is in order with.
pub(super) fn part(op: &Op) -> FoldPart {
    match op.kind {
        OpKind::Erase => FoldPart::Erase,
        OpKind::Read if !op.has(MOVES) => FoldPart::Read,
        _ => FoldPart::Store,
    }
}

/// Where an operation that folds is listed.
pub(super) fn key(op: &Op) -> (Class, FoldPart, u8, u64) {
    (op.class, part(op), op.plane_in_die, op.serial)
}
