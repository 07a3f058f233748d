//! Which pages are programmed in time: what is booked of their blocks, and what is over of stretches.

use super::engine::Timing;
use super::ids::OpId;
use crate::base::BlockId;

impl Timing {
    /// Whether page `page` of `block` is programmed in state but not yet in time.
    #[inline(always)]
    pub fn in_flight(&self, block: BlockId, page: u32) -> bool {
        self.ops.blocks.in_flight(block, page) && (self.stretching == 0 || !self.is_over(block, page))
    }

    /// Whether all of the first `pages` pages of `block` are programmed in time.
    #[inline(always)]
    pub fn all_done(&self, block: BlockId, pages: u32) -> bool {
        self.ops.blocks.all_done(block, pages) || (self.stretching > 0 && self.is_over(block, pages - 1))
    }

    /// The program in flight that covers `page` of `block`, if any; of a run, where there are no stretches.
    pub fn program_of(&self, block: BlockId, page: u32) -> OpId {
        self.ops.program_of(block, page)
    }

    /// Adds `count` blocks behind those of the array; the number of the first.
    pub fn add_blocks(&mut self, count: u32) -> u32 {
        let first = self.ops.blocks.last_block().0 + 1;
        self.ops.blocks.add(count as usize);
        first
    }

    /// Records that the last of the first `pages` pages of `block` is programmed without the clock;
    /// those before it are too, or in flight.
    #[inline(always)]
    pub fn set_done(&mut self, block: BlockId, pages: u32) {
        self.ops.blocks.set_done(block, pages);
    }

    /// Records that pages `first` to `end` - 1 of `block`, its last, are programmed without the clock.
    pub fn set_done_from(&mut self, block: BlockId, first: u32, end: u32) {
        self.ops.blocks.set_done_from(block, first, end);
    }

    /// Records that `block` is erased, in state: what of its former life is still to be programmed says
    /// nothing of the next.
    pub fn set_erased(&mut self, block: BlockId) {
        self.ops.blocks.set_erased(block);
    }
}
