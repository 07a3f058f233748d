//! What regions and schemes answer: no room is left, what idle time came to, which blocks they use.

use crate::base::CellMode;

/// No plane can take another page: the data exceed what the regions can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the flash is full: no block can be freed for a write")]
pub struct DeviceFull;

/// How many blocks of a pool a scheme uses in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShare {
    pub pool: usize,
    pub mode: CellMode,
    /// Blocks over all planes.
    pub blocks: u64,
}

/// How full a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionLevel {
    /// Free blocks that it may take; of a region whose cells become denser in place free pages.
    pub free: u64,
    pub blocks: u64,
    /// Live bytes in it; of a region whose cells become denser in place those in cells that hold one bit.
    pub live_bytes: u64,
}

/// What a scheme did when it was offered idle time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Nothing is left to do in this plane until something changes.
    Nothing,
    /// One step was emitted; ask again when it is done.
    Step,
    /// The scheme cannot go on; the run ends.
    Failed,
}
