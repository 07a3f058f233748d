//! The operations in the order of their emission, kept on request.

use crate::base::op::{Cause, OpKind};
use crate::base::{CellMode, Ppn};

/// One operation, as it was emitted; a one-shot program is one entry a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedOp {
    /// When it was emitted, ns.
    pub at_ns: u64,
    pub kind: OpKind,
    /// Mode as counted: of the wordline read, programmed or reprogrammed, of the block erased.
    pub mode: CellMode,
    pub cause: Cause,
    /// Page; of an erase the block's first.
    pub page: Ppn,
}

/// One operation of the disk, as it was emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedDiskOp {
    /// When it was emitted, ns.
    pub at_ns: u64,
    pub write: bool,
    pub cause: Cause,
    /// Logical page.
    pub page: u32,
    /// Adjacent mapping units of the page.
    pub mask: u32,
    /// Operations of the flash emitted before it.
    pub behind: usize,
}
