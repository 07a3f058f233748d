//! The disk beside the units of the flash, and what it is ordered to do.

use super::ids::RequestId;
use crate::base::op::Class;
use crate::hw::disk::{Disk, Order};

/// An operation of the disk to emit.
#[derive(Clone, Copy, Debug)]
pub struct DiskOp {
    /// What is read or written.
    pub order: Order,
    /// Priority.
    pub class: Class,
    /// The request whose latency it is part of.
    pub request: RequestId,
    /// Whether the request waits for this very operation (not only for what waits for it).
    pub counts: bool,
    /// Given back when it is complete.
    pub token: u32,
}

/// The disk, and what its operations in flight are.
#[derive(Clone)]
pub(super) struct DiskUnit {
    pub(super) disk: Disk,
    /// Order and token of each operation in flight, by its number.
    pub(super) orders: Vec<(Order, u32)>,
}
