//! Changes of what the flash holds, apart from when they happen.

use super::Io;
use crate::base::{BlockId, CellMode, Ppn};
use crate::hw::array::RegionId;

impl Io {
    /// Issues the number of a further region: blocks are opened for it, and its live data counted.
    pub(in crate::ftl) fn new_region(&mut self) -> RegionId {
        self.media.new_region()
    }

    /// Opens a free block in `mode` for `region`.
    pub(in crate::ftl) fn open_block(&mut self, block: BlockId, mode: CellMode, region: RegionId) {
        self.media.open(block, mode, region);
    }

    /// Opens a free block in two-layer layout for `region`.
    pub(in crate::ftl) fn open_two_layer_block(&mut self, block: BlockId, region: RegionId) {
        self.media.open_two_layer(block, region);
    }

    /// Closes an open block before it is full.
    pub(in crate::ftl) fn close_block(&mut self, block: BlockId) {
        self.media.close(block);
    }

    /// Links a free block to the next of its list (0 = none).
    #[inline]
    pub(in crate::ftl) fn link_free(&mut self, block: BlockId, next: u32) {
        self.media.link_free(block, next);
    }

    /// Stores mapping units in `page` (tag = unit + 1, 0 = nothing), no more than its slots; older
    /// copies die. Units in
    /// `fresh` (bit per slot) carry new data, those in `held` what the hold buffer has (which the
    /// caller takes out), the others a copy of what is stored.
    #[inline(always)]
    pub(in crate::ftl) fn write_page(&mut self, page: Ppn, tags: &[u32], fresh: u32, held: u32) {
        self.media.write_page(page, tags, fresh, held);
    }

    /// Moves a page's live slots to `to`, each to the same place; returns how many.
    #[inline]
    pub(in crate::ftl) fn remap_page(&mut self, from: Ppn, to: Ppn) -> u32 {
        self.media.remap_page(from, to)
    }
}
