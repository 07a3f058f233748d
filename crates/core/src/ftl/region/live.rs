//! How much of a region's blocks is live.

use super::{Pack, Region};
use crate::base::{BlockId, PlaneId};
use crate::ftl::io::Io;
use crate::hw::array::BlockState;

impl Region {
    /// Live pages in `plane`, or live units where pages are mixed.
    pub fn live(&self, plane: PlaneId, io: &Io) -> u32 {
        self.blocks(plane, io).map(|block| self.live_of(block, io)).sum()
    }

    /// Whether `block`, if it is not free, is the region's.
    #[inline(always)]
    pub fn opened(&self, block: BlockId, io: &Io) -> bool {
        io.array().block(block).region() == self.id
    }

    /// Whether `block` is the region's and not erased.
    pub fn holds(&self, block: BlockId, io: &Io) -> bool {
        io.array().block(block).state() != BlockState::Free && self.opened(block, io)
    }

    /// Live pages or units of one of the region's blocks; 0 for another region's.
    #[inline]
    pub fn live_of(&self, block: BlockId, io: &Io) -> u32 {
        match self.spec.pack {
            _ if !self.opened(block, io) => 0,
            Pack::Page => io.array().live_pages(block),
            Pack::Mu => io.array().block(block).live(),
        }
    }

    /// What `live_of` is for a block full of live data.
    pub fn full_block(&self, io: &Io) -> u32 {
        match self.spec.pack {
            Pack::Page => self.pages_per_block,
            Pack::Mu => self.pages_per_block * io.geometry().pools[self.spec.pool].slots_per_page,
        }
    }
}
