//! What a policy may ask of the device it decides for.

use crate::base::{BlockId, CellMode, Mu, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::region::Region;

/// A block that can be emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedBlock {
    pub block: BlockId,
    pub live_pages: u32,
    /// How many blocks of the device were opened before it.
    pub opened: u32,
}

/// The device during one decision.
#[derive(Clone, Copy)]
pub struct View<'a> {
    regions: &'a [Region],
    io: &'a Io,
    /// The plane that the decision is about.
    pub plane: Option<PlaneId>,
}

impl<'a> View<'a> {
    /// The device as `regions` and `io` have it.
    #[inline]
    pub fn new(regions: &'a [Region], io: &'a Io, plane: Option<PlaneId>) -> Self {
        Self { regions, io, plane }
    }

    /// The present time, ns.
    pub fn now_ns(&self) -> u64 {
        self.io.now_ns()
    }

    /// Planes of the device.
    pub fn planes(&self) -> usize {
        self.io.geometry().planes.len()
    }

    /// Bytes of a mapping unit.
    pub fn unit_bytes(&self) -> u32 {
        self.io.geometry().mu_bytes
    }

    /// Mapping units of the device.
    pub fn units(&self) -> u32 {
        self.io.mus()
    }

    /// Mapping units that hold data in flash.
    pub fn mapped_units(&self) -> u64 {
        self.io.mapped()
    }

    /// The planes that a question is about: the one given, that of the decision, or all of a region's.
    fn about(&self, region: usize, plane: Option<PlaneId>) -> &[PlaneId] {
        let planes = self.regions[region].planes();
        match plane.or(self.plane) {
            Some(plane) => planes.iter().position(|&p| p == plane).map_or(&[], |at| &planes[at..=at]),
            None => planes,
        }
    }

    /// Free blocks of a region in a plane: the one given, that of the decision, or all.
    pub fn free_blocks(&self, region: usize, plane: Option<PlaneId>) -> u32 {
        let of = &self.regions[region];
        self.about(region, plane).iter().map(|&plane| of.free_blocks(plane, self.io)).sum()
    }

    /// Blocks of a region that hold or held data since they were opened, in the planes of `free_blocks`.
    pub fn used_blocks(&self, region: usize, plane: Option<PlaneId>) -> u32 {
        let of = &self.regions[region];
        self.about(region, plane).iter().map(|&plane| of.used_blocks(plane)).sum()
    }

    /// Blocks per plane that a region may have.
    pub fn quota(&self, region: usize) -> u32 {
        self.regions[region].quota()
    }

    /// Live mapping units of a region.
    pub fn live_units(&self, region: usize) -> u64 {
        self.io.array().live_in(self.regions[region].id())
    }

    pub fn mode(&self, region: usize) -> CellMode {
        self.regions[region].spec.mode
    }

    pub fn pages_per_block(&self, region: usize) -> u32 {
        self.regions[region].pages_per_block
    }

    /// Service time of what was emitted to a plane's unit and is not complete, ns.
    pub fn queued_ns(&self, plane: PlaneId) -> u64 {
        self.io.queued_ns(self.io.geometry().planes[plane.index()].unit)
    }

    /// Operations emitted to a plane's unit and not complete.
    pub fn queued_ops(&self, plane: PlaneId) -> u32 {
        self.io.queued_ops(self.io.geometry().planes[plane.index()].unit)
    }

    /// The region that holds the first unit of logical page `page` that has data.
    pub fn region_of(&self, page: u32) -> Option<usize> {
        let n = self.io.policy().mus_per_page;
        let first = page
            .checked_mul(n)
            .filter(|first| first.checked_add(n).is_some_and(|end| end <= self.io.mus()))?;
        let slot = (first..first + n).find_map(|mu| self.io.lookup(Mu(mu)))?;
        let block = self.io.geometry().block_of(self.io.geometry().page_of(slot));
        self.regions.iter().position(|region| region.opened(block, self.io))
    }

    /// The blocks of a region that can be emptied in the plane of the decision.
    pub fn closed_blocks(&self, region: usize) -> Vec<ClosedBlock> {
        let Some(plane) = self.plane.filter(|&plane| self.regions[region].has(plane)) else {
            return Vec::new();
        };
        let blocks = self.regions[region].blocks(plane, self.io);
        blocks.filter(|&block| self.is_closed(region, block)).map(|block| self.closed(block)).collect()
    }

    pub fn is_closed(&self, region: usize, block: BlockId) -> bool {
        self.io.array().is_closed(block) && self.regions[region].opened(block, self.io)
    }

    fn closed(&self, block: BlockId) -> ClosedBlock {
        let array = self.io.array();
        ClosedBlock { block, live_pages: array.live_pages(block), opened: array.block(block).opened }
    }
}
