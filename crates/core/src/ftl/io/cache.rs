//! What the SLC cache takes, and when it has no room.

use super::Io;
use crate::base::{BlockId, CellMode};
use crate::ftl::cache_use::CacheUse;
use crate::hw::array::{BlockState, RegionId};

impl Io {
    /// What the SLC cache takes, to look at.
    pub fn cache_use(&self) -> &CacheUse {
        &self.cache
    }

    /// A write found no room in the SLC cache.
    #[inline]
    pub fn note_cache_full(&mut self) {
        if !self.clockless {
            self.cache.note_full(self.timing.now_ns());
        }
    }

    /// `region` may open no block.
    #[cold]
    pub(in crate::ftl) fn note_refused(&mut self, region: RegionId) {
        if self.cache.is_cache(region) {
            self.note_cache_full();
        }
    }

    /// A block was opened in `mode` for `region`.
    pub(super) fn note_opened(&mut self, block: BlockId, region: RegionId) {
        self.note_opened_cells(block);
        if self.cache.is_cache(region) {
            self.cache.take(self.bytes_in_slc(block), self.timing.now_ns());
        }
    }

    /// Page `index` of a block of two-layer layout, bit number `bit` of its wordline, is about to be stored: the
    /// wordline joins the cache with its first bit, and leaves it with its second.
    #[inline]
    pub(in crate::ftl) fn note_bit(&mut self, block: BlockId, index: u32, bit: u8) {
        let geometry = self.geometry();
        let bytes = u64::from(geometry.planes[geometry.plane_of(block).index()].page_bytes);
        match bit {
            0 => self.cache.take(bytes, self.timing.now_ns()),
            1 => self.cache.give(bytes, self.timing.now_ns()),
            _ => {}
        }
        if self.has_cells() {
            self.note_window(block, index);
        }
    }

    /// Where page `index` is the first of a window of layers, its data begin to age.
    #[cold]
    fn note_window(&mut self, block: BlockId, index: u32) {
        let geometry = self.geometry();
        if index % geometry.pool_of(geometry.plane_of(block)).two_layer().window_pages == 0 {
            self.note_opened_cells(block);
        }
    }

    pub(super) fn note_erased(&mut self, block: BlockId) {
        let record = self.media.array().block(block);
        let (in_cache, two_layer) = (self.cache.is_cache(record.region()), record.is_two_layer());
        if in_cache {
            self.cache.give(self.bytes_in_slc(block), self.timing.now_ns());
        }
        if in_cache && !two_layer {
            self.note_cache_full();
        }
        // In front of a disk all of the flash is a cache.
        if !in_cache || two_layer || self.has_disk() {
            self.cache.count_store_erase();
        }
    }

    /// What a block that is not free takes in SLC mode: all of it, or of two-layer layout the wordlines
    /// with one bit.
    fn bytes_in_slc(&self, block: BlockId) -> u64 {
        let array = self.media.array();
        let record = array.block(block);
        let pool = array.geometry.pool_of(array.geometry.plane_of(block));
        let pages = match record.is_two_layer() {
            true => pool.two_layer().wordlines_with_one_bit(record.write_ptr()),
            false => pool.mode(CellMode::Slc).pages,
        };
        u64::from(pages) * u64::from(pool.page_bytes)
    }

    /// What all blocks of `regions` take in SLC mode: the oracle for what is counted.
    pub fn slc_bytes_of(&self, regions: &[RegionId]) -> u64 {
        let array = self.media.array();
        let holds = |&block: &BlockId| {
            let record = array.block(block);
            record.state() != BlockState::Free && regions.contains(&record.region())
        };
        array.used_blocks().filter(holds).map(|block| self.bytes_in_slc(block)).sum()
    }
}
