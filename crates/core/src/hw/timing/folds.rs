//! Folding: migration out of whole blocks in a die that runs multi-plane commands. Planes that empty blocks at
//! the same time share commands, as those that the host writes do.
//!
//! A mate is not searched for along the queue, where the other planes' operations may stand hundreds behind:
//! what folds is listed by plane, and only the first of each plane is looked at. The plane that is behind goes
//! first, until the others are where it is: pages must match in a command, and frontiers go on in order.

use super::engine::Timing;
use super::ids::OpId;
use super::mates::Mates;
use super::ops::{Op, FOLLOWS, MOVES};
use super::unit::Unit;
use crate::base::op::{Cause, Class, OpKind};
use crate::hw::config::PlaneParallelism;
use std::collections::BTreeMap;

/// What is in order within a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Reads whose data are programmed with others.
    Read,
    /// Programs, and reads whose data the same unit then programs.
    Store,
    Erase,
}

/// The queued operations of a unit that fold, by class, part, plane and emission.
#[derive(Clone, Default)]
pub(super) struct Folds {
    planes: u8,
    queued: BTreeMap<(Class, Part, u8, u64), OpId>,
}

impl Folds {
    /// None yet, in a die of so many planes.
    pub(super) fn new(planes: u32) -> Self {
        Self { planes: planes as u8, queued: BTreeMap::new() }
    }

    /// The first of `plane`.
    fn front(&self, class: Class, part: Part, plane: u8) -> Option<OpId> {
        let all = (class, part, plane, 0)..=(class, part, plane, u64::MAX);
        self.queued.range(all).next().map(|(_, &id)| id)
    }
}

impl Unit {
    /// Whether an operation of `cause` may share commands with others that fold.
    #[inline(always)]
    pub(super) fn folds(&self, cause: Cause) -> bool {
        cause == Cause::Migration && self.parallelism == PlaneParallelism::MultiPlane
    }
}

impl Op {
    fn part(&self) -> Part {
        match self.kind {
            OpKind::Erase => Part::Erase,
            OpKind::Read if !self.has(MOVES) => Part::Read,
            _ => Part::Store,
        }
    }

    fn fold_key(&self) -> (Class, Part, u8, u64) {
        (self.class, self.part(), self.plane_in_die, self.serial)
    }
}

impl Timing {
    /// Whether an operation of `unit` and `cause` may share commands with others that fold.
    #[inline(always)]
    pub(super) fn folds(&self, unit: u32, cause: Cause) -> bool {
        self.units[unit as usize].folds(cause)
    }

    /// Whether something that folds waits in `unit`.
    pub fn is_folding(&self, unit: u32) -> bool {
        let pending = self.units[unit as usize].pending;
        let starts = !pending.is_none() && self.folds(unit, self.ops[pending].cause);
        starts || !self.folds[unit as usize].queued.is_empty()
    }

    /// `id`, which folds, has joined its queue.
    #[cold]
    pub(super) fn fold_linked(&mut self, id: OpId) {
        let op = &self.ops[id];
        self.folds[op.unit as usize].queued.insert(op.fold_key(), id);
    }

    /// `id`, which folds, leaves its queue.
    #[cold]
    pub(super) fn fold_unlinked(&mut self, id: OpId) {
        let op = &self.ops[id];
        self.folds[op.unit as usize].queued.remove(&op.fold_key());
    }

    /// The operation that starts in place of `id`, which folds and is the next by its queue: that of a plane which
    /// is behind, or whose data are to be read before both are programmed.
    #[cold]
    pub(super) fn first_of_fold(&self, unit: u32, id: OpId) -> OpId {
        let op = &self.ops[id];
        let (class, part, plane) = (op.class, op.part(), op.plane_in_die);
        let others = (0..self.folds[unit as usize].planes).filter(|&other| other != plane);
        let fronts = others.filter_map(|other| self.folds[unit as usize].front(class, part, other));
        let ready = fronts.filter(|&other| self.startable(other) && !self.ops[other].has(FOLLOWS));
        std::iter::once(id).chain(ready).min_by_key(|&other| self.progress(other)).unwrap_or(id)
    }

    /// How far a plane is: the page that it reads or stores next, and whether it has the data.
    fn progress(&self, id: OpId) -> (u16, bool) {
        let op = &self.ops[id];
        match self.ops.then(id) {
            Some(then) => (then.page, false),
            None => (op.page, true),
        }
    }

    /// Chains to a command that folds those of other planes that can be one with it.
    #[cold]
    pub(super) fn take_fold_mates(&mut self, unit: u32, mates: &mut Mates) {
        let Op { class, page, .. } = self.ops[mates.first];
        let part = self.ops[mates.first].part();
        for plane in 0..self.folds[unit as usize].planes {
            let front = self.folds[unit as usize].front(class, part, plane);
            let Some(id) = front.filter(|&id| self.ops[id].page == page) else { continue };
            if part != Part::Store || !self.ops[id].has(FOLLOWS) {
                self.take_mate(mates, id);
            }
        }
    }
}
