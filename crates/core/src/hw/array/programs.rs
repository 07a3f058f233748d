//! Programs of whole pages.

use super::{tag_index, Fault, FlashArray, Geometry, CLOSED, MODES};
use crate::base::{BlockId, CellMode, Ppn};

impl FlashArray {
    /// Programs the next page of an open block with `tags`, one per slot (0 = dead from the start);
    /// slots beyond them are dead.
    #[inline(always)]
    pub fn program(&mut self, page: Ppn, tags: &[u32]) -> Result<(), Fault> {
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_in_block(page);
        self.check_next(block, index, page, tags.len())?;
        let record = &self.blocks[block.index()];
        if !record.is_two_layer() {
            self.stored[record.mode as usize] += 1;
            self.store(block, index, tags);
        } else if self.step(block, page).bit > 0 {
            return Err(Fault::ProgramNotErased(page));
        } else {
            self.stored[CellMode::Slc as usize] += 1;
            self.store(block, index, tags);
        }
        Ok(())
    }

    /// Programs the next page of an open block with those of the `units` tags from `tag` on that are in
    /// `live` (bit per slot); false where that is a further bit of a wordline, which is left as it is.
    #[inline(always)]
    pub fn program_units(&mut self, page: Ppn, tag: u32, units: u32, live: u32) -> Result<bool, Fault> {
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_in_block(page);
        let record = &mut self.blocks[block.index()];
        if record.is_two_layer() {
            return self.fill_units(page, tag, units, live);
        }
        record.check_next(index, page)?;
        check_slots(&self.geometry, block, page, units as usize)?;
        self.stored[usize::from(record.mode) % MODES] += 1;
        let base = tag_index(&self.geometry, record.chunk, index);
        let stored = set_tags(&mut self.tags[base..base + units as usize], tag, live);
        self.live[usize::from(record.region)] += u64::from(stored);
        if record.count_next(stored) {
            self.score[block.index()] = CLOSED + record.live_pages as i16;
        }
        Ok(true)
    }

    #[inline(always)]
    pub(super) fn check_next(
        &self,
        block: BlockId,
        index: u32,
        page: Ppn,
        slots: usize,
    ) -> Result<(), Fault> {
        self.blocks[block.index()].check_next(index, page)?;
        self.check_slots(block, page, slots)
    }

    #[inline(always)]
    pub(super) fn check_slots(&self, block: BlockId, page: Ppn, given: usize) -> Result<(), Fault> {
        check_slots(&self.geometry, block, page, given)
    }

    /// Stores the next page of a block.
    #[inline(always)]
    pub(super) fn store(&mut self, block: BlockId, index: u32, tags: &[u32]) {
        let base = tag_index(&self.geometry, self.blocks[block.index()].chunk, index);
        let mut live = 0;
        for (place, &tag) in self.tags[base..base + tags.len()].iter_mut().zip(tags) {
            *place = tag;
            live += u16::from(tag != 0);
        }
        self.count_stored(block, index, live);
    }

    /// Counts the next page of a block, stored with `live` live slots.
    #[inline(always)]
    pub(super) fn count_stored(&mut self, block: BlockId, index: u32, live: u16) {
        let in_cache = self.in_cache(block, index);
        let record = &mut self.blocks[block.index()];
        let is_full = record.count_next(live);
        if record.is_two_layer() {
            self.score[block.index()] -= i16::from(live == 0);
        } else if is_full {
            self.score[block.index()] = CLOSED + record.live_pages as i16;
        }
        if in_cache {
            self.live[usize::from(record.region)] += u64::from(live);
        }
    }
}

#[inline(always)]
pub(super) fn check_slots(geometry: &Geometry, block: BlockId, page: Ppn, given: usize) -> Result<(), Fault> {
    // Mostly all pages have as many.
    if given > usize::from(geometry.least_slots) {
        let slots = u32::from(geometry.planes[geometry.plane_of(block).index()].slots);
        if given > slots as usize {
            return Err(Fault::SlotsBeyondPage { page, given, slots });
        }
    }
    Ok(())
}

/// Sets those of the tags from `tag` on that are in `live`, the others to nothing; returns how many are.
#[inline(always)]
pub(super) fn set_tags(places: &mut [u32], tag: u32, live: u32) -> u16 {
    let mut stored = 0;
    for (i, place) in places.iter_mut().enumerate() {
        let alive = live >> i & 1;
        *place = if alive == 1 { tag + i as u32 } else { 0 };
        stored += alive as u16;
    }
    stored
}
