//! The flash array's state: blocks, what is live in them, wear; refuses what flash cannot do.
//!
//! A slot carries an opaque tag (the FTL's mapping unit plus one; 0 = dead), kept in one chunk per
//! programmed block. Chunks are handed out last-in first-out, so memory follows the number of
//! blocks that hold data at the same time and not the device's size.

mod audit;
mod block;
mod cells;
mod moving;
mod programs;
mod two_layer;

pub use audit::Fault;
pub use block::{Block, BlockState, RegionId};
pub use moving::Owners;

use super::cells::Cells;
use super::geometry::Geometry;
use crate::base::table::Table;
use crate::base::{sparse, BlockId, CellMode, Ppn, Slot};
use block::USED;
use serde::{Deserialize, Serialize};

/// Numbers that a region may have.
const REGIONS: usize = 1 << u8::BITS;

/// Cell modes whose wear is counted.
const MODES: usize = CellMode::COUNT;

/// Added to the live pages of a closed plain block, so that the untouched state 0 is no candidate
/// and the smallest score is the greedy victim.
pub const CLOSED: i16 = i16::MIN;

/// The array's state.
#[derive(Clone, Serialize, Deserialize)]
pub struct FlashArray {
    /// Shape and address packing.
    #[serde(skip)]
    pub geometry: Geometry,
    #[serde(with = "sparse")]
    blocks: Box<[Block]>,
    /// What victim selection scans: the smallest is the greedy victim, 0 is none. Of closed plain
    /// blocks the pages with a live slot plus `CLOSED`, which is negative; of two-layer blocks the
    /// dead pages, negated.
    #[serde(with = "sparse")]
    score: Vec<i16>,
    /// Live slots by region; of two-layer blocks only those in wordlines with one bit.
    #[serde(skip, default = "none_live")]
    live: Box<[u64; REGIONS]>,
    /// Regions issued.
    regions: u8,
    /// Pages stored so far by cell mode, in this array's life.
    #[serde(skip)]
    stored: [u64; MODES],
    #[serde(with = "sparse")]
    erases: Vec<u32>,
    /// Pages that each block held when wear was last reset, and in what mode, for `worn_pages`.
    #[serde(with = "sparse")]
    begun: Vec<[u16; 2]>,
    #[serde(with = "sparse")]
    tags: Table,
    free_chunks: Vec<u32>,
    next_chunk: u32,
    opened: u32,
    /// How the cells of blocks err; absent where they never do. A snapshot has them apart.
    #[serde(skip)]
    cells: Option<Box<Cells>>,
}

impl FlashArray {
    /// Bytes of the tables with an entry per slot.
    pub fn slot_bytes(geometry: &Geometry) -> u64 {
        let usable: u64 = geometry.pools.iter().map(|p| u64::from(p.planes) * u64::from(p.blocks)).sum();
        usable * u64::from(geometry.slots_per_block()) * size_of::<u32>() as u64
    }

    /// Bytes of the tables with an entry per block.
    pub fn block_bytes(geometry: &Geometry) -> u64 {
        let begun = size_of::<[u16; 2]>();
        let entry = size_of::<Block>() + size_of::<i16>() + begun + size_of::<u32>() * CellMode::ALL.len();
        (geometry.block_numbers() * entry) as u64
    }

    /// An array of erased blocks; costs address space only until used.
    pub fn new(geometry: Geometry) -> Self {
        let blocks = geometry.block_numbers();
        let usable: u64 = geometry.pools.iter().map(|p| u64::from(p.planes) * u64::from(p.blocks)).sum();
        let chunk = u64::from(geometry.slots_per_block());
        Self {
            blocks: bytemuck::zeroed_slice_box(blocks),
            score: vec![0; blocks],
            live: none_live(),
            regions: 0,
            stored: [0; MODES],
            erases: vec![0; blocks * CellMode::ALL.len()],
            begun: bytemuck::zeroed_vec(blocks),
            tags: Table::new((usable * chunk) as usize),
            free_chunks: Vec::new(),
            next_chunk: 0,
            opened: 0,
            cells: None,
            geometry,
        }
    }

    /// Issues the number of a further region.
    pub fn new_region(&mut self) -> RegionId {
        let region = RegionId(self.regions);
        self.regions = self.regions.checked_add(1).expect("Invariant: a scheme has a few regions");
        region
    }

    /// The block's record.
    #[inline(always)]
    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }

    /// Pages of a block with at least one live slot.
    #[inline(always)]
    pub fn live_pages(&self, block: BlockId) -> u32 {
        u32::from(self.blocks[block.index()].live_pages)
    }

    /// Scores of a run of blocks: of closed plain blocks the live pages plus `CLOSED`, of two-layer
    /// blocks the dead pages negated, 0 for any other.
    #[inline]
    pub fn scores(&self, first: BlockId, count: u32) -> &[i16] {
        &self.score[first.index()..first.index() + count as usize]
    }

    /// Whether a block is closed: programmed and not to be programmed further.
    #[inline]
    pub fn is_closed(&self, block: BlockId) -> bool {
        self.blocks[block.index()].state == BlockState::Closed as u8
    }

    /// Pages of a block that are programmed and hold nothing live.
    #[inline(always)]
    pub fn dead_pages(&self, block: BlockId) -> u32 {
        let record = &self.blocks[block.index()];
        u32::from(record.write_ptr - record.live_pages)
    }

    /// Live slots in the blocks of a region; of two-layer blocks only those in wordlines with one bit.
    pub fn live_in(&self, region: RegionId) -> u64 {
        self.live[usize::from(region.0)]
    }

    /// Pages stored so far in `mode`, before time 0 included; the first bits of two-layer blocks are SLC.
    pub fn stored(&self, mode: CellMode) -> u64 {
        self.stored[mode as usize]
    }

    /// How often a block was erased in `mode`.
    #[inline]
    pub fn erases(&self, block: BlockId, mode: CellMode) -> u32 {
        self.erases[block.index() * MODES + mode as usize]
    }

    /// Pages of `mode` that a block's cycles since the last reset of wear took: those of a block for each
    /// erase, programmed or not, and what is programmed of the cycle under way.
    pub fn worn_pages(&self, block: BlockId, mode: CellMode) -> u64 {
        let (record, pages) = (self.block(block), self.pages_of(block, mode));
        let under_way = if record.mode == mode as u8 { u64::from(record.write_ptr) } else { 0 };
        let [held, held_in] = self.begun[block.index()];
        let begun = if held_in == mode as u16 { u64::from(held) } else { 0 };
        u64::from(self.erases(block, mode)) * pages + under_way - begun
    }

    /// Pages of a block of the same pool in `mode`; 0 where its chips do not offer that.
    pub fn pages_of(&self, block: BlockId, mode: CellMode) -> u64 {
        let pool = self.geometry.pool_of(self.geometry.plane_of(block));
        pool.modes[mode as usize].as_ref().map_or(0, |mode| u64::from(mode.pages))
    }

    /// How often a block was erased in any mode.
    pub fn wear(&self, block: BlockId) -> u32 {
        self.erases[block.index() * MODES..(block.index() + 1) * MODES].iter().sum()
    }

    /// Blocks opened so far: the clock of block ages.
    pub fn openings(&self) -> u32 {
        self.opened
    }

    /// Links a free block to the next one of its free list; one that is not erased may be on none.
    #[inline]
    pub fn link_free(&mut self, block: BlockId, next: u32) {
        let record = &mut self.blocks[block.index()];
        assert!(record.state == BlockState::Free as u8, "Invariant: only erased blocks are free");
        record.next_free = next;
    }

    fn exists(&self, block: BlockId) -> bool {
        let plane = self.geometry.plane_of(block);
        plane.index() < self.geometry.planes.len()
            && block.0 & ((1 << self.geometry.block_bits) - 1) < self.geometry.pool_of(plane).blocks
    }

    /// Opens a free block in `mode` for `region`.
    pub fn open(&mut self, block: BlockId, mode: CellMode, region: RegionId) -> Result<(), Fault> {
        if !self.exists(block) {
            return Err(Fault::NoSuchBlock(block));
        }
        let plane = self.geometry.plane_of(block);
        let Some(resolved) = &self.geometry.pool_of(plane).modes[mode as usize] else {
            return Err(Fault::NoSuchMode(block, mode));
        };
        self.open_as(block, mode, resolved.pages as u16, region, USED)
    }

    fn open_as(
        &mut self,
        block: BlockId,
        mode: CellMode,
        pages: u16,
        region: RegionId,
        flags: u8,
    ) -> Result<(), Fault> {
        let record = &mut self.blocks[block.index()];
        if record.state() != BlockState::Free {
            return Err(Fault::OpenNotFree(block));
        }
        let chunk = self.free_chunks.pop().unwrap_or(self.next_chunk);
        self.next_chunk = self.next_chunk.max(chunk + 1);
        self.opened += 1;
        *record = Block {
            chunk,
            opened: self.opened,
            next_free: 0,
            write_ptr: 0,
            pages,
            live: 0,
            live_pages: 0,
            state: BlockState::Open as u8,
            mode: mode as u8,
            region: region.0,
            flags,
        };
        Ok(())
    }

    /// Closes an open block before it is full.
    pub fn close(&mut self, block: BlockId) -> Result<(), Fault> {
        let record = &mut self.blocks[block.index()];
        if record.state() != BlockState::Open {
            return Err(Fault::CloseNotOpen(block));
        }
        record.state = BlockState::Closed as u8;
        if !record.is_two_layer() {
            self.score[block.index()] = CLOSED + record.live_pages as i16;
        }
        Ok(())
    }

    /// Whether `page` lies in a plain block.
    #[inline(always)]
    pub fn is_plain(&self, page: Ppn) -> bool {
        !self.block(self.geometry.block_of(page)).is_two_layer()
    }

    /// Whether a slot exists and lies in a page that is programmed.
    #[inline]
    pub fn is_programmed(&self, slot: Slot) -> bool {
        let page = self.geometry.page_of(slot);
        let block = self.geometry.block_of(page);
        let index = slot.0 & ((1 << self.geometry.slot_bits) - 1);
        self.exists(block)
            && self.block(block).state() != BlockState::Free
            && self.geometry.page_in_block(page) < self.block(block).write_ptr()
            && index < self.geometry.pool_of(self.geometry.plane_of(block)).slots_per_page
    }

    /// Whether a block was ever opened.
    pub fn was_used(&self, block: BlockId) -> bool {
        self.blocks[block.index()].flags & USED != 0
    }

    /// The tag of a slot; 0 = dead.
    #[inline]
    pub fn tag(&self, slot: Slot) -> u32 {
        let page = self.geometry.page_of(slot);
        self.page_tags(page)[(slot.0 & ((1 << self.geometry.slot_bits) - 1)) as usize]
    }

    /// The tags of a page's slots (all zero where the block was never programmed).
    #[inline(always)]
    pub fn page_tags(&self, page: Ppn) -> &[u32] {
        let block = self.geometry.block_of(page);
        let record = &self.blocks[block.index()];
        let base = tag_index(&self.geometry, record.chunk, self.geometry.page_in_block(page));
        &self.tags[base..base + (1 << self.geometry.slot_bits)]
    }

    /// The tags of all programmed pages of a block, page behind page; none of a free one.
    #[inline]
    pub fn block_tags(&self, block: BlockId) -> &[u32] {
        let record = &self.blocks[block.index()];
        if record.state() == BlockState::Free {
            return &[];
        }
        let first = tag_index(&self.geometry, record.chunk, 0);
        &self.tags[first..first + (usize::from(record.write_ptr) << self.geometry.slot_bits)]
    }

    /// Declares a live slot dead.
    #[inline(always)]
    pub fn invalidate(&mut self, slot: Slot) -> Result<(), Fault> {
        self.invalidate_run(slot, 1)
    }

    /// Declares `count` live slots of a page dead, from `first` on. Where one was dead before it is refused,
    /// and the others are dead as well.
    #[inline(always)]
    pub fn invalidate_run(&mut self, first: Slot, count: u32) -> Result<(), Fault> {
        let page = self.geometry.page_of(first);
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_in_block(page);
        let in_cache = self.in_cache(block, index);
        let record = &mut self.blocks[block.index()];
        let base = tag_index(&self.geometry, record.chunk, index);
        let slots = 1 << self.geometry.slot_bits;
        let tags = &mut self.tags[base..base + slots];
        let place = first.0 as usize & (slots - 1);
        // A free block's tags are another one's by now.
        if record.state == BlockState::Free as u8 {
            return Err(Fault::InvalidateDead(first));
        }
        let mut alive = true;
        for tag in &mut tags[place..place + count as usize] {
            alive &= std::mem::take(tag) != 0;
        }
        if !alive {
            return Err(Fault::InvalidateDead(first));
        }
        record.live -= count as u16;
        self.live[usize::from(record.region)] -= if in_cache { u64::from(count) } else { 0 };
        if count as usize == slots || tags.iter().all(|&t| t == 0) {
            record.live_pages -= 1;
            if record.state == BlockState::Closed as u8 || record.is_two_layer() {
                self.score[block.index()] -= 1;
            }
        }
        Ok(())
    }

    /// Takes all live slots out of a page at once: copies its tags and declares them dead.
    #[inline(always)]
    pub fn take_page(&mut self, page: Ppn, tags: &mut [u32]) {
        let block = self.geometry.block_of(page);
        let index = self.geometry.page_in_block(page);
        let base = tag_index(&self.geometry, self.blocks[block.index()].chunk, index);
        let stored = &mut self.tags[base..base + tags.len()];
        tags.copy_from_slice(stored);
        stored.fill(0);
        let live = tags.iter().filter(|&&tag| tag != 0).count() as u16;
        self.count_taken(block, index, live);
    }

    /// Counts a page of which `live` slots, all it had, are taken out.
    #[inline(always)]
    fn count_taken(&mut self, block: BlockId, index: u32, live: u16) {
        let in_cache = self.in_cache(block, index);
        let record = &mut self.blocks[block.index()];
        record.live -= live;
        if in_cache {
            self.live[usize::from(record.region)] -= u64::from(live);
        }
        if live > 0 {
            record.live_pages -= 1;
            if record.state == BlockState::Closed as u8 || record.is_two_layer() {
                self.score[block.index()] -= 1;
            }
        }
    }

    /// Erases a block without live slots.
    pub fn erase(&mut self, block: BlockId) -> Result<(), Fault> {
        let record = &mut self.blocks[block.index()];
        if record.live > 0 {
            return Err(Fault::EraseLive(block, record.live));
        }
        if record.write_ptr == 0 {
            return Err(Fault::EraseEmpty(block));
        }
        self.erases[block.index() * MODES + record.mode as usize] += 1;
        self.free_chunks.push(record.chunk);
        record.state = BlockState::Free as u8;
        record.write_ptr = 0;
        record.chunk = 0;
        self.score[block.index()] = 0;
        Ok(())
    }

    /// Asks the processor to fetch what an invalidation of `slot` will touch.
    #[inline(always)]
    pub fn prefetch(&self, slot: Slot) {
        let block = self.geometry.block_of(self.geometry.page_of(slot));
        crate::base::prefetch::read(&self.blocks, block.index());
        crate::base::prefetch::read(&self.score, block.index());
    }

    /// Asks the processor to fetch the tags of the page that holds `slot`, if there is one.
    #[inline(always)]
    pub fn prefetch_tags(&self, slot: Slot) {
        let page = self.geometry.page_of(slot);
        if let Some(record) = self.blocks.get(self.geometry.block_of(page).index()) {
            let index = tag_index(&self.geometry, record.chunk, self.geometry.page_in_block(page));
            crate::base::prefetch::read(&self.tags, index);
        }
    }

    /// Counts wear from here on: no erases, and nothing of what is programmed now.
    pub fn reset_wear(&mut self) {
        for i in (0..self.blocks.len()).filter(|&i| self.blocks[i].flags & USED != 0) {
            self.erases[i * MODES..(i + 1) * MODES].fill(0);
            self.begun[i] = [self.blocks[i].write_ptr, u16::from(self.blocks[i].mode)];
        }
        if let Some(bad) = self.bad_blocks_mut() {
            bad.reset_wear();
        }
    }

    /// Every block that was ever opened.
    pub fn used_blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        (0..self.blocks.len()).filter(|&i| self.blocks[i].flags & USED != 0).map(|i| BlockId(i as u32))
    }
}

fn none_live() -> Box<[u64; REGIONS]> {
    Box::new([0; REGIONS])
}

#[inline(always)]
fn tag_index(geometry: &Geometry, chunk: u32, page: u32) -> usize {
    ((chunk as usize) << (geometry.page_bits + geometry.slot_bits)) + ((page as usize) << geometry.slot_bits)
}
