//! Regions that share blocks, and how much of a plane's blocks is live.

use super::{Pack, Region, RegionSpec};
use crate::base::{BlockId, PlaneId};
use crate::ftl::free_list::FreeList;
use crate::ftl::io::Io;

impl Region {
    /// A region without blocks of its own: it borrows those of another one that shares them.
    pub fn borrowing(spec: RegionSpec, io: &mut Io) -> Self {
        let mut region = Self::new(spec, io);
        let end = region.spec.first_block + region.spec.blocks;
        region.parts.iter_mut().for_each(|part| part.free = FreeList::new(end, end));
        region
    }

    /// Takes over the next free block of `lender` in `plane`, if it has one.
    pub fn borrow_block(&mut self, lender: &mut Region, io: &mut Io, plane: PlaneId) -> bool {
        let rule = lender.spec.clean.wear_levelling;
        let Some(block) = lender.part(plane).free.pop(io, plane, rule) else {
            return false;
        };
        lender.free_min = lender.free_min.min(lender.free_blocks(plane));
        self.part(plane).free.push(io, block);
        true
    }

    /// Gives an erased block to `lender`, from which it was borrowed.
    pub fn return_block(&mut self, lender: &mut Region, io: &mut Io, block: BlockId) {
        let plane = io.geometry().plane_of(block);
        self.part(plane).used -= 1;
        lender.part(plane).free.push(io, block);
    }

    /// Blocks of `plane` that hold or held data since they were opened, open ones included.
    pub fn used_blocks(&self, plane: PlaneId) -> u32 {
        self.parts[(plane.0 - self.first_plane) as usize].used
    }

    /// Live pages in `plane`, or live units where pages are mixed.
    pub fn live(&self, plane: PlaneId, io: &Io) -> u32 {
        let first = io.geometry().block(plane, self.spec.first_block);
        (first.0..first.0 + self.spec.blocks).map(|b| self.live_of(BlockId(b), io)).sum()
    }

    /// Live pages or units of one of the region's blocks; 0 for another region's.
    #[inline]
    pub fn live_of(&self, block: BlockId, io: &Io) -> u32 {
        let record = io.array().block(block);
        match self.spec.pack {
            _ if self.spec.shared && record.region() != self.id => 0,
            Pack::Page => io.array().live_pages(block),
            Pack::Mu => record.live(),
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
