//! The queues of a unit: one per class.

use super::super::ops::{Op, Ops, QUEUED};
use super::super::spec::OpId;
use super::folds::Folds;
use super::fronts::FrontWindow;
use crate::base::op::{Cause, Class, CLASSES};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Operations on several planes may be queued in a class.
const MIXED_PLANES: u8 = u8::MAX;

/// The place of an empty queue's first operation.
const FIRST_PLACE: u64 = 1 << 63;
/// Distance of the places of neighbours: room for all those of one block that come in between,
/// each just before the one that follows it in the block.
const PLACE_STEP: u64 = 1 << 24;

/// The parked front of one queue.
#[derive(Clone, Default)]
pub(super) struct Parked {
    /// The first operation behind the parked ones.
    pub(super) rest: OpId,
    pub(super) count: u32,
    /// Parked operations that were woken, by their place in the queue; some may have left since.
    pub(super) woken: BinaryHeap<Reverse<(u64, u32)>>,
}

/// What waits for a unit, by class.
#[derive(Clone)]
pub struct Queues {
    pub(super) unit: u32,
    head: [OpId; CLASSES],
    tail: [OpId; CLASSES],
    /// Bit per class with something queued.
    mask: u8,
    /// The plane of all that is queued in a class, or `MIXED_PLANES`.
    plane: [u8; CLASSES],
    /// Its commands take along operations on other planes.
    takes_along: bool,
    /// Bit per class whose queue has a parked front.
    pub(super) parked: u8,
    pub(super) fronts: [Parked; CLASSES],
    /// Parked erases that wait for nothing but the reads of a block, by it.
    pub(super) erases: BTreeMap<u32, OpId>,
    /// Fronts of long queues are laid out to be searched; the plain way is the tests' oracle.
    pub(super) lays_out: bool,
    /// Bit per class whose queue's front is laid out in a window.
    pub(super) laid_out: u8,
    /// The windows of the host's classes.
    pub(super) windows: [FrontWindow; 2],
    pub(super) folds: Folds,
}

impl Queues {
    /// Empty, of `unit`, which has so many planes and takes along, or not, what is on others.
    pub fn new(unit: u32, planes: u32, takes_along: bool) -> Self {
        Self {
            unit,
            head: [OpId::NONE; CLASSES],
            tail: [OpId::NONE; CLASSES],
            mask: 0,
            plane: [MIXED_PLANES; CLASSES],
            takes_along,
            parked: 0,
            fronts: Default::default(),
            erases: BTreeMap::new(),
            lays_out: true,
            laid_out: 0,
            windows: Default::default(),
            folds: Folds::new(planes),
        }
    }

    /// Bit per class with something queued.
    #[inline(always)]
    pub fn mask(&self) -> u8 {
        self.mask
    }

    /// Whether something more urgent than `class` is queued.
    #[inline(always)]
    pub fn has_before(&self, class: Class) -> bool {
        self.mask & ((1 << class as u8) - 1) != 0
    }

    /// The first operation of a class.
    #[inline(always)]
    pub fn head(&self, class: usize) -> OpId {
        self.head[class]
    }

    /// The first operation of each class.
    pub fn heads(&self) -> impl Iterator<Item = OpId> + '_ {
        self.head.iter().copied()
    }

    /// Whether commands take along operations on other planes.
    #[inline(always)]
    pub fn takes_along(&self) -> bool {
        self.takes_along
    }

    #[inline(always)]
    pub fn is_all_on(&self, class: usize, plane: u8) -> bool {
        self.plane[class] == plane
    }

    /// Whether an operation of `cause` may share commands with others that fold.
    #[inline(always)]
    pub fn folds(&self, cause: Cause) -> bool {
        cause == Cause::Migration && self.takes_along
    }

    /// Has commands take along operations on other planes.
    #[cfg(test)]
    pub fn set_takes_along(&mut self) {
        self.takes_along = true;
    }

    /// Something joins an empty class.
    #[inline(always)]
    fn begin_class(&mut self, class: usize, plane: u8) {
        self.mask |= 1 << class;
        self.plane[class] = plane;
    }

    /// An operation on `plane` joins a class in which others are queued.
    #[inline(always)]
    fn join_planes(&mut self, class: usize, plane: u8) {
        if self.plane[class] != plane {
            self.plane[class] = MIXED_PLANES;
        }
    }

    /// Queues an operation last in its class, but before the one of its block that waits for it:
    /// the queue's front stays startable, however long the queue.
    #[inline(always)]
    pub fn link(&mut self, ops: &mut Ops, id: OpId) {
        let op = &ops[id];
        if self.folds(op.cause) {
            self.fold_linked(op, id);
        }
        let follower = op.block_next;
        if !follower.is_none() {
            let next = &ops[follower];
            if next.has(QUEUED) && next.class == op.class {
                return self.link_before(ops, id, follower);
            }
        }
        let (class, plane) = (op.class as usize, op.plane_in_die);
        let tail = std::mem::replace(&mut self.tail[class], id);
        let has_parked = self.has_parked(class);
        let place = if tail.is_none() {
            self.head[class] = id;
            self.begin_class(class, plane);
            FIRST_PLACE
        } else {
            self.join_planes(class, plane);
            ops[tail].next = id;
            ops.more(tail).place + PLACE_STEP
        };
        let (op, more) = ops.both_mut(id);
        op.next = OpId::NONE;
        (more.prev, more.place) = (tail, place);
        if has_parked {
            self.linked_near_parked(ops, id, OpId::NONE);
        }
    }

    fn link_before(&mut self, ops: &mut Ops, id: OpId, follower: OpId) {
        let next = ops.more_mut(follower);
        let prev = std::mem::replace(&mut next.prev, id);
        // Nothing else is ever put right before the follower: the place is free.
        let place = next.place - 1;
        debug_assert!(prev.is_none() || ops.more(prev).place < place);
        let (op, more) = ops.both_mut(id);
        op.next = follower;
        (more.prev, more.place) = (prev, place);
        let class = op.class as usize;
        self.join_planes(class, op.plane_in_die);
        if prev.is_none() {
            self.head[class] = id;
        } else {
            ops[prev].next = id;
        }
        if self.has_parked(class) {
            self.linked_near_parked(ops, id, follower);
        }
        if self.has_window(class) {
            self.linked_in_window(class, follower);
        }
    }

    /// Puts the second half of a move at the front of its class.
    #[inline]
    pub fn link_front(&mut self, ops: &mut Ops, id: OpId) {
        let op = &ops[id];
        if self.folds(op.cause) {
            self.fold_linked(op, id);
        }
        let (class, plane) = (op.class as usize, op.plane_in_die);
        let head = std::mem::replace(&mut self.head[class], id);
        let has_parked = self.has_parked(class);
        let place = if head.is_none() {
            self.tail[class] = id;
            self.begin_class(class, plane);
            FIRST_PLACE
        } else {
            self.join_planes(class, plane);
            let first = ops.more_mut(head);
            first.prev = id;
            first.place - PLACE_STEP
        };
        ops.queue(id).next = head;
        let more = ops.more_mut(id);
        (more.prev, more.place) = (OpId::NONE, place);
        if has_parked {
            self.linked_near_parked(ops, id, head);
        }
        if self.has_window(class) {
            self.linked_in_window(class, head);
        }
    }

    /// Queues `id` right before `next`, of which it was a part.
    pub fn link_part(&mut self, ops: &mut Ops, id: OpId, next: OpId) {
        let behind = ops.more_mut(next);
        let (prev, place, was_parked) =
            (std::mem::replace(&mut behind.prev, id), behind.place, behind.parked);
        behind.place += 2;
        let (op, more) = ops.both_mut(id);
        op.next = next;
        (more.prev, more.place) = (prev, place);
        let class = op.class as usize;
        if prev.is_none() {
            self.head[class] = id;
        } else {
            ops[prev].next = id;
        }
        if self.has_parked(class) {
            self.linked_near_parked(ops, id, next);
            if was_parked {
                self.wake_parked(ops, next);
            }
        }
        if self.has_window(class) {
            self.linked_in_window(class, next);
        }
    }

    /// Takes the first operation of a class off its queue; which is the first now.
    #[inline(always)]
    pub fn unlink_head(&mut self, ops: &mut Ops, class: usize, head: OpId) -> OpId {
        let Op { next, cause, .. } = ops[head];
        if self.folds(cause) {
            self.fold_unlinked(&ops[head]);
        }
        self.head[class] = next;
        if next.is_none() {
            self.tail[class] = OpId::NONE;
            self.mask &= !(1 << class);
        } else {
            ops.more_mut(next).prev = OpId::NONE;
        }
        if self.has_parked(class) {
            self.unlinked_near_parked(ops, head);
        }
        if self.has_window(class) {
            self.unlinked_first(class);
        }
        next
    }

    /// Takes an operation off its queue.
    #[inline]
    pub fn unlink(&mut self, ops: &mut Ops, id: OpId) {
        let Op { next, class, cause, .. } = ops[id];
        if self.folds(cause) {
            self.fold_unlinked(&ops[id]);
        }
        let prev = ops.more(id).prev;
        let class = class as usize;
        if prev.is_none() {
            self.head[class] = next;
        } else {
            ops[prev].next = next;
        }
        if next.is_none() {
            self.tail[class] = prev;
        } else {
            ops.more_mut(next).prev = prev;
        }
        if self.head[class].is_none() {
            self.mask &= !(1 << class);
        }
        if self.has_parked(class) {
            self.unlinked_near_parked(ops, id);
        }
        if self.has_window(class) {
            self.unlinked_in_window(class, id);
        }
    }
}
