//! What folds and is queued in a unit, listed by plane.

use super::super::ids::OpId;
use super::super::ops::{Op, MOVES};
use crate::base::op::{Class, OpKind};
use std::collections::BTreeMap;

/// What is in order within a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
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
    pub(super) queued: BTreeMap<(Class, Part, u8, u64), OpId>,
}

impl Folds {
    /// None yet, in a die of so many planes.
    pub(super) fn new(planes: u32) -> Self {
        Self { planes: planes as u8, queued: BTreeMap::new() }
    }

    /// The first of `plane`.
    pub(super) fn front(&self, class: Class, part: Part, plane: u8) -> Option<OpId> {
        let all = (class, part, plane, 0)..=(class, part, plane, u64::MAX);
        self.queued.range(all).next().map(|(_, &id)| id)
    }
}

/// What of its plane an operation is in order with.
pub(super) fn part(op: &Op) -> Part {
    match op.kind {
        OpKind::Erase => Part::Erase,
        OpKind::Read if !op.has(MOVES) => Part::Read,
        _ => Part::Store,
    }
}

/// Where an operation that folds is listed.
pub(super) fn key(op: &Op) -> (Class, Part, u8, u64) {
    (op.class, part(op), op.plane_in_die, op.serial)
}
