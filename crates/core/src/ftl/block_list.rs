//! Queues of blocks from which a block in the middle can be taken.

use crate::base::sparse;
use crate::base::BlockId;
use serde::{Deserialize, Serialize};

/// A queue's ends; block numbers plus one, 0 = none.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct BlockList {
    head: u32,
    tail: u32,
    len: u32,
}

impl BlockList {
    #[inline(always)]
    pub fn head(&self) -> Option<BlockId> {
        self.head.checked_sub(1).map(BlockId)
    }

    #[inline(always)]
    pub fn tail(&self) -> Option<BlockId> {
        self.tail.checked_sub(1).map(BlockId)
    }

    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The links of every block: it is in one queue at most. Zero = none.
#[derive(Clone, Serialize, Deserialize)]
pub struct BlockLinks {
    #[serde(with = "sparse")]
    next: Vec<u32>,
    #[serde(with = "sparse")]
    prev: Vec<u32>,
}

impl BlockLinks {
    /// Links for `blocks` block numbers, none in a queue.
    pub fn new(blocks: usize) -> Self {
        Self { next: vec![0; blocks], prev: vec![0; blocks] }
    }

    /// Block numbers that it has links for.
    pub fn blocks(&self) -> usize {
        self.next.len().min(self.prev.len())
    }

    /// Appends a block that is in no queue.
    #[inline]
    pub fn push(&mut self, list: &mut BlockList, block: BlockId) {
        let number = block.0 + 1;
        self.next[block.index()] = 0;
        self.prev[block.index()] = list.tail;
        match list.tail {
            0 => list.head = number,
            tail => self.next[tail as usize - 1] = number,
        }
        list.tail = number;
        list.len += 1;
    }

    /// Takes a block out of the queue it is in.
    #[inline]
    pub fn remove(&mut self, list: &mut BlockList, block: BlockId) {
        let (next, prev) = (self.next[block.index()], self.prev[block.index()]);
        match prev {
            0 => list.head = next,
            prev => self.next[prev as usize - 1] = next,
        }
        match next {
            0 => list.tail = prev,
            next => self.prev[next as usize - 1] = prev,
        }
        list.len -= 1;
    }

    /// The blocks of a queue, in order.
    pub fn iter(&self, list: &BlockList) -> impl Iterator<Item = BlockId> + '_ {
        let after = |block: &BlockId| self.next[block.index()].checked_sub(1).map(BlockId);
        std::iter::successors(list.head(), after)
    }

    /// Takes the head.
    #[inline]
    pub fn pop(&mut self, list: &mut BlockList) -> Option<BlockId> {
        let block = list.head()?;
        self.remove(list, block);
        Some(block)
    }

    /// The blocks of a queue out of a snapshot, in order, or what is wrong with it.
    pub fn walk(&self, list: &BlockList) -> Result<Vec<BlockId>, String> {
        let (mut before, mut number) = (0, list.head);
        let mut blocks = Vec::new();
        while number != 0 {
            let Some(&prev) = self.prev.get(number as usize - 1) else {
                return Err(format!("block {} in a queue does not exist", number - 1));
            };
            if prev != before || blocks.len() >= list.len as usize {
                return Err(format!("block {} is in a queue whose links do not agree", number - 1));
            }
            blocks.push(BlockId(number - 1));
            (before, number) = (number, self.next[number as usize - 1]);
        }
        if before != list.tail || blocks.len() != list.len as usize {
            return Err(format!("a queue of {} blocks that counts {}", blocks.len(), list.len));
        }
        Ok(blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_leave_in_order_and_from_the_middle() {
        let mut links = BlockLinks::new(8);
        let (mut a, mut b) = (BlockList::default(), BlockList::default());
        for block in [3, 0, 7, 5].map(BlockId) {
            links.push(&mut a, block);
        }
        links.remove(&mut a, BlockId(7));
        links.push(&mut b, BlockId(7));
        links.remove(&mut a, BlockId(5));
        links.push(&mut a, BlockId(2));
        let drained = |links: &mut BlockLinks, list: &mut BlockList| {
            std::iter::from_fn(|| links.pop(list)).map(|block| block.0).collect::<Vec<_>>()
        };
        assert_eq!((a.len(), b.len()), (3, 1));
        assert_eq!(drained(&mut links, &mut a), [3, 0, 2]);
        assert_eq!(drained(&mut links, &mut b), [7]);
        assert!(a.is_empty() && a.head().is_none() && links.pop(&mut a).is_none());
    }
}
