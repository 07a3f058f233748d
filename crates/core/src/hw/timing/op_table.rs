//! Operations in flight: a short record of what the start and the end of each need, and beside it a
//! second one for what only some have.

use super::ids::{OpId, RequestId};
use super::spec::{MoveTarget, OpSpec};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::room::Room;
use crate::base::{prefetch, BlockId, Gap};
use std::collections::TryReserveError;

/// Whether a request waits for this very operation, or a notice is due at its end.
pub(super) const COUNTS: u8 = 1 << 0;
/// It is in its unit's queue.
pub(super) const QUEUED: u8 = 1 << 1;
/// It waits for others or holds: `OpMore::deps` and `sources` are valid.
pub(super) const HELD: u8 = 1 << 2;
/// One of its block is before it: `OpMore::block_prev` is valid.
pub(super) const FOLLOWS: u8 = 1 << 3;
/// It is the read of a move: `OpMore::then` is valid.
pub(super) const MOVES: u8 = 1 << 4;
/// More than its own times is to be told of it: `OpMore::path` is valid.
pub(super) const PATH: u8 = 1 << 5;
/// Requests may join it until it is released: then its path starts. `OpMore::resting` and `gap` are
/// valid.
pub(super) const JOINT: u8 = 1 << 6;
/// Others than its request wait for its end: `OpMore::waiters` is valid.
pub(super) const WAITERS: u8 = 1 << 7;

/// Pages of a run of moves.
const RUN: u8 = u8::MAX;

/// An operation in flight: one cache line, written once.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Op {
    /// When it entered its unit's queue, ns; before, the time from which its path must explain.
    pub(super) queued_ns: u64,
    /// Emission number: the order in which equals are served. 0: the operation is complete.
    pub(super) serial: u64,
    /// Block it works on.
    pub(super) block: BlockId,
    /// Unit that runs it.
    pub(super) unit: u32,
    /// Array time, ns.
    pub(super) array_ns: u32,
    /// Channel time before the array phase, ns.
    pub(super) in_ns: u32,
    /// Channel time after the array phase, ns.
    pub(super) out_ns: u32,
    /// The request whose latency it is part of.
    pub(super) request: RequestId,
    /// The one behind it in its queue, or of its command.
    pub(super) next: OpId,
    /// The one that follows it in its block.
    pub(super) block_next: OpId,
    /// The first that waits for it: if there is one, `OpMore::wakes` is valid.
    pub(super) wakes: OpId,
    /// How often the block programmed had been erased, in state, when the operation was emitted.
    pub(super) generation: u32,
    /// First page programmed or the page read.
    pub(super) page: u16,
    /// What it does; a move becomes its program.
    pub(super) kind: OpKind,
    pub(super) cause: Cause,
    /// Priority; what waits for the operation may raise it.
    pub(super) class: Class,
    /// Pages programmed: some may be added. `RUN`: it stands for several moves, `OpMore::run` is valid.
    pub(super) pages: u8,
    pub(super) plane_in_die: u8,
    pub(super) flags: u8,
}

/// What only some operations have, each part valid only where the operation's flag says so: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct OpMore {
    /// While it is queued: its place, which grows from the queue's head to its tail.
    pub(super) place: u64,
    /// While it is queued: the one before it.
    pub(super) prev: OpId,
    /// While it is queued, and until its waiting is booked: what its unit had done when it was queued, if it
    /// found it at work (index into the snapshots, 0 = none).
    pub(super) before: u32,
    /// While it is queued: a search of the queue passed it over.
    pub(super) parked: bool,
    /// A joint operation that no request waits for and only its release will start.
    pub(super) resting: bool,
    /// What the requests of a joint operation waited for before its path.
    pub(super) gap: Gap,
    /// Operations, and holds, it still waits for.
    pub(super) deps: u32,
    /// Operations it waited for when they were linked (list of links, 0 = none).
    pub(super) sources: u32,
    /// The one before it in its block.
    pub(super) block_prev: OpId,
    /// Others that wait for it (list of links, 0 = none).
    pub(super) wakes: u32,
    /// Whoever else hears of its end (list of links, 0 = none).
    pub(super) waiters: u32,
    /// What came before its own times (index into the paths).
    pub(super) path: u32,
    /// The moves that a run stands for (index into the runs).
    pub(super) run: u32,
    /// The second half of a move.
    pub(super) then: MoveTarget,
}

impl Op {
    /// An operation emitted as number `serial` at `now_ns`.
    #[inline(always)]
    pub(super) fn new(spec: &OpSpec, serial: u64, now_ns: u64) -> Self {
        let counts = if spec.counts { COUNTS } else { 0 };
        let moves = if spec.then.is_some() { MOVES } else { 0 };
        Self {
            queued_ns: now_ns,
            serial,
            block: spec.block,
            unit: spec.unit,
            array_ns: spec.array_ns,
            in_ns: spec.in_ns,
            out_ns: spec.out_ns,
            request: spec.request,
            next: OpId::NONE,
            block_next: OpId::NONE,
            wakes: OpId::NONE,
            generation: 0,
            page: spec.page,
            kind: spec.kind,
            cause: spec.cause,
            class: spec.class,
            pages: spec.pages,
            plane_in_die: spec.plane_in_die,
            flags: counts | moves,
        }
    }

    /// Whether one of `flags` is set.
    #[inline(always)]
    pub(super) fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    #[inline(always)]
    pub(super) fn set(&mut self, flags: u8) {
        self.flags |= flags;
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, flags: u8) {
        self.flags &= !flags;
    }

    /// Whether it stands for several moves.
    #[inline(always)]
    pub(super) fn is_run(&self) -> bool {
        self.pages == RUN
    }

    /// Makes it stand for several moves.
    #[inline(always)]
    pub(super) fn mark_run(&mut self) {
        self.pages = RUN;
    }

    /// Channel time before and after the array phase, ns.
    #[inline(always)]
    pub(super) fn bus_ns(&self) -> u64 {
        u64::from(self.in_ns) + u64::from(self.out_ns)
    }

    /// Time on array and channel, of a move's read alone, ns.
    #[inline(always)]
    pub(super) fn service_ns(&self) -> u64 {
        u64::from(self.array_ns) + self.bus_ns()
    }
}

impl OpMore {
    const NONE: Self = Self {
        place: 0,
        prev: OpId::NONE,
        before: 0,
        parked: false,
        resting: false,
        gap: Gap::None,
        deps: 0,
        sources: 0,
        block_prev: OpId::NONE,
        wakes: 0,
        waiters: 0,
        path: 0,
        run: 0,
        then: MoveTarget { kind: OpKind::Program, block: BlockId(0), page: 0, array_ns: 0, in_ns: 0 },
    };
}

/// Both records of all operations in flight: indices from 1, last freed first used again.
#[derive(Clone)]
pub(super) struct OpTable {
    ops: Vec<Op>,
    more: Vec<OpMore>,
    /// The last freed one, and by `next` those before it (0: the end).
    free: OpId,
    /// Operations in flight.
    len: usize,
}

impl OpTable {
    /// A table without operations.
    pub(super) fn new() -> Self {
        let blank = OpSpec::new(OpKind::Read, Cause::Host, Class::HostRead, BlockId(0), 0);
        Self { ops: vec![Op::new(&blank, 0, 0)], more: vec![OpMore::NONE], free: OpId::NONE, len: 0 }
    }

    /// The number of the operation that is taken in next.
    #[inline(always)]
    pub(super) fn next_free(&mut self) -> OpId {
        if self.free.is_none() {
            self.grow();
        }
        self.free
    }

    /// Takes an operation in, as `next_free` said.
    #[inline(always)]
    pub(super) fn insert(&mut self, op: Op) -> OpId {
        let id = self.next_free();
        let place = &mut self.ops[id.index()];
        self.free = place.next;
        *place = op;
        self.len += 1;
        id
    }

    /// Adds a number that is free.
    #[cold]
    fn grow(&mut self) {
        let index = u32::try_from(self.ops.len()).expect("Invariant: fewer operations than numbers for them");
        self.ops.push(self.ops[0].clone());
        self.more.push(OpMore::NONE);
        self.free = OpId(index);
    }

    pub(super) fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.ops.make_room()?;
        self.more.make_room()
    }

    /// Gives the number of a complete operation back.
    #[inline(always)]
    pub(super) fn remove(&mut self, id: OpId) {
        let op = &mut self.ops[id.index()];
        op.serial = 0;
        op.next = self.free;
        self.free = id;
        self.len -= 1;
    }

    /// Operations in flight.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Asks for both records of an operation.
    #[inline(always)]
    pub(super) fn prefetch(&self, id: OpId) {
        prefetch::read(&self.ops, id.index());
        prefetch::read(&self.more, id.index());
    }

    #[inline(always)]
    pub(super) fn more(&self, id: OpId) -> &OpMore {
        &self.more[id.index()]
    }

    #[inline(always)]
    pub(super) fn more_mut(&mut self, id: OpId) -> &mut OpMore {
        &mut self.more[id.index()]
    }

    /// Marks an operation as queued; there is no snapshot of its unit yet.
    #[inline(always)]
    pub(super) fn queue(&mut self, id: OpId) -> &mut Op {
        self.more_mut(id).before = 0;
        self[id].set(QUEUED);
        &mut self[id]
    }

    /// Both records, to change.
    #[inline(always)]
    pub(super) fn both_mut(&mut self, id: OpId) -> (&mut Op, &mut OpMore) {
        (&mut self.ops[id.index()], &mut self.more[id.index()])
    }

    /// The operation before `id` in its block that is not complete.
    #[inline(always)]
    pub(super) fn block_prev(&self, id: OpId) -> OpId {
        if self[id].has(FOLLOWS) {
            self.more(id).block_prev
        } else {
            OpId::NONE
        }
    }

    /// The first operation on `page`, or run, of those that are queued from `id` on; `left` says how many may
    /// be looked at.
    #[inline(always)]
    pub(super) fn find_page(&self, page: u16, mut id: OpId, left: &mut u32) -> OpId {
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
    pub(super) fn then(&self, id: OpId) -> Option<MoveTarget> {
        self[id].has(MOVES).then(|| self.more(id).then)
    }
}

impl std::ops::Index<OpId> for OpTable {
    type Output = Op;
    #[inline(always)]
    fn index(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }
}

impl std::ops::IndexMut<OpId> for OpTable {
    #[inline(always)]
    fn index_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id.index()]
    }
}

const _: () = assert!(size_of::<Op>() == 64 && size_of::<OpMore>() == 64, "one cache line each");
