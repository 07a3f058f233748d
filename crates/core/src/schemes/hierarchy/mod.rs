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
//! its donor (`division`, `page_source`); what omega_S counts (`omega_s`); "GC trigger threshold 50 %" as
//! in `baseline` (`trigger`, `slc.start_free_ratio`); the level over its quota is reclaimed, and a
//! level at its quota reclaims before it opens a block, or the cache is not divided (`quota`); which plane
//! of a channel takes a merged page (`l1_planes`); what leaves with a victim of L1
//! (`l1_gather`); when a partial write stops waiting and when it is complete (`merge`);
//! the first division (`initial_l2_share`). Blocks, not pages, change levels, when they are opened.
//! **Knobs.** `slc.start_free_ratio`, `merge.timeout_ns`, `l1_share_max`.

mod channels;
mod config;
mod division;
mod labels;
mod reclaim;
mod report;

use super::common::cache::Pressure;
use super::common::census::Census;
use super::common::dials::{Dials, MERGE_TIMEOUT, START_FREE_RATIO};
use crate::base::arithmetic::Ones;
use crate::base::{PlaneId, Ppn};
use crate::ftl::answer::{BlockShare, DeviceFull};
use crate::ftl::bank::BankId;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::merge::Merger;
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::{exact, oldest_first, Picks};
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::store::Store;
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::{OpId, RequestId};
use crate::metrics::report::SchemeReport;
use channels::Channels;
use config::L1_SHARE_MAX;
pub use config::{DivisionRule, HierarchyConfig, OmegaS, PageSource, Quota};
use division::Division;
use labels::Labels;
use reclaim::CacheLevel;
use report::HierarchyStats;
use serde::{Deserialize, Serialize};

/// All partial writes are packed together.
const GROUP: u8 = 0;

/// Two levels of SLC cache and the dense store.
#[derive(Clone, Serialize, Deserialize)]
pub struct Hierarchy {
    /// The free blocks of both levels.
    bank: BankId,
    /// Merged pages.
    l1: Region,
    l2: Region,
    store: Store,
    merger: Merger,
    division: Division,
    channels: Channels,
    census: Census<Labels>,
    pressure: Pressure,
    /// Blocks per plane that the levels share.
    usable_blocks: u32,
    #[serde(skip)]
    config: HierarchyConfig,
    dials: Dials,
    slots: u32,
    slc_pages: u64,
    /// The request at hand has a partial piece that `omega_s = "requests"` has counted.
    #[serde(skip)]
    request_counted: bool,
    #[serde(skip)]
    reach: Vec<u32>,
    #[serde(skip)]
    stats: HierarchyStats,
}

impl Hierarchy {
    pub fn new(config: &HierarchyConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let cache = &config.cache;
        let spec = cache.slc_spec(device, Pack::Page);
        let bank = io.new_bank(spec.pool, spec.first_block, &[spec.blocks]);
        let l1 = Region::new(RegionSpec { pack: Pack::Mu, bank: Some(bank), ..spec.clone() }, io);
        // Blocks that are compared with those of L1, or mix pages as they do, count as they do.
        let is_like_l1 = config.quota == Quota::None || config.page_source == PageSource::Label;
        let pack = if is_like_l1 { Pack::Mu } else { Pack::Page };
        let l2 = Region::new(RegionSpec { pack, bank: Some(bank), ..spec }, io);
        let planes = l2.planes().len() as u64;
        let slc_pages = l2.share().blocks * u64::from(l2.pages_per_block);
        let pressure = cache.pressure(config.cache.split.slc_blocks * l1.full_block(io));
        Self {
            store: cache.split.store(device, io),
            merger: Merger::new(&config.merge, device.mu_bytes),
            division: Division::new(config, slc_pages, planes * u64::from(l2.pages_per_block)),
            channels: Channels::new(l2.planes(), config.l1_planes, io),
            census: Census::new(Labels::new(config, l1.id(), l2.id(), io)),
            usable_blocks: config.cache.split.slc_blocks - pressure.kept_free(),
            pressure,
            slots: l1.full_block(io) / l1.pages_per_block,
            slc_pages,
            request_counted: false,
            reach: Vec::new(),
            stats: HierarchyStats::default(),
            dials: config.dials(),
            config: config.clone(),
            bank,
            l1,
            l2,
        }
    }

    fn follow_dials(&mut self) {
        self.pressure.follow(&self.dials);
        self.usable_blocks = self.config.cache.split.slc_blocks - self.pressure.kept_free();
        self.merger.set_timeout_ns(self.dials.count(&MERGE_TIMEOUT));
        self.division.set_l1_share_max(self.dials.value(&L1_SHARE_MAX));
    }

    /// Writes a full page to L2 (lines 19-23).
    fn write_to_l2(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let to = self.l2_page(piece.page, io)?;
        let before = self.census.of(&[piece.page], io);
        let source = self.source(CacheLevel::L2);
        page_level::write_to(piece, self.level(source), to, io);
        self.census.mixed.note(to, false);
        self.census.change(before, &[piece.page], io);
        self.count_full(io);
        Ok(())
    }

    /// Writes a partial piece: merged with others it goes to L1 (lines 12-18), and to L2 if what
    /// waited of its page makes it full.
    fn merge(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let causer = self.merger.causer(piece);
        while !self.merger.has_room(piece, io) && self.program_oldest(causer, io)? {}
        let held = io.held().mask(piece.page);
        let slots = (held | piece.mask).ones();
        let entry = self.merger.hold(piece, GROUP, slots, io);
        let waiting = &io.held().entries()[entry];
        if held != 0 && slots == io.policy().mus_per_page && waiting.partial == 0 {
            let picks = Picks::one(io.held(), entry);
            let to = self.l2_page(piece.page, io)?;
            self.count_full(io);
            self.program(&picks, CacheLevel::L2, to, causer, io);
        } else if let Some(picks) = exact(io.held(), entry, self.slots, &mut self.reach) {
            self.program_in_l1(&picks, causer, io)?;
        }
        if io.clockless() {
            while self.program_oldest(RequestId::NONE, io)? {}
        }
        Ok(())
    }

    /// Programs the oldest piece with what fits its page, for which `request` waits; false if
    /// nothing is held.
    fn program_oldest(&mut self, request: RequestId, io: &mut Io) -> Result<bool, DeviceFull> {
        match oldest_first(io.held(), self.slots) {
            Some(picks) => self.program_in_l1(&picks, request, io).map(|()| true),
            None => Ok(false),
        }
    }

    fn program_in_l1(&mut self, picks: &Picks, request: RequestId, io: &mut Io) -> Result<(), DeviceFull> {
        let to = self.l1_page(picks, io)?;
        self.program(picks, CacheLevel::L1, to, request, io);
        if self.config.omega_s == OmegaS::Pages && !io.clockless() {
            self.division.count_merged();
        }
        self.stats.merged_pages += u64::from(!io.clockless());
        self.stats.merged_units += if io.clockless() { 0 } else { u64::from(picks.units()) };
        Ok(())
    }

    fn program(&mut self, picks: &Picks, kind: CacheLevel, to: Ppn, request: RequestId, io: &mut Io) {
        let pages = picks.pages(io.held());
        let pages = &pages[..picks.list().len()];
        let before = self.census.of(pages, io);
        let source = self.source(kind);
        mixed::program(picks, Carry::Nothing, self.level(source), to, (request, OpId::NONE), io);
        self.census.mixed.note(to, kind == CacheLevel::L1);
        self.census.change(before, pages, io);
    }

    /// The next page of L2, in the order of the planes.
    fn l2_page(&mut self, page: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        let plane = self.l2.choose_plane(io, page);
        try_planes(
            self,
            plane,
            |scheme| scheme.l2.allocator(),
            |scheme, plane| {
                let source = scheme.source(CacheLevel::L2);
                scheme.take_page(source, plane, io)
            },
        )
    }

    /// The next page of L1, where reads of its logical pages conflict least.
    fn l1_page(&mut self, picks: &Picks, io: &mut Io) -> Result<Ppn, DeviceFull> {
        self.channels.begin(picks, io);
        while let Some(plane) = self.channels.next(io) {
            let source = self.source(CacheLevel::L1);
            if let Some(page) = self.take_page(source, plane, io)? {
                return Ok(page);
            }
            self.channels.is_full(plane);
        }
        Err(DeviceFull)
    }

    /// The level whose blocks give a page for what goes to `kind`.
    fn source(&self, kind: CacheLevel) -> CacheLevel {
        match self.config.page_source {
            PageSource::Size => kind,
            PageSource::Label if self.division.names_l1 => CacheLevel::L1,
            PageSource::Label => CacheLevel::L2,
        }
    }

    fn level(&mut self, level: CacheLevel) -> &mut Region {
        match level {
            CacheLevel::L1 => &mut self.l1,
            CacheLevel::L2 => &mut self.l2,
        }
    }

    /// The next page of a level's blocks in `plane`, if it has one.
    fn take_page(
        &mut self,
        level: CacheLevel,
        plane: PlaneId,
        io: &mut Io,
    ) -> Result<Option<Ppn>, DeviceFull> {
        let opens = self.level(level).needs_block(plane, Writer::Host);
        if opens {
            self.make_room(level, plane, io)?;
        }
        let page = self.level(level).take_page(io, plane, Writer::Host, 0);
        if opens {
            self.stats.l1_blocks_max = self.stats.l1_blocks_max.max(self.l1_blocks());
        }
        Ok(page)
    }

    fn count_full(&mut self, io: &Io) {
        if !io.clockless() {
            self.division.count_full();
        }
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
    const KNOBS: &'static [KnobSpec] = &[START_FREE_RATIO, MERGE_TIMEOUT, L1_SHARE_MAX];

    regions! { Cache l1, Cache l2, Store store.region }

    fn audit_own(&self, io: &Io) -> Result<(), String> {
        self.census.audit(io)
    }

    fn resume(&mut self, fresh: Self) -> Result<(), String> {
        self.config = fresh.config;
        Ok(())
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if piece.first {
            self.request_counted = false;
        }
        let full = piece.is_full(io.policy().mus_per_page);
        if full && io.held().mask(piece.page) == 0 {
            return self.write_to_l2(&piece, io);
        }
        if !full && !io.clockless() {
            self.count_partial();
        }
        self.merge(&piece, io)
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.census.trim(first, end, io);
    }

    fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        while (all || self.merger.is_due(io)) && self.program_oldest(RequestId::NONE, io)? {}
        self.merger.arm(io);
        Ok(())
    }

    fn write_request(&mut self, _first: u32, _last: u32, _io: &Io) {
        self.division.step();
    }

    fn window_length(&self) -> WindowLength {
        WindowLength { unit: WindowUnit::WriteRequests, count: u64::from(self.config.window_writes) }
    }

    fn window(&mut self, _counters: &WindowCounters, _io: &mut Io) -> Result<(), DeviceFull> {
        self.division.end_window();
        Ok(())
    }

    /// Both levels share the blocks.
    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        self.l2.slc_bytes(self.config.cache.split.slc_blocks, io)
    }

    fn blocks(&self) -> Vec<BlockShare> {
        vec![self.l2.share(), self.store.region.share()]
    }

    fn held_units_max(&self) -> u32 {
        self.merger.units_max()
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.follow_dials();
            self.merger.arm(io);
        }
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        self.figures(io)
    }
}
