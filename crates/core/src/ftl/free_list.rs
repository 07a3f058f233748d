//! Erased blocks of one plane, linked through the blocks themselves.

use crate::base::{BlockId, PlaneId};
use crate::hw::array::{BlockState, FlashArray};
use serde::{Deserialize, Serialize};

/// Erased blocks of one plane, the longest free first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct FreeList {
    head: u32,
    tail: u32,
    len: u32,
}

impl FreeList {
    /// Adds a block: it is taken after those that have been free longer.
    pub fn push(&mut self, array: &mut FlashArray, block: BlockId) {
        array.link_free(block, 0);
        if self.len == 0 {
            self.head = block.0;
        } else {
            array.link_free(BlockId(self.tail), block.0);
        }
        self.tail = block.0;
        self.len += 1;
    }

    /// Takes the block that has been free longest; the least worn one if `least_worn`.
    pub fn pop(&mut self, array: &mut FlashArray, least_worn: bool) -> Option<BlockId> {
        if self.len == 0 {
            return None;
        }
        if least_worn {
            self.bring_least_worn_forward(array);
        }
        let block = BlockId(self.head);
        self.head = array.block(block).next_free;
        self.len -= 1;
        Some(block)
    }

    /// The blocks in a snapshot's list of `plane`, or what is wrong with it.
    pub fn walk(&self, array: &FlashArray, plane: PlaneId) -> Result<Vec<BlockId>, String> {
        let mut blocks = Vec::new();
        let mut next = self.head;
        while blocks.len() < self.len as usize {
            let block = BlockId(next);
            let here = next >> array.geometry.block_bits == plane.0;
            if !here || !array.was_used(block) || array.block(block).state() != BlockState::Free {
                return Err(format!("block {next} is listed as free"));
            }
            blocks.push(block);
            next = array.block(block).next_free;
            // A list that runs in a circle ends here at the latest.
            if blocks.len() > 1 << array.geometry.block_bits {
                return Err(format!("{} blocks are listed as free", self.len));
            }
        }
        match blocks.last() {
            Some(last) if last.0 != self.tail => Err(format!("the free list ends at block {}", self.tail)),
            _ => Ok(blocks),
        }
    }

    /// Moves the free block with the fewest erases (the longest free on ties) to the head.
    fn bring_least_worn_forward(&mut self, array: &mut FlashArray) {
        let (mut before, mut block) = (None, BlockId(self.head));
        let mut best = (array.wear(block), before, block);
        for _ in 1..self.len {
            before = Some(block);
            block = BlockId(array.block(block).next_free);
            let wear = array.wear(block);
            if wear < best.0 {
                best = (wear, before, block);
            }
        }
        let (_, Some(before), block) = best else {
            return;
        };
        let next = array.block(block).next_free;
        array.link_free(before, next);
        if self.tail == block.0 {
            self.tail = before.0;
        }
        array.link_free(block, self.head);
        self.head = block.0;
    }
}
