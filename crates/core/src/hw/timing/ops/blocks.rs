//! What is done to a block in time: which of its pages are programmed, and the order of its operations.

use super::super::spec::OpId;
use super::op::{Op, FOLLOWS};
use crate::base::bit_table::BitTable;
use crate::base::op::OpKind;
use crate::base::BlockId;
use crate::hw::geometry::Geometry;
use bytemuck::Zeroable;

#[derive(Clone, Copy, Default, Zeroable)]
#[repr(C)]
struct BlockClock {
    /// The block's last program or erase in flight.
    last: u32,
    /// Reads queued or running: no more than there are numbers for operations.
    reads: u32,
    /// Erases emitted: programs from before the last one no longer count as done pages.
    generation: u32,
    /// Pages of the present generation whose program is complete.
    done: u16,
    /// An erase that waits for nothing but the reads is parked.
    erase_parked: bool,
    /// Some of its pages are done ahead.
    has_ahead: bool,
}

/// Pages programmed without the clock behind programs in flight of their block: a bit each.
#[derive(Clone)]
struct DoneAhead {
    pages: BitTable,
    page_bits: u32,
}

impl DoneAhead {
    /// None of the pages of a device whose blocks have numbers for so many.
    fn new(block_numbers: usize, page_bits: u32) -> Self {
        Self { pages: BitTable::new(block_numbers << page_bits), page_bits }
    }

    #[inline(always)]
    fn place(&self, block: BlockId, page: u32) -> usize {
        block.index() << self.page_bits | page as usize
    }

    #[inline(always)]
    fn contains(&self, block: BlockId, page: u32) -> bool {
        self.pages.get(self.place(block, page))
    }

    fn insert(&mut self, block: BlockId, page: u32) {
        self.pages.set(self.place(block, page), true);
    }

    fn remove_all(&mut self, block: BlockId) {
        self.pages.clear(self.place(block, 0)..self.place(block, 0) + (1 << self.page_bits));
    }
}

#[derive(Clone)]
pub struct Blocks {
    clocks: Box<[BlockClock]>,
    ahead: DoneAhead,
}

impl Blocks {
    /// Nothing is done yet, on a device of this shape.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let numbers = geometry.block_numbers();
        Self {
            clocks: bytemuck::zeroed_slice_box(numbers),
            ahead: DoneAhead::new(numbers, geometry.page_bits),
        }
    }

    /// Bytes of the table with an entry per block.
    pub fn bytes(geometry: &Geometry) -> u64 {
        (geometry.block_numbers() * size_of::<BlockClock>()) as u64
    }

    /// Adds `count` blocks behind all others.
    pub fn add(&mut self, count: usize) {
        let mut clocks = std::mem::take(&mut self.clocks).into_vec();
        clocks.resize(clocks.len() + count, BlockClock::zeroed());
        self.clocks = clocks.into_boxed_slice();
    }

    /// The block behind all others.
    pub fn last_block(&self) -> BlockId {
        BlockId(self.clocks.len() as u32 - 1)
    }

    /// The last program or erase in flight of each block, where there is one.
    pub fn last_ops(&self) -> impl Iterator<Item = OpId> + '_ {
        self.clocks.iter().map(|clock| OpId(clock.last)).filter(|id| !id.is_none())
    }

    /// The last program or erase in flight of `block`.
    #[inline(always)]
    pub fn last(&self, block: BlockId) -> OpId {
        OpId(self.clocks[block.index()].last)
    }

    /// How often `block` was erased, in state.
    #[inline(always)]
    pub fn generation(&self, block: BlockId) -> u32 {
        self.clocks[block.index()].generation
    }

    /// Whether a read of `block` is queued or running.
    #[inline(always)]
    pub fn is_read(&self, block: BlockId) -> bool {
        self.clocks[block.index()].reads > 0
    }

    /// So many reads of `block` are queued, or begin.
    #[inline(always)]
    pub fn begin_reads(&mut self, block: BlockId, count: u32) {
        self.clocks[block.index()].reads += count;
    }

    /// So many reads of `block` are over, others are not.
    #[inline(always)]
    pub fn end_reads(&mut self, block: BlockId, count: u32) {
        self.clocks[block.index()].reads -= count;
    }

    /// A read of `block` is over; whether it was the last that a parked erase waited for.
    #[inline(always)]
    pub fn end_read(&mut self, block: BlockId) -> bool {
        let clock = &mut self.clocks[block.index()];
        clock.reads -= 1;
        clock.reads == 0 && clock.erase_parked
    }

    /// Says whether an erase of `block` that waits for nothing but the reads is parked.
    pub fn park_erase(&mut self, block: BlockId, is_parked: bool) {
        self.clocks[block.index()].erase_parked = is_parked;
    }

    /// A program of `generation` that ends before page `end` of `block` is over.
    #[inline(always)]
    pub fn end_program(&mut self, block: BlockId, generation: u32, end: u16) {
        let clock = &mut self.clocks[block.index()];
        if generation == clock.generation {
            clock.done = clock.done.max(end);
        }
    }

    /// No program or erase of `block` is in flight any more.
    #[inline(always)]
    pub fn empty(&mut self, block: BlockId) {
        self.clocks[block.index()].last = 0;
    }

    /// Whether page `page` of `block` is programmed in state but, by what is booked, not yet in time.
    #[inline(always)]
    pub fn in_flight(&self, block: BlockId, page: u32) -> bool {
        let clock = &self.clocks[block.index()];
        page >= u32::from(clock.done) && !(clock.has_ahead && self.ahead.contains(block, page))
    }

    /// Whether all of the first `pages` pages of `block` are booked as programmed.
    #[inline(always)]
    pub fn all_done(&self, block: BlockId, pages: u32) -> bool {
        pages <= u32::from(self.clocks[block.index()].done)
    }

    /// Records that the last of the first `pages` pages of `block` is programmed without the clock;
    /// those before it are too, or in flight.
    #[inline(always)]
    pub fn set_done(&mut self, block: BlockId, pages: u32) {
        let clock = &mut self.clocks[block.index()];
        if clock.last == 0 {
            clock.done = pages as u16;
        } else {
            clock.has_ahead = true;
            self.ahead.insert(block, pages - 1);
        }
    }

    /// Records that pages `first` to `end` - 1 of `block`, its last, are programmed without the clock.
    pub fn set_done_from(&mut self, block: BlockId, first: u32, end: u32) {
        if self.clocks[block.index()].last == 0 {
            return self.set_done(block, end);
        }
        (first..end).for_each(|page| self.set_done(block, page + 1));
    }

    /// Records that `block` is erased, in state: what of its former life is still to be programmed says
    /// nothing of the next.
    pub fn set_erased(&mut self, block: BlockId) {
        let clock = &mut self.clocks[block.index()];
        clock.done = 0;
        clock.generation += 1;
        if std::mem::take(&mut clock.has_ahead) {
            self.ahead.remove_all(block);
        }
    }

    /// Makes `id`, which `op` is to be, the last operation of `block`; returns the one before it.
    #[inline(always)]
    pub fn join(&mut self, id: OpId, op: &mut Op, block: BlockId) -> OpId {
        if op.kind == OpKind::Erase {
            self.set_erased(block);
        }
        let clock = &mut self.clocks[block.index()];
        op.generation = clock.generation;
        let prev = OpId(std::mem::replace(&mut clock.last, id.0));
        if !prev.is_none() {
            op.set(FOLLOWS);
        }
        prev
    }

    /// Pages booked as programmed, reads under way and whether something is in flight, of each block.
    #[cfg(test)]
    pub fn booked(&self) -> impl Iterator<Item = (u16, u32, bool)> + '_ {
        self.clocks.iter().map(|clock| (clock.done, clock.reads, clock.last != 0))
    }
}
