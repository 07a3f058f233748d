//! Erased blocks of one plane, linked through the blocks themselves.

use crate::base::{BlockId, PlaneId};
use crate::hw::array::{BlockState, FlashArray};
use serde::{Deserialize, Serialize};
use std::iter::successors;

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
            self.bring_forward(array, |array, block| array.wear(block));
        }
        Some(self.pop_head(array))
    }

    /// Takes the most worn block (the longest free on ties), if it has more than `cycles` of the densest mode.
    pub fn pop_more_worn(&mut self, array: &mut FlashArray, cycles: f64) -> Option<BlockId> {
        let worn = |array: &FlashArray, block| array.worn_cycles(block);
        let first = (self.len > 0).then_some(BlockId(self.head));
        let listed = successors(first, |&block| Some(BlockId(array.block(block).next_free)));
        if !listed.take(self.len as usize).any(|block| worn(array, block) > cycles) {
            return None;
        }
        self.bring_forward(array, |array, block| -worn(array, block));
        Some(self.pop_head(array))
    }

    fn pop_head(&mut self, array: &FlashArray) -> BlockId {
        let block = BlockId(self.head);
        self.head = array.block(block).next_free;
        self.len -= 1;
        block
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

    /// Moves the block of the least `rank` (the longest free on ties) to the head.
    fn bring_forward<T: PartialOrd>(
        &mut self,
        array: &mut FlashArray,
        rank: impl Fn(&FlashArray, BlockId) -> T,
    ) {
        let (mut before, mut block) = (None, BlockId(self.head));
        let mut best = (rank(array, block), before, block);
        for _ in 1..self.len {
            before = Some(block);
            block = BlockId(array.block(block).next_free);
            let own = rank(array, block);
            if own < best.0 {
                best = (own, before, block);
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
