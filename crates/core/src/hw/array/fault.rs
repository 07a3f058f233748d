//! What the array refuses.

use crate::base::{BlockId, CellMode, Ppn, Slot};

/// What the array refuses, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A block that holds data was opened.
    #[error("block {0:?} is not free and cannot be opened")]
    OpenNotFree(BlockId),
    /// A cell mode the chips do not offer.
    #[error("block {0:?} has no {1:?} mode")]
    NoSuchMode(BlockId, CellMode),
    /// A block number outside the geometry.
    #[error("block {0:?} does not exist")]
    NoSuchBlock(BlockId),
    /// A page of a block that is not open was programmed.
    #[error("page {0:?} lies in a block that is not open")]
    ProgramNotOpen(Ppn),
    /// A page was programmed out of order or twice.
    #[error("page {page:?} was programmed where page {expected} of its block is next")]
    ProgramOrder {
        page: Ppn,
        /// The next page in order.
        expected: u32,
    },
    /// A page was programmed with more slots than pages of its pool have.
    #[error("page {page:?} was programmed with {given} slots where its pool's pages have {slots}")]
    SlotsBeyondPage { page: Ppn, given: usize, slots: u32 },
    /// A block with live slots was erased.
    #[error("block {0:?} has {1} live slots and cannot be erased")]
    EraseLive(BlockId, u16),
    /// A block was erased that was never programmed since its last erase.
    #[error("block {0:?} holds nothing to erase")]
    EraseEmpty(BlockId),
    #[error("slot {0:?} is not live")]
    InvalidateDead(Slot),
    /// A block of chips that cannot be reprogrammed was opened in two-layer layout.
    #[error("block {0:?} is of chips that cannot be reprogrammed")]
    NoReprogram(BlockId),
    /// A bit was programmed into a wordline that holds data: only a reprogram can add it.
    #[error("page {0:?} lies in a wordline that holds data and needs a reprogram")]
    ProgramNotErased(Ppn),
    /// A wordline of a plain block was reprogrammed.
    #[error("page {0:?} lies in a block that is not of two-layer layout and cannot be reprogrammed")]
    ReprogramPlain(Ppn),
    /// An erased wordline was reprogrammed.
    #[error("page {0:?} is the first bit of its wordline and cannot be reprogrammed")]
    ReprogramErased(Ppn),
    /// A wordline outside the layers in use was reprogrammed.
    #[error("page {page:?} lies outside window {window} of layers, the one that may be reprogrammed")]
    ReprogramWindow { page: Ppn, window: u32 },
    #[error("block {0:?} is not open and cannot be closed")]
    CloseNotOpen(BlockId),
}
