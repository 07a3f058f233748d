//! What regions and schemes answer: no room is left, what idle time came to, which blocks they use.

use crate::base::CellMode;

/// No plane can take another page: the data exceed what the regions can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the flash is full: no block can be freed for a write")]
pub struct DeviceFull;

/// How many blocks of a pool a scheme uses in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShare {
    /// Pool.
    pub pool: usize,
    /// Mode.
    pub mode: CellMode,
    /// Blocks over all planes.
    pub blocks: u64,
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
