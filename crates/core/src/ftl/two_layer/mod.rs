//! A region of blocks in two-layer layout: each offers a window of SLC pages, later the further
//! bits of the same wordlines, then its next window.
//!
//! A plane has two queues: blocks whose window has SLC pages left, and blocks whose window is to
//! be switched. A third way in is a block that is filled without pausing, for data that are to
//! leave the cache. Every page of a block is used in the order of `hw::two_layer`.

mod audit;
mod clean;
mod victim;

pub use clean::Cleaned;
pub use victim::{Eligible, EmptiedBlock};

use crate::base::sparse;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::answer::{BlockShare, RegionLevel};
use crate::ftl::bank::{BankAccess, BankId};
use crate::ftl::block_list::{BlockLinks, BlockList};
use crate::ftl::config::{Placement, PlaneOrder, WearLevelling};
use crate::ftl::io::Io;
use crate::ftl::plane_allocator::PlaneAllocator;
use crate::hw::array::{BlockState, RegionId};
use crate::hw::two_layer::{TwoLayer, WindowPhase};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a two-layer region is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TwoLayerSpec {
    pub pool: usize,
    /// The bank that it shares with other regions; one of its own where there is none.
    pub bank: Option<BankId>,
    /// First of the never-used blocks that it opens in each plane.
    pub first_block: u32,
    /// Blocks per plane.
    pub blocks: u32,
    pub order: PlaneOrder,
    /// Choice of plane.
    pub placement: Placement,
}

/// One plane's part of the region.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LayeredPlane {
    /// Blocks taken out of the bank, the first to be filled; erased ones stay, and those out of use.
    used: u32,
    /// Blocks out of use.
    lost: u32,
    /// The block whose SLC pages are being programmed.
    filling: Option<BlockId>,
    /// Blocks with a window of unused SLC pages.
    fill: BlockList,
    /// Blocks whose window is to be switched, the head first.
    switch: BlockList,
    /// The block that is filled without pausing.
    dense: Option<BlockId>,
    victim: Option<EmptiedBlock>,
    /// Pages that can still be stored, in any of these blocks.
    free_pages: u32,
}

/// Blocks of two-layer layout, managed alike.
#[derive(Clone, Serialize, Deserialize)]
pub struct TwoLayerRegion {
    pub spec: TwoLayerSpec,
    id: RegionId,
    /// Which plane is next.
    pub allocator: PlaneAllocator,
    layout: TwoLayer,
    first_plane: u32,
    parts: Vec<LayeredPlane>,
    bank: BankAccess,
    /// Blocks of each plane among which its own are: the bank's.
    range: Range<u32>,
    links: BlockLinks,
    /// Masks over the blocks' scores: ones for those that offer no SLC pages, 0 for the others. What
    /// they say of the block that is filled without pausing counts for nothing.
    #[serde(with = "sparse")]
    used: Vec<i16>,
    #[serde(skip)]
    switched_windows: u64,
}

impl TwoLayerRegion {
    /// A region that has no block yet; nothing is initialised per block.
    pub fn new(spec: TwoLayerSpec, io: &mut Io) -> Self {
        let id = io.new_region();
        let own = |io: &mut Io| io.new_bank(spec.pool, spec.first_block, &[spec.blocks]);
        let bank = spec.bank.unwrap_or_else(|| own(io));
        let bank = io.join_bank(bank, spec.first_block);
        let lost = io.lost_in_share(bank);
        let geometry = io.geometry();
        let pool = &geometry.pools[spec.pool];
        let layout = pool.two_layer().clone();
        let part = |lost| LayeredPlane {
            used: lost,
            lost,
            filling: None,
            fill: BlockList::default(),
            switch: BlockList::default(),
            dense: None,
            victim: None,
            free_pages: (spec.blocks - lost) * layout.pages,
        };
        Self {
            allocator: PlaneAllocator::new(spec.pool, &spec.order.letters(), spec.placement, io),
            first_plane: pool.first_plane,
            parts: lost.into_iter().map(part).collect(),
            bank,
            range: io.bank(bank.bank).range(),
            links: BlockLinks::new(geometry.block_numbers()),
            used: vec![0; geometry.block_numbers()],
            switched_windows: 0,
            layout,
            spec,
            id,
        }
    }

    #[inline(always)]
    fn part(&self, plane: PlaneId) -> &LayeredPlane {
        &self.parts[(plane.0 - self.first_plane) as usize]
    }

    /// Its number, unique in the device.
    pub fn id(&self) -> RegionId {
        self.id
    }

    #[inline(always)]
    fn part_mut(&mut self, plane: PlaneId) -> &mut LayeredPlane {
        &mut self.parts[(plane.0 - self.first_plane) as usize]
    }

    /// The first of the blocks of `plane` among which the region's are, and how many they are.
    fn block_run(&self, plane: PlaneId, io: &Io) -> (BlockId, u32) {
        (io.geometry().block(plane, self.range.start), self.range.len() as u32)
    }

    /// Pages of a full block.
    pub fn pages_per_block(&self) -> u32 {
        self.layout.pages
    }

    /// Wordlines of a window, each of them one SLC page.
    pub fn window_wordlines(&self) -> u32 {
        self.layout.window_wordlines
    }

    /// Pages that can still be stored in `plane`.
    #[inline(always)]
    pub fn free_pages(&self, plane: PlaneId) -> u32 {
        self.part(plane).free_pages
    }

    /// Whether `plane` has a block to switch.
    #[inline(always)]
    pub fn has_switch(&self, plane: PlaneId) -> bool {
        !self.part(plane).switch.is_empty()
    }

    /// Windows switched since time 0 whose block offers its next one.
    pub fn switched_windows(&self) -> u64 {
        self.switched_windows
    }

    /// SLC pages that the blocks of all planes offer.
    pub fn slc_pages_free(&self, io: &Io) -> u64 {
        self.parts.iter().map(|part| u64::from(self.slc_pages_of(part, io))).sum()
    }

    fn slc_pages_of(&self, part: &LayeredPlane, io: &Io) -> u32 {
        let partly = part.filling.map_or(0, |block| {
            self.layout.window_wordlines - io.array().block(block).write_ptr() % self.layout.window_pages
        });
        (self.spec.blocks - part.used + part.fill.len()) * self.layout.window_wordlines + partly
    }

    /// The next SLC page of `plane`, to be programmed at once.
    #[inline]
    pub fn take_fill(&mut self, io: &mut Io, plane: PlaneId) -> Option<Ppn> {
        let block = match self.part(plane).filling {
            Some(block) => block,
            None => self.next_to_fill(io, plane)?,
        };
        let index = io.array().block(block).write_ptr();
        io.note_bit(block, index, self.layout.step(index).bit);
        let used = self.layout.phase(index + 1) != WindowPhase::Fill;
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        part.free_pages -= 1;
        part.filling = (!used).then_some(block);
        if used {
            self.links.push(&mut part.switch, block);
            self.note_used(block, true);
        }
        Some(io.geometry().page(block, index))
    }

    /// The next page that switches a used window of `plane`, to be stored at once.
    #[inline]
    pub fn take_switch(&mut self, io: &mut Io, plane: PlaneId) -> Option<Ppn> {
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        let block = part.switch.head()?;
        let index = io.array().block(block).write_ptr();
        io.note_bit(block, index, self.layout.step(index).bit);
        part.free_pages -= 1;
        match self.layout.phase(index + 1) {
            WindowPhase::Switch => {}
            WindowPhase::Fill => {
                self.switched_windows += u64::from(!io.clockless());
                self.links.remove(&mut part.switch, block);
                self.links.push(&mut part.fill, block);
                self.note_used(block, false);
            }
            WindowPhase::Done => self.links.remove(&mut part.switch, block),
        }
        Some(io.geometry().page(block, index))
    }

    /// The next page of the block of `plane` that is filled without pausing.
    pub fn take_dense(&mut self, io: &mut Io, plane: PlaneId) -> Option<Ppn> {
        let block = match self.part(plane).dense {
            Some(block) => block,
            None => match self.next_to_fill(io, plane) {
                Some(block) => block,
                None => self.part_mut(plane).filling.take()?,
            },
        };
        let index = io.array().block(block).write_ptr();
        io.note_bit(block, index, self.layout.step(index).bit);
        let done = self.layout.phase(index + 1) == WindowPhase::Done;
        let part = self.part_mut(plane);
        part.free_pages -= 1;
        part.dense = (!done).then_some(block);
        self.note_used(block, done);
        Some(io.geometry().page(block, index))
    }

    /// Takes the next block with a window of unused SLC pages: never-used ones first.
    fn next_to_fill(&mut self, io: &mut Io, plane: PlaneId) -> Option<BlockId> {
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        let fresh = match part.used < self.spec.blocks {
            true => io.take_free(self.bank, plane, WearLevelling::Fifo),
            false => None,
        };
        part.used += u32::from(fresh.is_some());
        let block = match fresh {
            Some(block) => block,
            None => self.links.pop(&mut part.fill)?,
        };
        if io.array().block(block).state() == BlockState::Free {
            io.open_two_layer_block(block, self.id);
        }
        Some(block)
    }

    pub fn share(&self) -> BlockShare {
        let blocks = u64::from(self.spec.blocks) * self.parts.len() as u64;
        BlockShare { pool: self.spec.pool, mode: self.layout.mode, blocks }
    }

    /// Live bytes in wordlines that hold one bit.
    pub fn cache_live_bytes(&self, io: &Io) -> u64 {
        io.array().live_in(self.id) * u64::from(io.geometry().mu_bytes)
    }

    /// How full it is.
    pub fn level(&self, io: &Io) -> RegionLevel {
        let free = self.parts.iter().map(|part| u64::from(part.free_pages)).sum();
        RegionLevel { free, blocks: self.share().blocks, live_bytes: self.cache_live_bytes(io) }
    }
}
