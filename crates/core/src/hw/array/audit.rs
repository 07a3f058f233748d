//! What the array refuses, and the proof that what it counts beside the blocks agrees with them.

use super::block::Block;
use super::{BlockState, FlashArray, CLOSED, MODES, REGIONS};
use crate::base::{BlockId, CellMode, Ppn, Slot};

impl FlashArray {
    /// Has the shape and the cells of `fresh`, which a snapshot does not hold, and counts what it does not, or
    /// says what does not fit.
    pub fn resume(&mut self, fresh: Self) -> Result<(), String> {
        (self.geometry, self.cells) = (fresh.geometry, fresh.cells);
        let blocks = self.geometry.block_numbers();
        let lengths = [self.blocks.len(), self.score.len(), self.begun.len(), self.erases.len()];
        let slots = Self::slot_bytes(&self.geometry) as usize / size_of::<u32>();
        if lengths != [blocks, blocks, blocks, blocks * MODES] || self.tags.len() != slots {
            return Err(format!("tables of {lengths:?} blocks and {} slots", self.tags.len()));
        }
        self.audit_chunks()?;
        self.live = self.count_live();
        Ok(())
    }

    /// Counts what `live_in` keeps, anew.
    fn count_live(&self) -> Box<[u64; REGIONS]> {
        let mut live = Box::new([0; REGIONS]);
        for block in self.used_blocks().filter(|&b| self.block(b).state() != BlockState::Free) {
            let record = self.block(block);
            let counter = &mut live[usize::from(record.region)];
            if !record.is_two_layer() {
                *counter += self.block_tags(block).iter().filter(|&&tag| tag != 0).count() as u64;
                continue;
            }
            for index in (0..record.write_ptr()).filter(|&index| self.in_cache(block, index)) {
                let tags = self.page_tags(self.geometry.page(block, index));
                *counter += tags.iter().filter(|&&tag| tag != 0).count() as u64;
            }
        }
        live
    }

    /// Whether live slots by region, scores and chunks agree with the blocks; the first violation is described.
    pub fn audit(&self) -> Result<(), String> {
        self.audit_chunks()?;
        let live = self.count_live();
        if let Some(region) = (0..live.len()).find(|&r| live[r] != self.live[r]) {
            return Err(format!("region {region} counts {} live slots wrongly", self.live[region]));
        }
        let score = |block: BlockId| match self.block(block).state() {
            BlockState::Free => 0,
            _ if self.block(block).is_two_layer() => -(self.dead_pages(block) as i16),
            BlockState::Open => 0,
            BlockState::Closed => CLOSED + self.live_pages(block) as i16,
        };
        let mut blocks = (0..self.blocks.len() as u32).map(BlockId);
        match blocks.find(|&block| self.score[block.index()] != score(block)) {
            Some(block) => Err(format!("{block:?} scores {}", self.score[block.index()])),
            None => Ok(()),
        }
    }

    /// Whether the blocks are of a shape that their chips offer, and each chunk of reverse entries is that of
    /// one in use, or free, and is so once.
    fn audit_chunks(&self) -> Result<(), String> {
        let capacity = self.tags.len() / self.geometry.slots_per_block() as usize;
        let mut taken = vec![false; (self.next_chunk as usize).min(capacity)];
        let mut take = |chunk: u32| match taken.get_mut(chunk as usize) {
            Some(taken) if !*taken => {
                *taken = true;
                Ok(())
            }
            _ => Err(format!("chunk {chunk} of reverse entries is taken twice or does not exist")),
        };
        for block in self.used_blocks() {
            let record = self.block(block);
            if !self.exists(block) || !self.has_shape(block, record) {
                return Err(format!("{block:?} is no block of this device: {record:?}"));
            }
            if record.state() != BlockState::Free {
                take(record.chunk)?;
            }
        }
        self.free_chunks.iter().try_for_each(|&chunk| take(chunk))?;
        match taken.iter().position(|&taken| !taken) {
            Some(chunk) => Err(format!("chunk {chunk} of reverse entries is neither in use nor free")),
            None => Ok(()),
        }
    }

    fn has_shape(&self, block: BlockId, record: &Block) -> bool {
        let pool = self.geometry.pool_of(self.geometry.plane_of(block));
        let Some(&mode) = CellMode::ALL.get(usize::from(record.mode)) else { return false };
        let pages = match record.is_two_layer() {
            true => pool.two_layer.as_ref().filter(|layout| layout.mode == mode).map(|layout| layout.pages),
            false => pool.modes[mode as usize].as_ref().map(|mode| mode.pages),
        };
        let written = match record.state() {
            BlockState::Free => record.write_ptr == 0,
            BlockState::Open => record.write_ptr < record.pages,
            BlockState::Closed => record.write_ptr <= record.pages,
        };
        pages == Some(u32::from(record.pages)) && written && record.live_pages <= record.write_ptr
    }
}

/// What the array refuses, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A block that holds data was opened.
    #[error("block {0:?} is not free and cannot be opened")]
    OpenNotFree(BlockId),
    /// A cell mode the chips do not offer.
    #[error("block {0:?} has no {1:?} mode")]
    NoSuchMode(BlockId, CellMode),
    /// A block number outside the geometry.
    #[error("block {0:?} does not exist")]
    NoSuchBlock(BlockId),
    /// A page of a block that is not open was programmed.
    #[error("page {0:?} lies in a block that is not open")]
    ProgramNotOpen(Ppn),
    /// A page was programmed out of order or twice.
    #[error("page {page:?} was programmed where page {expected} of its block is next")]
    ProgramOrder {
        page: Ppn,
        /// The next page in order.
        expected: u32,
    },
    /// A page was programmed with more slots than pages of its pool have.
    #[error("page {page:?} was programmed with {given} slots where its pool's pages have {slots}")]
    SlotsBeyondPage { page: Ppn, given: usize, slots: u32 },
    /// A block with live slots was erased.
    #[error("block {0:?} has {1} live slots and cannot be erased")]
    EraseLive(BlockId, u16),
    /// A block was erased that was never programmed since its last erase.
    #[error("block {0:?} holds nothing to erase")]
    EraseEmpty(BlockId),
    #[error("slot {0:?} is not live")]
    InvalidateDead(Slot),
    /// A block of chips that cannot be reprogrammed was opened in two-layer layout.
    #[error("block {0:?} is of chips that cannot be reprogrammed")]
    NoReprogram(BlockId),
    /// A bit was programmed into a wordline that holds data: only a reprogram can add it.
    #[error("page {0:?} lies in a wordline that holds data and needs a reprogram")]
    ProgramNotErased(Ppn),
    /// A wordline of a plain block was reprogrammed.
    #[error("page {0:?} lies in a block that is not of two-layer layout and cannot be reprogrammed")]
    ReprogramPlain(Ppn),
    /// An erased wordline was reprogrammed.
    #[error("page {0:?} is the first bit of its wordline and cannot be reprogrammed")]
    ReprogramErased(Ppn),
    /// A wordline outside the layers in use was reprogrammed.
    #[error("page {page:?} lies outside window {window} of layers, the one that may be reprogrammed")]
    ReprogramWindow { page: Ppn, window: u32 },
    #[error("block {0:?} is not open and cannot be closed")]
    CloseNotOpen(BlockId),
}
