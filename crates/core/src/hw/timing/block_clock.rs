//! What is done to a block in time: which of its pages are programmed, and the order of its operations.

use super::engine::Timing;
use super::ids::OpId;
use super::op_table::{Op, FOLLOWS};
use crate::base::op::{Class, OpKind};
use crate::base::table::Table;
use crate::base::BlockId;
use bytemuck::Zeroable;

/// What the clock knows of a block.
#[derive(Clone, Copy, Default, Zeroable)]
#[repr(C)]
pub(super) struct BlockClock {
    /// The block's last program or erase in flight.
    pub(super) last: u32,
    /// Reads queued or running: no more than there are numbers for operations.
    pub(super) reads: u32,
    /// Erases emitted: programs from before the last one no longer count as done pages.
    pub(super) generation: u32,
    /// Pages of the present generation whose program is complete.
    pub(super) done: u16,
    /// An erase that waits for nothing but the reads is parked.
    pub(super) erase_parked: bool,
    /// Some of its pages are done ahead.
    has_ahead: bool,
}

/// Pages programmed without the clock behind programs in flight of their block: a bit each.
#[derive(Clone)]
pub(super) struct DoneAhead {
    words: Table,
    page_bits: u32,
}

impl DoneAhead {
    /// None of the pages of a device whose blocks have numbers for so many.
    pub(super) fn new(block_numbers: usize, page_bits: u32) -> Self {
        Self { words: Table::new((block_numbers << page_bits).div_ceil(32)), page_bits }
    }

    /// The word and the bit of a page.
    #[inline(always)]
    fn place(&self, block: BlockId, page: u32) -> (usize, u32) {
        let place = block.index() << self.page_bits | page as usize;
        (place / 32, 1 << (place % 32))
    }

    #[inline(always)]
    fn contains(&self, block: BlockId, page: u32) -> bool {
        let (word, bit) = self.place(block, page);
        self.words[word] & bit != 0
    }

    fn insert(&mut self, block: BlockId, page: u32) {
        let (word, bit) = self.place(block, page);
        self.words[word] |= bit;
    }

    fn remove_all(&mut self, block: BlockId) {
        for page in 0..1 << self.page_bits {
            let (word, bit) = self.place(block, page);
            self.words[word] &= !bit;
        }
    }
}

impl Timing {
    /// Whether page `page` of `block` is programmed in state but not yet in time.
    #[inline(always)]
    pub fn in_flight(&self, block: BlockId, page: u32) -> bool {
        page >= u32::from(self.blocks[block.index()].done)
            && !(self.blocks[block.index()].has_ahead && self.done_ahead.contains(block, page))
            && (self.stretching == 0 || !self.is_over(block, page))
    }

    /// The program in flight that covers `page` of `block`, if any; of a run, where there are no stretches.
    pub fn program_of(&self, block: BlockId, page: u32) -> OpId {
        let mut id = OpId(self.blocks[block.index()].last);
        while !id.is_none() {
            if self.programs(id).is_some_and(|(first, pages)| (first..first + pages).contains(&page)) {
                return id;
            }
            id = self.ops.block_prev(id);
        }
        id
    }

    /// The first page and the number of pages that `id` programs, now or after its read.
    #[inline]
    fn programs(&self, id: OpId) -> Option<(u32, u32)> {
        let op = &self.ops[id];
        if op.is_run() {
            return Some(self.programs_of_run(id));
        }
        match self.ops.then(id) {
            _ if op.kind.stores() => Some((u32::from(op.page), u32::from(op.pages))),
            Some(target) => Some((u32::from(target.page), 1)),
            None => None,
        }
    }

    /// Records that the last of the first `pages` pages of `block` is programmed without the clock;
    /// those before it are too, or in flight.
    #[inline(always)]
    pub fn set_done(&mut self, block: BlockId, pages: u32) {
        let clock = &mut self.blocks[block.index()];
        if clock.last == 0 {
            clock.done = pages as u16;
        } else {
            clock.has_ahead = true;
            self.done_ahead.insert(block, pages - 1);
        }
    }

    /// Records that pages `first` to `end` - 1 of `block`, its last, are programmed without the clock.
    pub fn set_done_from(&mut self, block: BlockId, first: u32, end: u32) {
        if self.blocks[block.index()].last == 0 {
            return self.set_done(block, end);
        }
        (first..end).for_each(|page| self.set_done(block, page + 1));
    }

    /// Whether all of the first `pages` pages of `block` are programmed in time.
    #[inline(always)]
    pub fn all_done(&self, block: BlockId, pages: u32) -> bool {
        pages <= u32::from(self.blocks[block.index()].done)
            || (self.stretching > 0 && self.is_over(block, pages - 1))
    }

    /// Records that `block` is erased, in state: what of its former life is still to be programmed says
    /// nothing of the next.
    pub fn set_erased(&mut self, block: BlockId) {
        let clock = &mut self.blocks[block.index()];
        clock.done = 0;
        clock.generation += 1;
        if std::mem::take(&mut clock.has_ahead) {
            self.done_ahead.remove_all(block);
        }
    }

    /// Makes `id`, which `op` is to be, the last operation of `block`; returns the one before it.
    #[inline(always)]
    pub(super) fn join_block(&mut self, id: OpId, op: &mut Op, block: BlockId) -> OpId {
        if op.kind == OpKind::Erase {
            self.set_erased(block);
        }
        let clock = &mut self.blocks[block.index()];
        op.generation = clock.generation;
        let prev = OpId(std::mem::replace(&mut clock.last, id.0));
        if !prev.is_none() {
            op.set(FOLLOWS);
        }
        prev
    }

    /// Order (a): `id` follows `prev` in its block, and lends it its class.
    pub(super) fn follow(&mut self, id: OpId, prev: OpId, class: Class) {
        self.ops.more_mut(id).block_prev = prev;
        let before = &mut self.ops[prev];
        before.block_next = id;
        if before.class > class {
            self.raise(prev, class);
        }
    }
}
