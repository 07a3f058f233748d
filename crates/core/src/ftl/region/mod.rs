//! A region: blocks managed alike, with free lists and frontiers per plane.

mod audit;
mod emit;
mod open_blocks;
mod renewal;
mod separation;

pub use open_blocks::OpenBlock;

use super::answer::{BlockShare, RegionLevel};
use super::bank::{BankAccess, BankId};
use super::config::{CleanConfig, Placement};
use super::plane_allocator::PlaneAllocator;
use super::separator::Separator;
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::ftl::io::Io;
use crate::hw::array::{BlockState, RegionId};
use crate::hw::timing::OpId;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Who writes through a frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    Host = 0,
    Clean = 1,
}

/// A one-shot wordline being filled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct StagedPages {
    #[serde(skip)]
    op: OpId,
    pages: u32,
    first: Ppn,
    holds_host: bool,
    /// When it is looked at: with pages of the host it may be padded then.
    due_ns: u64,
}

/// An open block where the next page is programmed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Frontier {
    block: Option<BlockId>,
    stage: Option<StagedPages>,
}

/// How a region's pages are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pack {
    /// A page holds units of one logical page: victims are compared by live pages.
    Page,
    /// A page may hold units of several logical pages: victims are compared by live units.
    Mu,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegionSpec {
    /// How its pages are packed.
    pub pack: Pack,
    /// The bank that it shares with other regions; one of its own where there is none.
    pub bank: Option<BankId>,
    pub pool: usize,
    /// Cell mode of its blocks.
    pub mode: CellMode,
    /// First of the never-used blocks that it opens in each plane.
    pub first_block: u32,
    /// Blocks per plane: its quota at first.
    pub blocks: u32,
    /// Plane order, fastest letter first.
    pub order: String,
    /// Choice of plane.
    pub placement: Placement,
    pub clean: CleanConfig,
}

/// A set of blocks managed alike.
#[derive(Clone, Serialize, Deserialize)]
pub struct Region {
    pub spec: RegionSpec,
    id: RegionId,
    pub pages_per_block: u32,
    pages_per_program: u32,
    first_plane: u32,
    allocator: PlaneAllocator,
    /// By plane, blocks opened and not given back, those out of use included.
    used: Vec<u32>,
    /// By plane, blocks out of use: of its share of the bank, or erased by it.
    lost: Vec<u32>,
    /// By class or writer, and of each by plane.
    frontiers: Vec<Frontier>,
    /// Where in them plane 0's would be of those that each writer's next page is taken from; it may wrap.
    next: [u32; 2],
    /// Which that is, where data are separated by lifetime.
    separator: Option<Box<Separator>>,
    bank: BankAccess,
    /// Blocks of each plane among which its own are: the bank's.
    range: Range<u32>,
    /// Blocks per plane that it may have.
    quota: u32,
    free_min: u32,
    /// Its blocks are opened apart from the frontiers, which it does not use.
    apart: bool,
}

impl Region {
    /// A region that has no block yet.
    pub fn new(spec: RegionSpec, io: &mut Io) -> Self {
        let id = io.new_region();
        let own = |io: &mut Io| io.new_bank(spec.pool, spec.first_block, &[spec.blocks]);
        let bank = spec.bank.unwrap_or_else(|| own(io));
        let bank = io.join_bank(bank, spec.first_block);
        let separator = Separator::new(spec.clean.separation, spec.pool, spec.mode, io);
        let lost = io.lost_in_share(bank);
        let geometry = io.geometry();
        let pool = &geometry.pools[spec.pool];
        let mode = pool.mode(spec.mode);
        Self {
            pages_per_block: mode.pages,
            pages_per_program: mode.pages_per_program,
            first_plane: pool.first_plane,
            allocator: PlaneAllocator::new(spec.pool, &spec.order, spec.placement, io),
            used: lost.clone(),
            lost,
            frontiers: vec![Frontier::default(); pool.planes as usize * spec.clean.open_blocks() as usize],
            next: [0, if spec.clean.separate_frontier { pool.planes } else { 0 }]
                .map(|first: u32| first.wrapping_sub(pool.first_plane)),
            separator,
            bank,
            range: io.bank(bank.bank).range(),
            quota: spec.blocks,
            free_min: spec.blocks,
            apart: false,
            spec,
            id,
        }
    }

    /// Its number, unique in the device.
    #[inline(always)]
    pub fn id(&self) -> RegionId {
        self.id
    }

    /// Where in `frontiers` the one of `writer` in `plane` is.
    #[inline(always)]
    fn at(&self, plane: PlaneId, writer: Writer) -> usize {
        self.next[writer as usize].wrapping_add(plane.0) as usize
    }

    /// The frontiers of `plane`, in the order of classes.
    fn frontiers_of(&self, plane: PlaneId) -> impl Iterator<Item = &Frontier> {
        self.frontiers[(plane.0 - self.first_plane) as usize..].iter().step_by(self.used.len())
    }

    /// Has `writer`'s next page be one of class `class`.
    fn set_class(&mut self, writer: Writer, class: u8) {
        let first = u32::from(class) * self.used.len() as u32;
        self.next[writer as usize] = first.wrapping_sub(self.first_plane);
    }

    /// The class of `writer`'s next page.
    fn class(&self, writer: Writer) -> u8 {
        let first = self.next[writer as usize].wrapping_add(self.first_plane);
        (first / self.used.len() as u32) as u8
    }

    /// The region's planes in allocation order.
    pub fn planes(&self) -> &[PlaneId] {
        self.allocator.planes()
    }

    pub fn has(&self, plane: PlaneId) -> bool {
        plane.0.checked_sub(self.first_plane).is_some_and(|i| (i as usize) < self.used.len())
    }

    /// Free blocks that the region may open in `plane`.
    #[inline]
    pub fn free_blocks(&self, plane: PlaneId, io: &Io) -> u32 {
        let left = self.quota.saturating_sub(self.used_blocks(plane));
        io.bank(self.bank.bank).free(plane).min(left)
    }

    /// Blocks of `plane` that hold or held data since they were opened, open ones and those out of use
    /// included.
    #[inline]
    pub fn used_blocks(&self, plane: PlaneId) -> u32 {
        self.used[(plane.0 - self.first_plane) as usize]
    }

    /// Blocks of `plane` out of use, which count as used.
    pub fn lost_blocks(&self, plane: PlaneId) -> u32 {
        self.lost[(plane.0 - self.first_plane) as usize]
    }

    fn used_mut(&mut self, plane: PlaneId) -> &mut u32 {
        &mut self.used[(plane.0 - self.first_plane) as usize]
    }

    /// Sets how many blocks of each plane the region may have; what it has beyond that it keeps.
    pub fn set_quota(&mut self, blocks: u32) {
        self.quota = blocks;
    }

    /// Blocks per plane that it may have.
    #[inline]
    pub fn quota(&self) -> u32 {
        self.quota
    }

    /// Whether it has its bank to itself.
    pub(super) fn is_alone(&self, io: &Io) -> bool {
        io.bank(self.bank.bank).has_one_region()
    }

    /// The first of the blocks of `plane` among which the region's are, and how many they are.
    pub(super) fn block_run(&self, plane: PlaneId, io: &Io) -> (BlockId, u32) {
        (io.geometry().block(plane, self.range.start), self.range.len() as u32)
    }

    /// The blocks of `plane` among which the region's are.
    pub fn blocks(&self, plane: PlaneId, io: &Io) -> impl Iterator<Item = BlockId> {
        let (first, count) = self.block_run(plane, io);
        (first.0..first.0 + count).map(BlockId)
    }

    /// Whether `plane` may have a block that is written to its end: a quick no.
    #[inline]
    pub fn may_have_closed(&self, plane: PlaneId, io: &Io) -> bool {
        let being_written = |f: &&Frontier| f.block.is_some_and(|b| !io.array().is_closed(b));
        self.used_blocks(plane) > self.frontiers_of(plane).filter(being_written).count() as u32
    }

    /// The fewest free blocks that its bank had in any plane when it had opened one.
    pub fn free_blocks_min(&self) -> u32 {
        self.free_min
    }

    /// The block where `writer` writes next in `plane`, if one is open.
    pub fn open_block(&self, plane: PlaneId, writer: Writer) -> Option<BlockId> {
        self.frontiers[self.at(plane, writer)].block
    }

    /// The plane for logical page `page`; a one-shot wordline is filled before the turn goes on.
    #[inline(always)]
    pub fn choose_plane(&mut self, io: &Io, page: u32) -> PlaneId {
        let full = self.pages_per_program;
        let (frontiers, next) = (&self.frontiers, self.next[Writer::Host as usize]);
        self.allocator.choose(io, page, |plane| {
            let staged = || frontiers[next.wrapping_add(plane.0) as usize].stage.map_or(0, |s| s.pages);
            full > 1 && staged() + 1 < full
        })
    }

    /// Which plane is next, for `try_planes`.
    pub fn allocator(&mut self) -> &mut PlaneAllocator {
        &mut self.allocator
    }

    /// Whether the next page of `writer` in `plane` needs a new block.
    #[inline]
    pub fn needs_block(&self, plane: PlaneId, writer: Writer) -> bool {
        self.open_block(plane, writer).is_none()
    }

    /// The next page to program in `plane`; opens a block if more than `reserve` are free.
    #[inline(always)]
    pub fn take_page(&mut self, io: &mut Io, plane: PlaneId, writer: Writer, reserve: u32) -> Option<Ppn> {
        let block = match self.open_block(plane, writer) {
            Some(block) => block,
            None => self.open_next(io, plane, writer, reserve)?,
        };
        let index = io.array().block(block).write_ptr();
        if index + 1 == self.pages_per_block {
            let at = self.at(plane, writer);
            self.frontiers[at].block = None;
        }
        Some(io.geometry().page(block, index))
    }

    /// The next pages to program in `plane`, no more than `most`, as far as they lie in one block, and how
    /// many they are.
    pub(super) fn take_pages(
        &mut self,
        io: &mut Io,
        plane: PlaneId,
        writer: Writer,
        most: u32,
    ) -> Option<(Ppn, u32)> {
        let first = self.take_page(io, plane, writer, 0)?;
        let count = most.min(self.pages_per_block - io.geometry().page_in_block(first));
        if io.geometry().page_in_block(first) + count == self.pages_per_block {
            let at = self.at(plane, writer);
            self.frontiers[at].block = None;
        }
        Some((first, count))
    }

    #[inline(never)]
    fn open_next(&mut self, io: &mut Io, plane: PlaneId, writer: Writer, reserve: u32) -> Option<BlockId> {
        let Some(block) = self.open_free(io, plane, reserve) else {
            return self.lend(plane, writer);
        };
        let at = self.at(plane, writer);
        self.frontiers[at].block = Some(block);
        let class = self.class(writer);
        if let Some(separator) = &mut self.separator {
            separator.opened(block, class);
        }
        Some(block)
    }

    fn open_free(&mut self, io: &mut Io, plane: PlaneId, reserve: u32) -> Option<BlockId> {
        let rule = self.spec.clean.wear_levelling;
        if self.free_blocks(plane, io) <= reserve {
            io.note_refused(self.id);
            return None;
        }
        let block = io.take_free(self.bank, plane, rule)?;
        self.open_taken(io, block, plane);
        Some(block)
    }

    /// Opens the most worn erased block of `plane`, if it has more than `cycles` of the densest mode.
    fn open_more_worn(&mut self, io: &mut Io, plane: PlaneId, cycles: f64) -> Option<BlockId> {
        if self.free_blocks(plane, io) == 0 {
            return None;
        }
        let block = io.take_more_worn(self.bank, plane, cycles)?;
        self.open_taken(io, block, plane);
        Some(block)
    }

    fn open_taken(&mut self, io: &mut Io, block: BlockId, plane: PlaneId) {
        *self.used_mut(plane) += 1;
        io.open_block(block, self.spec.mode, self.id);
        self.free_min = self.free_min.min(io.bank(self.bank.bank).free(plane));
    }

    pub fn pages_per_program(&self) -> u32 {
        self.pages_per_program
    }

    /// Closes the block open for `writer` in `plane`, if there is one, before it is full.
    pub fn close_open(&mut self, io: &mut Io, plane: PlaneId, writer: Writer) {
        let at = self.at(plane, writer);
        if let Some(block) = self.frontiers[at].block.take() {
            io.close_block(block);
        }
    }

    /// Gives an erased block back.
    pub fn give_back(&mut self, io: &mut Io, block: BlockId) {
        let plane = io.geometry().plane_of(block);
        if let Some(separator) = &mut self.separator {
            separator.collected(block);
        }
        match io.put_free(self.bank, block) {
            true => *self.used_mut(plane) -= 1,
            // What it may have in the plane has shrunk by one.
            false => self.lost[(plane.0 - self.first_plane) as usize] += 1,
        }
    }

    /// Pages that `writer` can still program in `plane`, free blocks included.
    pub fn room(&self, io: &Io, plane: PlaneId, writer: Writer) -> u32 {
        let left =
            |f: &Frontier| f.block.map_or(0, |b| self.pages_per_block - io.array().block(b).write_ptr());
        let open = match self.lends() {
            true => self.frontiers_of(plane).map(left).sum(),
            false => left(&self.frontiers[self.at(plane, writer)]),
        };
        open + self.free_blocks(plane, io) * self.pages_per_block
    }

    pub fn share(&self) -> BlockShare {
        let blocks = u64::from(self.spec.blocks) * self.allocator.planes().len() as u64;
        BlockShare { pool: self.spec.pool, mode: self.spec.mode, blocks }
    }

    /// What the SLC pages of `blocks` of its blocks in every plane hold.
    pub fn slc_bytes(&self, blocks: u32, io: &Io) -> u64 {
        if self.spec.mode != CellMode::Slc {
            return 0;
        }
        let page_bytes = io.geometry().pools[self.spec.pool].page_bytes;
        let pages = u64::from(blocks) * u64::from(self.pages_per_block);
        self.allocator.planes().len() as u64 * pages * u64::from(page_bytes)
    }

    /// Live bytes in the region's blocks.
    pub fn live_bytes(&self, io: &Io) -> u64 {
        io.array().live_in(self.id) * u64::from(io.geometry().mu_bytes)
    }

    /// How full it is.
    pub fn level(&self, io: &Io) -> RegionLevel {
        let planes = self.allocator.planes().iter();
        let (free, used) = planes.fold((0, 0), |(free, used), &plane| {
            let held = self.used_blocks(plane) - self.lost_blocks(plane);
            (free + u64::from(self.free_blocks(plane, io)), used + u64::from(held))
        });
        RegionLevel { free, blocks: free + used, live_bytes: self.live_bytes(io) }
    }
}

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
