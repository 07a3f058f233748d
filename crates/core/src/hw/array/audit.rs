//! The proof that what the array counts beside the blocks agrees with them.

use super::block::Block;
use super::{BlockState, FlashArray, CLOSED, MODES, REGIONS};
use crate::base::{BlockId, CellMode};

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
