//! What blocks of two-layer layout can do and plain ones cannot.

use super::block::{BlockState, TWO_LAYER, USED};
use super::programs::{check_slots, set_tags};
use super::{tag_index, Fault, FlashArray, RegionId};
use crate::base::{BlockId, CellMode, Ppn};
use crate::hw::two_layer::PageStep;

impl FlashArray {
    /// Whether `page` is a further bit of a wordline that holds data.
    #[inline(always)]
    pub fn gains_bit(&self, page: Ppn) -> bool {
        let block = self.geometry.block_of(page);
        self.blocks[block.index()].is_two_layer() && self.step(block, page).bit > 0
    }

    #[inline(always)]
    pub(super) fn step(&self, block: BlockId, page: Ppn) -> &PageStep {
        let pool = self.geometry.pool_of(self.geometry.plane_of(block));
        pool.two_layer().step(self.geometry.page_in_block(page))
    }

    /// Opens a free block in two-layer layout for `region`.
    pub fn open_two_layer(&mut self, block: BlockId, region: RegionId) -> Result<(), Fault> {
        if !self.exists(block) {
            return Err(Fault::NoSuchBlock(block));
        }
        let Some(layout) = &self.geometry.pool_of(self.geometry.plane_of(block)).two_layer else {
            return Err(Fault::NoReprogram(block));
        };
        self.open_as(block, layout.mode, layout.pages as u16, region, USED | TWO_LAYER)
    }

    /// `program_units` in a two-layer block.
    #[inline(never)]
    pub(super) fn fill_units(&mut self, page: Ppn, tag: u32, units: u32, live: u32) -> Result<bool, Fault> {
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_in_block(page);
        let pool = self.geometry.pool_of(self.geometry.plane_of(block));
        if pool.two_layer().step(index).bit > 0 {
            return Ok(false);
        }
        let record = &mut self.blocks[block.index()];
        record.check_next(index, page)?;
        check_slots(&self.geometry, block, page, units as usize)?;
        self.stored[CellMode::Slc as usize] += 1;
        let base = tag_index(&self.geometry, record.chunk, index);
        let stored = set_tags(&mut self.tags[base..base + units as usize], tag, live);
        // The wordline's first bit counts with the region's.
        self.live[usize::from(record.region)] += u64::from(stored);
        record.count_next(stored);
        self.score[block.index()] -= i16::from(stored == 0);
        Ok(true)
    }

    /// Gives the next wordline of an open two-layer block one more bit: the page with `tags`.
    ///
    /// Refused are a plain block, a wordline without data, one outside the window of layers in
    /// use, and any order but that of the layout, which is what keeps a wordline from a bit or a
    /// reprogram too many.
    #[inline]
    pub fn reprogram(&mut self, page: Ppn, tags: &[u32]) -> Result<(), Fault> {
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_in_block(page);
        let record = &self.blocks[block.index()];
        if record.state == BlockState::Free as u8 {
            return Err(Fault::ProgramNotOpen(page));
        }
        if !record.is_two_layer() {
            return Err(Fault::ReprogramPlain(page));
        }
        let layout = self.geometry.pool_of(self.geometry.plane_of(block)).two_layer();
        let in_use = layout.window_of(record.write_ptr().min(layout.pages - 1));
        if layout.window_of(index) != in_use {
            return Err(Fault::ReprogramWindow { page, window: in_use });
        }
        let step = *layout.step(index);
        if step.bit == 0 {
            return Err(Fault::ReprogramErased(page));
        }
        self.check_next(block, index, page, tags.len())?;
        let record = &self.blocks[block.index()];
        self.stored[record.mode as usize] += 1;
        if step.bit == 1 {
            // The wordline leaves the cache, and with it what its first bit holds.
            let first = self.geometry.page(block, u32::from(step.first));
            let leaving = self.page_tags(first).iter().filter(|&&tag| tag != 0).count() as u64;
            self.live[usize::from(record.region)] -= leaving;
        }
        self.store(block, index, tags);
        Ok(())
    }

    /// Whether the live slots of page `index` count with its region's: not if its wordline, of a
    /// two-layer block, holds (or, being written, gets) more than one bit.
    #[inline(always)]
    pub(super) fn in_cache(&self, block: BlockId, index: u32) -> bool {
        let record = &self.blocks[block.index()];
        if !record.is_two_layer() {
            return true;
        }
        let step = self.geometry.pool_of(self.geometry.plane_of(block)).two_layer().step(index);
        step.bit == 0 && record.write_ptr <= step.second
    }
}
