//! The record of one block.

use super::Fault;
use crate::base::{CellMode, Ppn};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// Where a block is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockState {
    /// Erased, no mode yet.
    Free = 0,
    /// Has pages to program.
    Open = 1,
    /// Takes no more programs until erased.
    Closed = 2,
}

/// The number of a region, which the array issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionId(pub(super) u8);

impl RegionId {
    /// The regions issued before it.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl std::fmt::Display for RegionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What is known of one block (zero = free and never used).
#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(C)]
pub struct Block {
    pub(super) chunk: u32,
    /// Sequence number of the last opening: age for FIFO and cost-benefit.
    pub opened: u32,
    /// Link of the free list the block is on.
    pub next_free: u32,
    pub(super) write_ptr: u16,
    pub(super) pages: u16,
    pub(super) live: u16,
    pub(super) live_pages: u16,
    pub(super) state: u8,
    pub(super) mode: u8,
    pub(super) region: u8,
    pub(super) flags: u8,
}

/// The block was opened at least once.
pub(super) const USED: u8 = 1;
/// The block is of two-layer layout.
pub(super) const TWO_LAYER: u8 = 2;

impl Block {
    #[inline]
    pub fn state(&self) -> BlockState {
        match self.state {
            0 => BlockState::Free,
            1 => BlockState::Open,
            _ => BlockState::Closed,
        }
    }

    /// The next page to program.
    #[inline]
    pub fn write_ptr(&self) -> u32 {
        u32::from(self.write_ptr)
    }

    /// Live slots.
    #[inline]
    pub fn live(&self) -> u32 {
        u32::from(self.live)
    }

    /// The region the block was opened for.
    #[inline]
    pub fn region(&self) -> RegionId {
        RegionId(self.region)
    }

    /// The mode the block was opened in; of a two-layer block the one its wordlines end in.
    #[inline]
    pub fn mode(&self) -> CellMode {
        CellMode::ALL[self.mode as usize]
    }

    /// Whether page `index`, which is `page`, is the next one to program.
    #[inline(always)]
    pub(super) fn check_next(&self, index: u32, page: Ppn) -> Result<(), Fault> {
        if self.state != BlockState::Open as u8 {
            return Err(Fault::ProgramNotOpen(page));
        }
        if u32::from(self.write_ptr) != index {
            return Err(Fault::ProgramOrder { page, expected: u32::from(self.write_ptr) });
        }
        Ok(())
    }

    /// Counts its next page, stored with `live` live slots; whether that was the last one, which closes it.
    #[inline(always)]
    pub(super) fn count_next(&mut self, live: u16) -> bool {
        self.live += live;
        self.live_pages += u16::from(live > 0);
        self.write_ptr += 1;
        let is_full = self.write_ptr == self.pages;
        if is_full {
            self.state = BlockState::Closed as u8;
        }
        is_full
    }

    /// Whether the block is of two-layer layout.
    #[inline(always)]
    pub fn is_two_layer(&self) -> bool {
        self.flags & TWO_LAYER != 0
    }
}
