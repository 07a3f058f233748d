//! The array in a snapshot, and the check that what it counts beside the blocks agrees with them.

use super::block::{Block, BlockState};
use super::{FlashArray, CLOSED, MODES, REGIONS};
use crate::base::sparse::Sparse;
use crate::base::BlockId;
use serde::{Deserialize, Serialize};

/// Number, record, erases by cell mode, and the pages and mode of the time when wear was last reset.
pub(super) type BlockEntry = (u32, Block, [u32; MODES], (u16, u16));

/// What a snapshot holds of the array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArrayState {
    /// Every block that was ever opened, ascending.
    pub(super) blocks: Vec<BlockEntry>,
    pub(super) tags: Sparse,
    pub(super) free_chunks: Vec<u32>,
    pub(super) next_chunk: u32,
    pub(super) opened: u32,
}

impl FlashArray {
    /// What a snapshot holds.
    pub fn save(&self) -> ArrayState {
        let record = |b: BlockId| {
            let i = b.index();
            let erases = std::array::from_fn(|m| self.erases[i * MODES + m]);
            (b.0, self.blocks[i], erases, self.begun[i])
        };
        ArrayState {
            blocks: self.used_blocks().map(record).collect(),
            tags: Sparse::of(&self.tags),
            free_chunks: self.free_chunks.clone(),
            next_chunk: self.next_chunk,
            opened: self.opened,
        }
    }

    /// Takes a snapshot's part, or says why it does not fit.
    pub fn load(&mut self, state: ArrayState) -> Result<(), String> {
        state.check(self)?;
        for (block, record, erases, begun) in state.blocks {
            let i = block as usize;
            self.blocks[i] = record;
            self.score[i] = match record.state() {
                BlockState::Free => 0,
                _ if record.is_two_layer() => -(self.dead_pages(BlockId(block)) as i16),
                BlockState::Open => 0,
                BlockState::Closed => CLOSED + record.live_pages as i16,
            };
            self.erases[i * MODES..(i + 1) * MODES].copy_from_slice(&erases);
            self.begun[i] = begun;
        }
        state.tags.fill(&mut self.tags)?;
        self.free_chunks = state.free_chunks;
        self.next_chunk = state.next_chunk;
        self.opened = state.opened;
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

    /// Whether live slots by region and scores agree with the blocks; the first violation is described.
    pub fn audit(&self) -> Result<(), String> {
        let live = self.count_live();
        if let Some(region) = (0..live.len()).find(|&r| live[r] != self.live[r]) {
            return Err(format!("region {region} counts {} live slots wrongly", self.live[region]));
        }
        let wrong = |&b: &BlockId| {
            let dead = self.block(b).is_two_layer() && self.block(b).state() != BlockState::Free;
            dead && self.score[b.index()] != -(self.dead_pages(b) as i16)
        };
        match self.used_blocks().find(wrong) {
            Some(block) => Err(format!("{block:?} scores {}", self.score[block.index()])),
            None => Ok(()),
        }
    }
}
