//! The table of operations in flight.

use super::super::spec::{MoveTarget, OpId, OpSpec};
use super::blocks::Blocks;
use super::op::{Op, OpMore, FOLLOWS, MOVES, QUEUED};
use super::runs::Run;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::room::Room;
use crate::base::slab::Slab;
use crate::base::{prefetch, BlockId};
use crate::hw::geometry::Geometry;
use std::collections::TryReserveError;

/// All operations in flight, both records of each: indices from 1, last freed first used again. With them
/// go their links, the moves of runs, and what is done to blocks.
#[derive(Clone)]
pub struct Ops {
    ops: Vec<Op>,
    more: Vec<OpMore>,
    /// The last freed one, and by `next` those before it (0: the end).
    free: OpId,
    /// Operations in flight.
    len: usize,
    /// The number of the latest emission.
    serial: u64,
    /// Lists of operations: further ones an operation wakes.
    pub(super) links: Slab<(OpId, u32)>,
    /// Sources of operations, each with its serial, by which it is told from a later one.
    pub(super) sources: Slab<(OpId, u64, u32)>,
    /// Moves of the runs in flight.
    pub(super) runs: Slab<Run>,
    pub blocks: Blocks,
}

impl Ops {
    /// None, on a device of this shape.
    pub fn new(geometry: &Geometry) -> Self {
        let blank = OpSpec::new(OpKind::Read, Cause::Host, Class::HostRead, BlockId(0), 0);
        Self {
            ops: vec![Op::new(&blank, 0, 0)],
            more: vec![OpMore::NONE],
            free: OpId::NONE,
            len: 0,
            serial: 0,
            links: Slab::new((OpId::NONE, 0)),
            sources: Slab::new((OpId::NONE, 0, 0)),
            runs: Slab::new(Run::default()),
            blocks: Blocks::new(geometry),
        }
    }

    /// The number of the last of `count` emissions; 0 stands for an operation that is complete.
    #[inline(always)]
    pub fn count_emissions(&mut self, count: u64) -> u64 {
        self.serial += count;
        self.serial
    }

    /// The number of the operation that is taken in next.
    #[inline(always)]
    pub fn next_free(&mut self) -> OpId {
        if self.free.is_none() {
            self.grow();
        }
        self.free
    }

    /// Takes an operation in as `id`, which `next_free` gave.
    #[inline(always)]
    pub fn insert(&mut self, id: OpId, op: Op) {
        let place = &mut self.ops[id.index()];
        self.free = place.next;
        *place = op;
        self.len += 1;
    }

    /// Adds a number that is free.
    #[cold]
    fn grow(&mut self) {
        let index = u32::try_from(self.ops.len()).expect("Invariant: fewer operations than numbers for them");
        self.ops.push(self.ops[0].clone());
        self.more.push(OpMore::NONE);
        self.free = OpId(index);
    }

    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.ops.make_room()?;
        self.more.make_room()?;
        self.links.make_room()?;
        self.sources.make_room()?;
        self.runs.make_room()
    }

    /// Gives the number of a complete operation back.
    #[inline(always)]
    pub fn remove(&mut self, id: OpId) {
        let op = &mut self.ops[id.index()];
        op.serial = 0;
        op.next = self.free;
        self.free = id;
        self.len -= 1;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The number of the latest emission.
    #[cfg(test)]
    pub fn latest(&self) -> u64 {
        self.serial
    }

    /// Runs in flight.
    #[cfg(test)]
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Asks for both records of an operation.
    #[inline(always)]
    pub fn prefetch(&self, id: OpId) {
        prefetch::read(&self.ops, id.index());
        prefetch::read(&self.more, id.index());
    }

    #[inline(always)]
    pub fn more(&self, id: OpId) -> &OpMore {
        &self.more[id.index()]
    }

    #[inline(always)]
    pub fn more_mut(&mut self, id: OpId) -> &mut OpMore {
        &mut self.more[id.index()]
    }

    /// Marks an operation as queued; there is no snapshot of its unit yet.
    #[inline(always)]
    pub fn queue(&mut self, id: OpId) -> &mut Op {
        self.more_mut(id).before = 0;
        self[id].set(QUEUED);
        &mut self[id]
    }

    /// Both records, to change.
    #[inline(always)]
    pub fn both_mut(&mut self, id: OpId) -> (&mut Op, &mut OpMore) {
        (&mut self.ops[id.index()], &mut self.more[id.index()])
    }

    /// Both records, to look at, and the runs, to change.
    #[inline(always)]
    pub(super) fn with_runs(&mut self, id: OpId) -> (&Op, &OpMore, &mut Slab<Run>) {
        (&self.ops[id.index()], &self.more[id.index()], &mut self.runs)
    }

    /// The operation before `id` in its block that is not complete.
    #[inline(always)]
    pub fn block_prev(&self, id: OpId) -> OpId {
        if self[id].has(FOLLOWS) {
            self.more(id).block_prev
        } else {
            OpId::NONE
        }
    }

    /// The first operation on `page`, or run, of those that are queued from `id` on; `left` says how many may
    /// be looked at.
    #[inline(always)]
    pub fn find_page(&self, page: u16, mut id: OpId, left: &mut u32) -> OpId {
        let ops = self.ops.as_slice();
        let mut n = *left;
        while !id.is_none() && n > 0 {
            n -= 1;
            let op = &ops[id.index()];
            if op.page == page || op.is_run() {
                *left = n;
                return id;
            }
            id = op.next;
        }
        OpId::NONE
    }

    /// The second half of `id`, if it is a move that has not come to it.
    #[inline(always)]
    pub fn then(&self, id: OpId) -> Option<MoveTarget> {
        self[id].has(MOVES).then(|| self.more(id).then)
    }
}

impl std::ops::Index<OpId> for Ops {
    type Output = Op;
    #[inline(always)]
    fn index(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }
}

impl std::ops::IndexMut<OpId> for Ops {
    #[inline(always)]
    fn index_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id.index()]
    }
}
