//! The free blocks of a region in one plane, linked through the blocks themselves.

use super::config::WearLevelling;
use super::io::Io;
use super::restore::check_fresh;
use crate::base::{BlockId, PlaneId};
use crate::hw::array::BlockState;
use serde::{Deserialize, Serialize};

/// The free blocks of a region in one plane: never-used ones first, then the longest free.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FreeList {
    fresh: u32,
    fresh_end: u32,
    head: u32,
    tail: u32,
    recycled: u32,
}

impl FreeList {
    /// A list of never-used blocks, `first` to `end` of the plane.
    pub fn new(first: u32, end: u32) -> Self {
        Self { fresh: first, fresh_end: end, head: 0, tail: 0, recycled: 0 }
    }

    /// Blocks in the list.
    pub fn len(&self) -> u32 {
        self.fresh_end - self.fresh + self.recycled
    }

    /// Adds an erased block: it is opened after those that have been free longer.
    pub fn push(&mut self, io: &mut Io, block: BlockId) {
        io.link_free(block, 0);
        if self.recycled == 0 {
            self.head = block.0;
        } else {
            io.link_free(BlockId(self.tail), block.0);
        }
        self.tail = block.0;
        self.recycled += 1;
    }

    /// Takes the next block to open.
    pub fn pop(&mut self, io: &mut Io, plane: PlaneId, rule: WearLevelling) -> Option<BlockId> {
        if self.fresh < self.fresh_end {
            self.fresh += 1;
            return Some(io.geometry().block(plane, self.fresh - 1));
        }
        if self.recycled == 0 {
            return None;
        }
        if rule == WearLevelling::Dynamic {
            self.bring_least_worn_forward(io);
        }
        let block = BlockId(self.head);
        self.head = io.array().block(block).next_free;
        self.recycled -= 1;
        Some(block)
    }

    /// The blocks in the list that were used before, of a snapshot's list that is to take the place
    /// of `new`; or what is wrong with it.
    pub fn recycled(&self, new: &Self, io: &Io, plane: PlaneId) -> Result<Vec<BlockId>, String> {
        let array = io.array();
        check_fresh(self.fresh..self.fresh_end, new.fresh..new.fresh_end, plane, array)?;
        let mut blocks = Vec::new();
        let mut next = self.head;
        while blocks.len() < self.recycled as usize {
            let block = BlockId(next);
            let here = next >> array.geometry.block_bits == plane.0;
            if !here || !array.was_used(block) || array.block(block).state() != BlockState::Free {
                return Err(format!("block {next} is listed as free"));
            }
            blocks.push(block);
            next = array.block(block).next_free;
            // A list that runs in a circle ends here at the latest.
            if blocks.len() > 1 << array.geometry.block_bits {
                return Err(format!("{} blocks are listed as free", self.recycled));
            }
        }
        match blocks.last() {
            Some(last) if last.0 != self.tail => Err(format!("the free list ends at block {}", self.tail)),
            _ => Ok(blocks),
        }
    }

    /// Moves the free block with the fewest erases (the longest free on ties) to the head.
    fn bring_least_worn_forward(&mut self, io: &mut Io) {
        let (mut before, mut block) = (None, BlockId(self.head));
        let mut best = (io.array().wear(block), before, block);
        for _ in 1..self.recycled {
            before = Some(block);
            block = BlockId(io.array().block(block).next_free);
            let wear = io.array().wear(block);
            if wear < best.0 {
                best = (wear, before, block);
            }
        }
        let (_, Some(before), block) = best else {
            return;
        };
        let next = io.array().block(block).next_free;
        io.link_free(before, next);
        if self.tail == block.0 {
            self.tail = before.0;
        }
        io.link_free(block, self.head);
        self.head = block.0;
    }
}
