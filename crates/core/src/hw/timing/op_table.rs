//! Operations in flight: their records, dependencies and the order within a block.

use super::ids::OpId;
use super::spec::OpSpec;
use crate::base::Gap;

/// An operation in flight.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// What it does; a move becomes its program, and urgency and pages may be added.
    pub(super) spec: OpSpec,
    /// Requests may join it until it is released: then its path starts.
    pub(super) joint: bool,
    /// A joint operation that no request waits for and only its release will start.
    pub(super) resting: bool,
    /// What its requests waited for before its path.
    pub(super) gap: Gap,
    pub(super) queued: bool,
    /// A search of the queue passed it over.
    pub(super) parked: bool,
    /// Operations, and holds, it still waits for.
    pub(super) deps: u32,
    /// How often the block programmed had been erased, in state, when the operation was emitted.
    pub(super) generation: u32,
    /// When it entered its unit's queue, ns; before, the time from which its path must explain.
    pub(super) queued_ns: u64,
    /// Emission number: the order in which equals are served.
    pub(super) serial: u64,
    /// Its place in its queue: grows from the queue's head to its tail.
    pub(super) place: u64,
    /// Operations it waited for when they were linked (list of links, 0 = none).
    pub(super) sources: u32,
    pub(super) next: OpId,
    pub(super) prev: OpId,
    pub(super) wakes: OpId,
    pub(super) more_wakes: u32,
    /// Whoever else waits for it (link list, 0 = none).
    pub(super) more_waiters: u32,
    pub(super) block_prev: OpId,
    pub(super) block_next: OpId,
    /// What came before its own times (index into the paths, 0 = nothing).
    pub(super) path: u32,
}

impl Op {
    /// An operation emitted as number `serial` at `now_ns` that waits for `deps` others or holds.
    #[inline(always)]
    pub(super) fn new(spec: OpSpec, serial: u64, now_ns: u64, deps: u32) -> Self {
        Self {
            spec,
            joint: false,
            resting: false,
            gap: Gap::None,
            queued: false,
            parked: false,
            deps,
            generation: 0,
            queued_ns: now_ns,
            serial,
            place: 0,
            sources: 0,
            next: OpId::NONE,
            prev: OpId::NONE,
            wakes: OpId::NONE,
            more_wakes: 0,
            more_waiters: 0,
            block_prev: OpId::NONE,
            block_next: OpId::NONE,
            path: 0,
        }
    }
}
