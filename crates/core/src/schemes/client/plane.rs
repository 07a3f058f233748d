//! What `client` knows of a plane beside its blocks.

use crate::base::BlockId;
use crate::ftl::io::Io;
use serde::{Deserialize, Serialize};

/// Where a plane is between an empty cache and a full device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanePhase {
    /// The host writes to SLC blocks.
    #[default]
    Slc,
    /// The cache is full: the host writes past it.
    Closed,
    /// No block is free: what the host needs is folded first.
    Folding,
}

/// A plane's part of a snapshot, and of the scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaneState {
    pub phase: PlanePhase,
    /// Mapping units folded since `PlanePhase::Folding` began.
    pub folded_units: u64,
    /// Slots of the pages that the host took since then.
    pub host_units: u64,
    /// Units to be folded for what the host wrote, by `flush.busy_ratio` and `flush.inside_ratio`.
    pub owed_units: f64,
    /// Units to be cleaned for what the host wrote, and how many for each of its units: what keeps the
    /// number of free blocks, by the block that is being cleaned; 0 before one is.
    pub due_units: f64,
    /// As above.
    pub due_ratio: f64,
    /// The block that is emptied in parts, by its opening, and its first page in which anything may live: found
    /// again if need be.
    #[serde(skip)]
    part: (BlockId, u32, u32),
    /// Whether a lazy flush goes on.
    pub flushing: bool,
}

impl PlaneState {
    /// The first page of `block` in which anything may live.
    pub fn first_page(&self, block: BlockId, io: &Io) -> u32 {
        match self.part {
            (part, opened, page) if part == block && opened == io.array().block(block).opened => page,
            _ => 0,
        }
    }

    /// Nothing lives in `block` before `page`.
    pub fn note_first_page(&mut self, block: BlockId, page: u32, io: &Io) {
        self.part = (block, io.array().block(block).opened, page);
    }

    /// Begins to fold for the host.
    pub fn begin_folding(&mut self) {
        (self.folded_units, self.host_units) = (0, 0);
    }
}
