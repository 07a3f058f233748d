//! An operation in flight: a short record of what its start and its end need, and beside it a second one
//! for what only some have.

use super::super::spec::{MoveTarget, OpId, OpSpec, RequestId};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, CellMode, Gap};

/// Whether a request waits for this very operation, or a notice is due at its end.
pub const COUNTS: u8 = 1 << 0;
/// It is in its unit's queue.
pub const QUEUED: u8 = 1 << 1;
/// It waits for others or holds: `OpMore::deps` and `sources` are valid.
pub const HELD: u8 = 1 << 2;
/// One of its block is before it: `OpMore::block_prev` is valid.
pub const FOLLOWS: u8 = 1 << 3;
/// It is the read of a move: `OpMore::then` is valid.
pub const MOVES: u8 = 1 << 4;
/// More than its own times is to be told of it: `OpMore::path` is valid.
pub const PATH: u8 = 1 << 5;
/// Requests may join it until it is released: then its path starts. `OpMore::resting` and `gap` are
/// valid.
pub const JOINABLE: u8 = 1 << 6;
/// Others than its request wait for its end: `OpMore::waiters` is valid.
pub const WAITERS: u8 = 1 << 7;

/// Pages of a run of moves.
const RUN: u8 = u8::MAX;

/// An operation in flight: one cache line, written once.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Op {
    /// When it entered its unit's queue, ns; before, the time from which its path must explain.
    pub queued_ns: u64,
    /// Emission number: the order in which equals are served. 0: the operation is complete.
    pub serial: u64,
    pub block: BlockId,
    pub unit: u32,
    pub array_ns: u32,
    /// Channel time before the array phase, ns.
    pub in_ns: u32,
    /// Channel time after the array phase, ns.
    pub out_ns: u32,
    /// The request whose latency it is part of.
    pub request: RequestId,
    /// The one behind it in its queue, or of its command.
    pub next: OpId,
    /// The one that follows it in its block.
    pub block_next: OpId,
    /// The first that waits for it: if there is one, `OpMore::wakes` is valid.
    pub wakes: OpId,
    /// How often the block programmed had been erased, in state, when the operation was emitted.
    pub generation: u32,
    /// First page programmed or the page read.
    pub page: u16,
    /// What it does; a move becomes its program.
    pub kind: OpKind,
    pub cause: Cause,
    /// Priority; what waits for the operation may raise it.
    pub class: Class,
    /// Pages programmed: some may be added. `RUN`: it stands for several moves, `OpMore::run` is valid.
    pub pages: u8,
    pub plane_in_die: u8,
    pub flags: u8,
}

/// What only some operations have, each part valid only where the operation's flag says so: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct OpMore {
    /// While it is queued: its place, which grows from the queue's head to its tail.
    pub place: u64,
    /// While it is queued: the one before it.
    pub prev: OpId,
    /// While it is queued, and until its waiting is booked: what its unit had done when it was queued, if it
    /// found it at work (index into the snapshots, 0 = none).
    pub before: u32,
    /// While it is queued: a search of the queue passed it over.
    pub parked: bool,
    /// A joinable operation that no request waits for and only its release will start.
    pub resting: bool,
    /// What the requests of a joinable operation waited for before its path.
    pub gap: Gap,
    /// Operations, and holds, it still waits for.
    pub deps: u32,
    /// Operations it waited for when they were linked (list of links, 0 = none).
    pub sources: u32,
    /// The one before it in its block.
    pub block_prev: OpId,
    /// Others that wait for it (list of links, 0 = none).
    pub wakes: u32,
    /// Whoever else hears of its end (list of links, 0 = none).
    pub waiters: u32,
    /// What came before its own times (index into the paths).
    pub path: u32,
    /// The moves that a run stands for (index into the runs).
    pub run: u32,
    /// The second half of a move.
    pub then: MoveTarget,
}

impl Op {
    /// An operation emitted as number `serial` at `now_ns`.
    #[inline(always)]
    pub fn new(spec: &OpSpec, serial: u64, now_ns: u64) -> Self {
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
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    #[inline(always)]
    pub fn set(&mut self, flags: u8) {
        self.flags |= flags;
    }

    #[inline(always)]
    pub fn clear(&mut self, flags: u8) {
        self.flags &= !flags;
    }

    /// Whether it stands for several moves.
    #[inline(always)]
    pub fn is_run(&self) -> bool {
        self.pages == RUN
    }

    /// Makes it stand for several moves.
    #[inline(always)]
    pub fn mark_run(&mut self) {
        self.pages = RUN;
    }

    /// Channel time before and after the array phase, ns.
    #[inline(always)]
    pub fn bus_ns(&self) -> u64 {
        u64::from(self.in_ns) + u64::from(self.out_ns)
    }

    /// Time on array and channel, of a move's read alone, ns.
    #[inline(always)]
    pub fn service_ns(&self) -> u64 {
        u64::from(self.array_ns) + self.bus_ns()
    }
}

impl OpMore {
    pub const NONE: Self = Self {
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
        then: MoveTarget {
            kind: OpKind::Program,
            mode: CellMode::Slc,
            block: BlockId(0),
            page: 0,
            array_ns: 0,
            in_ns: 0,
        },
    };
}

const _: () = assert!(size_of::<Op>() == 64 && size_of::<OpMore>() == 64, "one cache line each");
