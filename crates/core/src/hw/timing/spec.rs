//! What an operation is, as whoever wants it says it, and the names of what is in flight.

use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, CellMode};

/// The second half of a page move: the program that follows the read on the same unit.
#[derive(Clone, Copy, Debug)]
pub struct MoveTarget {
    /// Program or reprogram.
    pub kind: OpKind,
    /// How many bits the cells then hold.
    pub mode: CellMode,
    /// Block programmed.
    pub block: BlockId,
    /// Page programmed.
    pub page: u16,
    pub array_ns: u32,
    /// Command and transfer time, ns.
    pub in_ns: u32,
}

/// An operation to emit.
#[derive(Clone, Copy, Debug)]
pub struct OpSpec {
    pub kind: OpKind,
    /// Bits of the cells that it works on, for whoever keeps operations; of the disk none.
    pub mode: Option<CellMode>,
    pub cause: Cause,
    /// Priority; what waits for the operation may raise it.
    pub class: Class,
    /// Whether the request waits for this very operation (not only for what waits for it).
    pub counts: bool,
    /// Index of the plane in its die.
    pub plane_in_die: u8,
    /// Pages programmed.
    pub pages: u8,
    /// First page programmed or the page read.
    pub page: u16,
    /// The request whose latency the operation is part of.
    pub request: RequestId,
    pub unit: u32,
    pub block: BlockId,
    pub array_ns: u32,
    /// Channel time before the array phase, ns.
    pub in_ns: u32,
    /// Channel time after the array phase, ns.
    pub out_ns: u32,
    /// For a read: the program on the same unit that its data go to (`None` for a plain read).
    pub then: Option<MoveTarget>,
}

impl OpSpec {
    /// An operation on one page that takes no time and that no request waits for.
    #[inline(always)]
    pub fn new(kind: OpKind, cause: Cause, class: Class, block: BlockId, unit: u32) -> Self {
        Self {
            kind,
            mode: None,
            cause,
            class,
            counts: false,
            plane_in_die: 0,
            pages: 1,
            page: 0,
            request: RequestId::NONE,
            unit,
            block,
            array_ns: 0,
            in_ns: 0,
            out_ns: 0,
            then: None,
        }
    }

    /// Channel time before and after the array phase, ns.
    #[inline(always)]
    pub(super) fn bus_ns(&self) -> u64 {
        u64::from(self.in_ns) + u64::from(self.out_ns)
    }

    /// Time on array and channel that is still to come, of both halves of a move, ns.
    #[inline(always)]
    pub(super) fn service_ns(&self) -> u64 {
        let second = self.then.map_or(0, |t| u64::from(t.array_ns) + u64::from(t.in_ns));
        u64::from(self.array_ns) + self.bus_ns() + second
    }
}

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
