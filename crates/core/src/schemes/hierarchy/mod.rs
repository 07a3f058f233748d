//! Two-level SLC cache hierarchy.
//!
//! **What it does.** The SLC cache has two levels. Full page writes go to L2, page by page. Partial
//! writes wait in the hold buffer until they fill a page, which goes to L1, on a channel where no
//! other part of its logical pages lies; the sector mapping table says which sectors are newer in
//! L1 than in their base page in L2 or in the dense store. Reclaiming L2 moves base pages to the store
//! as they are and leaves their newer sectors in L1. Reclaiming L1 brings each logical page together in
//! the store. Windows of write requests set the target of the division between the levels, one
//! page per write request moves towards it.
//! **Paper.** "A Two-level SLC Cache Hierarchy for Hybrid SSDs", section III and Algorithm 1.
//! **What the paper leaves open and what we chose.** Algorithm 1 is read with the source of a page as
//! its donor (`division`); what omega_S counts (`omega_s`); "GC trigger threshold 50 %" as in `baseline`
//! (`trigger`, `slc.start_free_ratio`); the level over its quota is reclaimed; what leaves with a
//! victim of L1 (`l1_gather`); when a partial write stops waiting and when it is complete (`merge`);
//! the first division (`initial_l2_share`). Blocks, not pages, change levels, when they are opened.
//! **Knobs.** None.

mod channels;
mod config;
mod division;

pub use config::{DivisionRule, HierarchyConfig, OmegaS};

use super::cache::{CacheSpec, Pressure, RECLAIM};
use super::census::{Cached, Census};
use super::entry_bits::{smt_entry_bits, table_bytes};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::clean::{empty_block, pad_unprotected};
use crate::ftl::gather;
use crate::ftl::io::{Io, Piece};
use crate::ftl::merge::Merger;
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::{exact, oldest_first, Picks};
use crate::ftl::page_level;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::scheme::{BlockShare, DeviceFull, Idle, Scheme, SchemeState};
use crate::ftl::store::Store;
use crate::ftl::victim;
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::op_table::RequestId;
use crate::metrics::report::{SchemeReport, TableReport};
use channels::Channels;
use division::Division;

/// All partial writes are packed together.
const CLASS: u8 = 0;
/// Region numbers: the level that a block was opened for.
const L1: u8 = 0;
const L2: u8 = 1;
const STORE: u8 = 2;

/// A level of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    L1,
    L2,
}

impl Level {
    fn other(self) -> Self {
        match self {
            Level::L1 => Level::L2,
            Level::L2 => Level::L1,
        }
    }
}

/// Two levels of SLC cache and the dense store.
pub struct Hierarchy {
    /// Merged pages; borrows its blocks from L2, which keeps the free ones.
    l1: Region,
    l2: Region,
    store: Store,
    merger: Merger,
    division: Division,
    channels: Channels,
    census: Census,
    pressure: Pressure,
    /// Blocks per plane that the levels share.
    usable_blocks: u32,
    config: HierarchyConfig,
    slots: u32,
    slc_pages: u64,
    /// The request at hand has a partial piece that `omega_s = "requests"` has counted.
    request_counted: bool,
    reach: Vec<u32>,
    stats: Stats,
}

/// Counts over the run.
#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    mapped_peak: u64,
    merged_pages: u64,
    merged_units: u64,
    l1_blocks_reclaimed: u64,
    l1_pages_migrated: u64,
    l2_blocks_reclaimed: u64,
    l2_pages_migrated: u64,
}

impl Hierarchy {
    /// The scheme on a checked device.
    pub fn new(config: &HierarchyConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let cache: CacheSpec = config.cache();
        let l1 = Region::borrowing(cache.slc_spec(device, L1, Pack::Mu, true), io);
        let l2 = Region::new(cache.slc_spec(device, L2, Pack::Page, true), io);
        let planes = l2.planes().len() as u64;
        let slc_pages = l2.share().blocks * u64::from(l2.pages_per_block);
        let pressure = cache.pressure(config.slc_blocks * l1.full_block(io));
        Self {
            store: cache.store(device, STORE, io),
            merger: Merger::new(&config.merge, device.mu_bytes),
            division: Division::new(config, slc_pages, planes * u64::from(l2.pages_per_block)),
            channels: Channels::new(l2.planes(), io),
            census: Census::new(L1),
            usable_blocks: config.slc_blocks - pressure.kept_free(),
            pressure,
            slots: l1.full_block(io) / l1.pages_per_block,
            slc_pages,
            request_counted: false,
            reach: Vec::new(),
            stats: Stats::default(),
            config: config.clone(),
            l1,
            l2,
        }
    }

    /// Writes a full page to L2 (lines 19-23).
    fn write_to_l2(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let to = self.l2_page(piece.page, io)?;
        let before = self.census.of(&[piece.page], io);
        page_level::write_to(piece, &mut self.l2, to, io);
        self.census.change(before, &[piece.page], io);
        self.division.count_full();
        Ok(())
    }

    /// Writes a partial piece: merged with others it goes to L1 (lines 12-18), and to L2 if what
    /// waited of its page makes it full.
    fn merge(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        while !self.merger.has_room(piece, io) && self.program_oldest(io)? {}
        let held = io.media.hold.mask(piece.page);
        let slots = (held | piece.mask).count_ones();
        let entry = self.merger.hold(piece, CLASS, slots, io);
        let waiting = &io.media.hold.entries()[entry];
        if held != 0 && slots == io.policy.mus_per_page && waiting.partial == 0 {
            let picks = Picks::one(&io.media.hold, entry);
            let to = self.l2_page(piece.page, io)?;
            self.division.count_full();
            self.program(&picks, to, io);
        } else if let Some(picks) = exact(&io.media.hold, entry, self.slots, &mut self.reach) {
            self.program_in_l1(&picks, io)?;
        }
        if io.clockless {
            while self.program_oldest(io)? {}
        }
        Ok(())
    }

    /// Programs the oldest piece with what fits its page; false if nothing waits.
    fn program_oldest(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
        match oldest_first(&io.media.hold, self.slots) {
            Some(picks) => self.program_in_l1(&picks, io).map(|()| true),
            None => Ok(false),
        }
    }

    fn program_in_l1(&mut self, picks: &Picks, io: &mut Io) -> Result<(), DeviceFull> {
        let to = self.l1_page(picks, io)?;
        self.program(picks, to, io);
        if self.config.omega_s == OmegaS::Pages && !io.clockless {
            self.division.count_merged();
        }
        self.stats.merged_pages += u64::from(!io.clockless);
        self.stats.merged_units += if io.clockless { 0 } else { u64::from(picks.units()) };
        Ok(())
    }

    fn program(&mut self, picks: &Picks, to: Ppn, io: &mut Io) {
        let pages = picks.pages(&io.media.hold);
        let pages = &pages[..picks.list().len()];
        let before = self.census.of(pages, io);
        mixed::program(picks, Carry::Nothing, to, io);
        self.census.change(before, pages, io);
    }

    /// The next page of L2, in the order of the planes.
    fn l2_page(&mut self, page: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        let mut plane = self.l2.choose_plane(io, page);
        for _ in 0..self.l2.planes().len() {
            if self.l2.needs_block(plane, Writer::Host) {
                self.make_room(Level::L2, plane, io)?;
            }
            if let Some(page) = self.l2.take_page(io, plane, Writer::Host, 0) {
                return Ok(page);
            }
            plane = self.l2.pass_over(plane);
        }
        Err(DeviceFull)
    }

    /// The next page of L1, where reads of its logical pages conflict least.
    fn l1_page(&mut self, picks: &Picks, io: &mut Io) -> Result<Ppn, DeviceFull> {
        self.channels.begin(picks, io);
        while let Some(plane) = self.channels.next(io) {
            if self.l1.needs_block(plane, Writer::Host) {
                self.make_room(Level::L1, plane, io)?;
                self.l1.borrow_block(&mut self.l2, io, plane);
            }
            if let Some(page) = self.l1.take_page(io, plane, Writer::Host, 0) {
                return Ok(page);
            }
            self.channels.is_full(plane);
        }
        Err(DeviceFull)
    }

    /// Reclaims blocks of `plane` until `level` may open one there.
    fn make_room(&mut self, level: Level, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(victim) = self.level_to_reclaim(level, plane, io) {
            if !self.reclaim(victim, plane, io)? && !self.reclaim(victim.other(), plane, io)? {
                break;
            }
        }
        Ok(())
    }

    /// The level to reclaim before `level` opens a block: the one over its quota, else `level`.
    fn level_to_reclaim(&self, level: Level, plane: PlaneId, io: &Io) -> Option<Level> {
        let (l1_quota, l2_quota) = self.division.quotas(self.usable_blocks);
        let left = |l: Level| match l {
            Level::L1 => i64::from(l1_quota) - i64::from(self.l1.used_blocks(plane)),
            Level::L2 => i64::from(l2_quota) - i64::from(self.l2.used_blocks(plane)),
        };
        let free = self.l2.free_blocks(plane);
        if left(level) > 0 && !self.pressure.is_high(free, || self.live_units(plane, io)) {
            return None;
        }
        Some(if left(level.other()) < 0 { level.other() } else { level })
    }

    /// Live mapping units of both levels in `plane`.
    fn live_units(&self, plane: PlaneId, io: &Io) -> u32 {
        let first = io.media.array.geometry.block(plane, self.l2.spec.first_block).0;
        (first..first + self.l2.spec.blocks).map(|b| io.media.array.block(BlockId(b)).live()).sum()
    }

    /// Empties a block of `level` in `plane` into the store; false if it has none.
    fn reclaim(&mut self, level: Level, plane: PlaneId, io: &mut Io) -> Result<bool, DeviceFull> {
        let region = if level == Level::L1 { &self.l1 } else { &self.l2 };
        let Some(block) = victim::choose(region, io, plane, true) else {
            return Ok(false);
        };
        match level {
            Level::L1 => self.reclaim_l1(block, io)?,
            Level::L2 => self.reclaim_l2(block, plane, io)?,
        }
        Ok(true)
    }

    /// Section III-A: L1's sectors are merged with the rest of their pages, wherever it lies.
    fn reclaim_l1(&mut self, block: BlockId, io: &mut Io) -> Result<(), DeviceFull> {
        let how = self.config.l1_gather;
        let gathered = gather::empty_block(&mut self.store, io, block, RECLAIM, how)?;
        self.l1.return_block(&mut self.l2, io, block);
        self.census.left(Cached { fragments: gathered.fragments, units: gathered.units });
        if !io.clockless {
            self.stats.l1_blocks_reclaimed += 1;
            self.stats.l1_pages_migrated += gathered.pages;
        }
        Ok(())
    }

    /// Section III-A: L2's pages are cold and move as they are; newer sectors stay in L1.
    fn reclaim_l2(&mut self, block: BlockId, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        let live_pages = io.media.array.live_pages(block);
        let to = self.store.plane_for(plane, live_pages, io)?;
        empty_block(&mut self.store.region, io, block, to, RECLAIM, Writer::Host)?;
        pad_unprotected(&mut self.store.region, io, to);
        self.l2.give_back(io, block);
        if !io.clockless {
            self.stats.l2_blocks_reclaimed += 1;
            self.stats.l2_pages_migrated += u64::from(live_pages);
        }
        Ok(())
    }

    /// Lines 3-11: the request counts once, and so does its partial part.
    fn begin_request(&mut self) {
        self.division.step();
        self.request_counted = false;
    }

    fn count_partial(&mut self) {
        let counts = match self.config.omega_s {
            OmegaS::Pages => false,
            OmegaS::Pieces => true,
            OmegaS::Requests => !std::mem::replace(&mut self.request_counted, true),
        };
        if counts {
            self.division.count_merged();
        }
    }
}

impl Scheme for Hierarchy {
    fn preload(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if piece.first && !io.clockless {
            self.begin_request();
        }
        let full = piece.is_full(io.policy.mus_per_page);
        if full && io.media.hold.mask(piece.page) == 0 {
            return self.write_to_l2(&piece, io);
        }
        if !full && !io.clockless {
            self.count_partial();
        }
        self.merge(&piece, io)
    }

    fn read(&mut self, piece: Piece, io: &mut Io) {
        page_level::read(&piece, io);
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.stats.mapped_peak = self.stats.mapped_peak.max(io.media.mapped());
        self.census.trim(first, end, io);
    }

    fn flush(&mut self, request: RequestId, io: &mut Io) -> Result<(), DeviceFull> {
        if !io.policy.plp {
            self.merger.wait_for_all(request, io);
            while self.program_oldest(io)? {}
        }
        super::flush_region(&mut self.store.region, request, io);
        Ok(())
    }

    fn timer(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        while self.merger.is_due(io) {
            self.program_oldest(io)?;
        }
        self.merger.arm(io);
        Ok(())
    }

    fn window_writes(&self) -> u32 {
        self.config.window_writes
    }

    fn window(&mut self, _io: &mut Io) {
        self.division.end_window();
    }

    fn idle(&mut self, _plane: PlaneId, _io: &mut Io) -> Idle {
        Idle::Nothing
    }

    fn stage_due(&mut self, _plane: PlaneId, _io: &mut Io) {}

    fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        while self.program_oldest(io)? {}
        self.stats.mapped_peak = self.stats.mapped_peak.max(io.media.mapped());
        super::pad_region(&mut self.store.region, io);
        Ok(())
    }

    fn blocks(&self) -> Vec<BlockShare> {
        vec![self.l2.share(), self.store.region.share()]
    }

    fn cache_live_bytes(&self, io: &Io) -> u64 {
        self.l2.live_bytes(io)
    }

    fn save(&self) -> SchemeState {
        let now = self.census.now();
        let numbers = [&[now.fragments, now.units][..], &self.division.save()].concat();
        let regions = vec![self.l1.save(), self.l2.save(), self.store.region.save()];
        SchemeState { regions, numbers, tables: Vec::new() }
    }

    fn load(&mut self, state: SchemeState) {
        let regions = [&mut self.l1, &mut self.l2, &mut self.store.region];
        regions.into_iter().zip(state.regions).for_each(|(region, part)| region.load(part));
        if let [fragments, units, a, b, c, d] = state.numbers[..] {
            self.census.load(Cached { fragments, units });
            self.division.load([a, b, c, d]);
        }
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "hierarchy".into(), ..SchemeReport::default() };
        let (stats, division) = (&self.stats, &self.division);
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_free_blocks_min", f64::from(self.l2.free_blocks_min()));
        figure("dense_free_blocks_min", f64::from(self.store.region.free_blocks_min()));
        figure("l1_blocks_reclaimed", stats.l1_blocks_reclaimed as f64);
        figure("l1_pages_migrated", stats.l1_pages_migrated as f64);
        figure("l2_blocks_reclaimed", stats.l2_blocks_reclaimed as f64);
        figure("l2_pages_migrated", stats.l2_pages_migrated as f64);
        figure("slc_blocks_reclaimed", (stats.l1_blocks_reclaimed + stats.l2_blocks_reclaimed) as f64);
        figure("slc_pages_migrated", (stats.l1_pages_migrated + stats.l2_pages_migrated) as f64);
        figure("merged_pages", stats.merged_pages as f64);
        figure("merged_units", stats.merged_units as f64);
        figure("l2_share", division.l2_share());
        figure("windows", division.windows as f64);
        figure("windows_at_l1_max", division.windows_at_l1_max as f64);
        figure("windows_at_l1_min", division.windows_at_l1_min as f64);
        let entries = stats.mapped_peak.div_ceil(u64::from(io.policy.mus_per_page));
        report.tables.push(TableReport { name: "page mapping table".into(), entries, bytes: entries * 4 });
        let entries = self.census.peak().fragments;
        let bytes = table_bytes(entries, smt_entry_bits(self.slc_pages, self.slots, io));
        report.tables.push(TableReport { name: "sector mapping table".into(), entries, bytes });
        report.series.push(division.series.report("l2_share", self.config.window_writes));
        report
    }
}
