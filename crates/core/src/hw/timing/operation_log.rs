//! What is kept of an operation that is over.

use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::geometry::Geometry;

/// An operation that is over, or that gives way to reads of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedOperation {
    /// Its number in the order of emission; both halves of a move, and all stretches of an operation
    /// that was suspended, have one.
    pub serial: u64,
    /// The request that waits for it, by its place in the order of arrival.
    pub request: Option<u64>,
    /// What it does; of the disk a read, whatever it is.
    pub kind: OpKind,
    /// How many bits the cells that it works on hold; of the disk none.
    pub mode: Option<CellMode>,
    pub cause: Cause,
    /// Its priority in the end.
    pub class: Class,
    /// The unit that ran it.
    pub unit: u32,
    /// Its plane; of the disk none.
    pub plane: Option<PlaneId>,
    pub block: BlockId,
    /// First page.
    pub page: u16,
    pub pages: u8,
    /// When it entered its unit's queue, ns.
    pub queued_ns: u64,
    /// When the command began, or went on, ns.
    pub begin_ns: u64,
    /// When it ended, or was suspended, ns.
    pub end_ns: u64,
    /// How long its command had the channel in front, ns.
    pub in_ns: u64,
    /// How long its command had the channel at the end, ns.
    pub out_ns: u64,
    /// Whether it is the first operation of its command, which tells what others share.
    pub leads: bool,
    /// Whether it gave way to reads and goes on later.
    pub pauses: bool,
}

impl LoggedOperation {
    /// Its block within its plane; what is of no block of the array is of the map, or of the disk.
    pub fn block_of(&self, geometry: &Geometry) -> Option<u32> {
        let own = self.plane.filter(|&plane| geometry.plane_of(self.block) == plane);
        own.map(|_| self.block.0 & ((1 << geometry.block_bits) - 1))
    }
}

/// Operations that are over until they are taken, and the numbers of the requests in flight.
#[derive(Clone, Default)]
pub(super) struct OperationLog {
    pub(super) numbers: Vec<Option<u64>>,
    /// By operation in flight: its mode, and that of the program which a move becomes.
    pub(super) modes: Vec<(Option<CellMode>, Option<CellMode>)>,
    pub(super) ended: Vec<LoggedOperation>,
}
