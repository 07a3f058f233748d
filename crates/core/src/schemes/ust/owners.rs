//! Which SLC blocks belong to which logical block, and which logical block was written longest ago.

use crate::base::{BlockId, PlaneId};
use crate::ftl::block_list::{BlockLinks, BlockList};
use serde::{Deserialize, Serialize};

/// The neighbours of a logical block in the order of the last writes; numbers plus one, 0 = none.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Neighbours {
    older: u32,
    newer: u32,
}

/// The SLC blocks of every logical block. Those that have any are in order of their last write, a
/// queue for each plane.
#[derive(Clone, Serialize, Deserialize)]
pub struct BlockOwners {
    /// By logical block, in the order they were opened.
    lists: Vec<BlockList>,
    links: BlockLinks,
    neighbours: Vec<Neighbours>,
    /// The plane of logical block `i` is `planes[i % planes.len()]`.
    planes: Vec<PlaneId>,
    /// Oldest and newest logical block of each of them; numbers plus one, 0 = none.
    ends: Vec<(u32, u32)>,
    /// SLC blocks of all logical blocks, now and at most.
    blocks: u32,
    blocks_max: u32,
}

impl BlockOwners {
    /// `logical_blocks` logical blocks without SLC blocks, on `planes` in turn, of a device whose block
    /// numbers end at `block_numbers`.
    pub fn new(logical_blocks: u32, planes: &[PlaneId], block_numbers: usize) -> Self {
        Self {
            lists: vec![BlockList::default(); logical_blocks as usize],
            links: BlockLinks::new(block_numbers),
            neighbours: vec![Neighbours::default(); logical_blocks as usize],
            planes: planes.to_vec(),
            ends: vec![(0, 0); planes.len()],
            blocks: 0,
            blocks_max: 0,
        }
    }

    fn turn(&self, logical: u32) -> usize {
        logical as usize % self.planes.len()
    }

    /// The plane of a logical block.
    pub fn plane(&self, logical: u32) -> PlaneId {
        self.planes[self.turn(logical)]
    }

    /// SLC blocks of a logical block.
    pub fn count(&self, logical: u32) -> u32 {
        self.lists[logical as usize].len()
    }

    /// SLC blocks of a logical block, the one opened first at the head.
    pub fn of(&self, logical: u32) -> impl Iterator<Item = BlockId> + '_ {
        self.links.iter(&self.lists[logical as usize])
    }

    /// The one opened first.
    pub fn first(&self, logical: u32) -> Option<BlockId> {
        self.lists[logical as usize].head()
    }

    /// The one opened last: no other may be open.
    pub fn last(&self, logical: u32) -> Option<BlockId> {
        self.lists[logical as usize].tail()
    }

    /// SLC blocks of all logical blocks.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The most there ever were.
    pub fn blocks_max(&self) -> u32 {
        self.blocks_max
    }

    /// Gives a logical block a further SLC block.
    pub fn add(&mut self, logical: u32, block: BlockId) {
        if self.count(logical) == 0 {
            self.append(logical);
        }
        self.links.push(&mut self.lists[logical as usize], block);
        self.blocks += 1;
        self.blocks_max = self.blocks_max.max(self.blocks);
    }

    /// Takes an SLC block away from its logical block.
    pub fn remove(&mut self, logical: u32, block: BlockId) {
        self.links.remove(&mut self.lists[logical as usize], block);
        self.blocks -= 1;
        if self.count(logical) == 0 {
            self.unlink(logical);
        }
    }

    /// A logical block that has SLC blocks is written: no other of its plane was written later.
    pub fn touch(&mut self, logical: u32) {
        if self.ends[self.turn(logical)].1 != logical + 1 {
            self.unlink(logical);
            self.append(logical);
        }
    }

    /// The logical block on the plane of `except`, but not that one, that has SLC blocks and was
    /// written longest ago.
    pub fn oldest_but(&self, except: u32) -> Option<u32> {
        let first = self.ends[self.turn(except)].0.checked_sub(1)?;
        match first == except {
            true => self.neighbours[first as usize].newer.checked_sub(1),
            false => Some(first),
        }
    }

    fn append(&mut self, logical: u32) {
        let turn = self.turn(logical);
        let (first, last) = &mut self.ends[turn];
        self.neighbours[logical as usize] = Neighbours { older: *last, newer: 0 };
        match *last {
            0 => *first = logical + 1,
            last => self.neighbours[last as usize - 1].newer = logical + 1,
        }
        *last = logical + 1;
    }

    fn unlink(&mut self, logical: u32) {
        let turn = self.turn(logical);
        let Neighbours { older, newer } = std::mem::take(&mut self.neighbours[logical as usize]);
        match older {
            0 => self.ends[turn].0 = newer,
            older => self.neighbours[older as usize - 1].newer = newer,
        }
        match newer {
            0 => self.ends[turn].1 = older,
            newer => self.neighbours[newer as usize - 1].older = older,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight logical blocks on two planes.
    fn owners() -> BlockOwners {
        BlockOwners::new(8, &[PlaneId(1), PlaneId(0)], 32)
    }

    fn add(owners: &mut BlockOwners, logical: u32, blocks: &[u32]) {
        blocks.iter().for_each(|&block| owners.add(logical, BlockId(block)));
    }

    #[test]
    fn logical_blocks_take_turns_on_the_planes() {
        let planes: Vec<u32> = (0..4).map(|logical| owners().plane(logical).0).collect();
        assert_eq!(planes, [1, 0, 1, 0]);
    }

    #[test]
    fn the_logical_block_written_longest_ago_is_the_oldest_of_its_plane() {
        let mut owners = owners();
        for logical in [0, 1, 2, 4] {
            add(&mut owners, logical, &[logical]);
        }
        owners.touch(0);
        // On the plane of the even ones: 2, 4, 0.
        assert_eq!(owners.oldest_but(0), Some(2));
        assert_eq!(owners.oldest_but(2), Some(4));
        // 6 has no SLC blocks and is no candidate, whoever asks; 3 neither.
        assert_eq!(owners.oldest_but(6), Some(2));
        assert_eq!((owners.oldest_but(1), owners.oldest_but(3)), (None, Some(1)));
        owners.remove(2, BlockId(2));
        assert_eq!(owners.oldest_but(6), Some(4));
        owners.touch(4);
        assert_eq!(owners.oldest_but(6), Some(0));
    }

    #[test]
    fn blocks_are_counted_and_stay_in_the_order_they_came() {
        let mut owners = owners();
        add(&mut owners, 3, &[7, 5, 9]);
        add(&mut owners, 5, &[8]);
        owners.remove(3, BlockId(5));
        owners.add(3, BlockId(6));
        assert_eq!(owners.of(3).map(|block| block.0).collect::<Vec<_>>(), [7, 9, 6]);
        assert_eq!((owners.first(3), owners.last(3)), (Some(BlockId(7)), Some(BlockId(6))));
        owners.remove(3, BlockId(7));
        assert_eq!((owners.count(3), owners.blocks(), owners.blocks_max()), (2, 3, 4));
    }
}
