//! Operations in flight: their records, dependencies and the order within a block.

use super::host::Gap;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::BlockId;

macro_rules! in_flight_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub u32);

        impl $name {
            /// Nothing in flight.
            pub const NONE: Self = Self(0);

            /// Whether this is nothing in flight.
            #[inline(always)]
            pub fn is_none(self) -> bool {
                self.0 == 0
            }

            #[inline(always)]
            pub(super) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

in_flight_id!(
    /// Index of an operation in flight.
    OpId
);
in_flight_id!(
    /// Index of a host request in flight.
    RequestId
);

/// The second half of a page move: the program that follows the read on the same unit.
#[derive(Clone, Copy, Debug)]
pub struct MoveTarget {
    /// Program or reprogram.
    pub kind: OpKind,
    /// Block programmed.
    pub block: BlockId,
    /// Page programmed.
    pub page: u16,
    /// Array time, ns.
    pub array_ns: u32,
    /// Command and transfer time, ns.
    pub in_ns: u32,
}

/// An operation in flight.
#[derive(Clone, Debug)]
pub struct Op {
    /// Kind.
    pub kind: OpKind,
    /// Cause.
    pub cause: Cause,
    /// Priority; may be raised while the operation waits.
    pub class: Class,
    /// The request whose latency the operation is part of.
    pub request: RequestId,
    /// Whether the request waits for this very operation (not only for what waits for it).
    pub counts: bool,
    /// A program that several requests may share: its path starts when nothing more joins it.
    pub shared: bool,
    /// A staged one-shot program that only further pages of its wordline will start.
    pub(super) resting: bool,
    /// What its requests waited for before that.
    pub gap: Gap,
    /// Index of the plane in its die.
    pub plane_in_die: u8,
    /// Pages programmed.
    pub pages: u8,
    /// Operations this one still waits for.
    pub deps: u32,
    /// First page programmed or the page read.
    pub page: u16,
    /// How often the block programmed had been erased, in state, when the operation was emitted.
    pub(super) generation: u32,
    /// Unit that runs it.
    pub unit: u32,
    /// Block it works on.
    pub block: BlockId,
    /// Array time, ns.
    pub array_ns: u32,
    /// Channel time before the array phase, ns.
    pub in_ns: u32,
    /// Channel time after the array phase, ns.
    pub out_ns: u32,
    /// For a read: the program on the same unit that its data go to (`None` for a plain read).
    pub then: Option<MoveTarget>,
    /// When it entered its unit's queue, ns; before, the time from which its path must explain.
    pub queued_ns: u64,
    /// Emission number: the order in which equals are served.
    pub(super) serial: u64,
    /// Its place in its queue: grows from the queue's head to its tail.
    pub(super) place: u64,
    /// Operations it waited for when they were linked (list of links, 0 = none).
    pub(super) sources: u32,
    pub(super) queued: bool,
    /// A search of the queue passed it over.
    pub(super) parked: bool,
    pub(super) next: OpId,
    pub(super) prev: OpId,
    pub(super) wakes: OpId,
    pub(super) more_wakes: u32,
    /// Whoever else waits for it (link list, 0 = none).
    pub(super) more_waiters: u32,
    pub(super) block_prev: OpId,
    pub(super) block_next: OpId,
    /// Array time along the critical path so far, ns.
    pub(super) path_array_ns: u64,
    /// Channel time along the critical path so far, ns.
    pub(super) path_bus_ns: u64,
    /// Waiting along the critical path so far (index into the wait table, 0 = none).
    pub(super) path_wait: u32,
    /// Busy time of the unit, by cause, when the operation was queued (index into the wait table).
    pub(super) snapshot: u32,
}

impl Op {
    /// The block and pages it programs, now or after its read.
    #[inline]
    pub fn programs(&self) -> Option<(BlockId, u32, u32)> {
        match (self.kind, self.then) {
            (kind, _) if kind.stores() => Some((self.block, u32::from(self.page), u32::from(self.pages))),
            (_, Some(target)) => Some((target.block, u32::from(target.page), 1)),
            _ => None,
        }
    }

    /// Time on array and channel that is still to come, of both halves of a move, ns.
    #[inline]
    pub fn service_ns(&self) -> u64 {
        let second = self.then.map_or(0, |t| u64::from(t.array_ns) + u64::from(t.in_ns));
        u64::from(self.in_ns) + u64::from(self.array_ns) + u64::from(self.out_ns) + second
    }

    /// A read of nothing, without relations: the blank that every operation starts from.
    pub const BLANK: Op = Op {
        kind: OpKind::Read,
        cause: Cause::Host,
        class: Class::HostRead,
        request: RequestId::NONE,
        counts: false,
        shared: false,
        resting: false,
        gap: Gap::None,
        plane_in_die: 0,
        pages: 1,
        deps: 0,
        page: 0,
        generation: 0,
        unit: 0,
        block: BlockId(0),
        array_ns: 0,
        in_ns: 0,
        out_ns: 0,
        then: None,
        queued_ns: 0,
        serial: 0,
        place: 0,
        sources: 0,
        queued: false,
        parked: false,
        next: OpId::NONE,
        prev: OpId::NONE,
        wakes: OpId::NONE,
        more_wakes: 0,
        more_waiters: 0,
        block_prev: OpId::NONE,
        block_next: OpId::NONE,
        path_array_ns: 0,
        path_bus_ns: 0,
        path_wait: 0,
        snapshot: 0,
    };

    /// An operation without relations.
    pub fn new(kind: OpKind, cause: Cause, class: Class, block: BlockId, unit: u32) -> Self {
        Self { kind, cause, class, block, unit, ..Self::BLANK }
    }
}

/// A slab of records: indices from 1, last freed first reused.
pub struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Clone> Slab<T> {
    /// An empty slab; `blank` fills index 0, which stands for none.
    pub fn new(blank: T) -> Self {
        Self { items: vec![blank], free: Vec::new() }
    }

    /// Stores `item` and returns its index.
    #[inline]
    pub fn insert(&mut self, item: T) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.items[index as usize] = item;
                index
            }
            None => {
                self.items.push(item);
                (self.items.len() - 1) as u32
            }
        }
    }

    /// Takes an index whose record still holds what it held last.
    #[inline]
    pub fn take(&mut self) -> u32 {
        match self.free.pop() {
            Some(index) => index,
            None => {
                let blank = self.items[0].clone();
                self.items.push(blank);
                (self.items.len() - 1) as u32
            }
        }
    }

    /// Gives an index back.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Items stored now.
    pub fn len(&self) -> usize {
        self.items.len() - 1 - self.free.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One past the highest index ever used.
    pub fn bound(&self) -> usize {
        self.items.len()
    }
}

impl<T> std::ops::Index<usize> for Slab<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.items[index]
    }
}

impl<T> std::ops::IndexMut<usize> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.items[index]
    }
}
