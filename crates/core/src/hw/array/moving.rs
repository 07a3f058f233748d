//! Pages whose live slots move to another page.

use super::{tag_index, Fault, FlashArray, MODES};
use crate::base::{BlockId, Ppn};

impl FlashArray {
    /// Whether both pages lie in plain blocks.
    #[inline(always)]
    pub fn both_plain(&self, a: Ppn, b: Ppn) -> bool {
        self.is_plain(a) && self.is_plain(b)
    }

    /// Programs `to`, the next page of an open plain block, with what lives in `from`, of a plain block,
    /// each slot at the same place, and leaves nothing there. Tells `moved` the tag and the place of each,
    /// and returns how many.
    #[inline(always)]
    pub fn move_page(&mut self, from: Ppn, to: Ppn, mut moved: impl FnMut(u32, u32)) -> Result<u32, Fault> {
        let (source, target) = (self.geometry.block_of(from), self.geometry.block_of(to));
        let (index, next) = (self.geometry.page_in_block(from), self.geometry.page_in_block(to));
        self.check_next(target, next, to, 0)?;
        let from_base = tag_index(&self.geometry, self.blocks[source.index()].chunk, index);
        let to_base = tag_index(&self.geometry, self.blocks[target.index()].chunk, next);
        let (mut live, mut end) = (0, 0);
        for place in 0..1 << self.geometry.slot_bits {
            let tag = std::mem::take(&mut self.tags[from_base + place]);
            if tag != 0 {
                self.tags[to_base + place] = tag;
                moved(tag, place as u32);
                live += 1;
                end = place + 1;
            }
        }
        self.check_slots(target, to, end)?;
        self.count_taken(source, index, live);
        self.stored[usize::from(self.blocks[target.index()].mode) % MODES] += 1;
        self.count_stored(target, next, live);
        Ok(u32::from(live))
    }

    /// Where the tags of `block` begin, for `tags_at`.
    #[inline(always)]
    pub fn first_tag(&self, block: BlockId) -> usize {
        tag_index(&self.geometry, self.blocks[block.index()].chunk, 0)
    }

    /// The tags of page `index` of the block whose tags begin at `first`.
    #[inline(always)]
    pub fn tags_at(&self, first: usize, index: u32) -> &[u32] {
        let base = first + ((index as usize) << self.geometry.slot_bits);
        &self.tags[base..base + (1 << self.geometry.slot_bits)]
    }
}
