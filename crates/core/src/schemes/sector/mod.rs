//! Sector-level cache.
//!
//! **What it does.** The whole SLC cache is mapped by sector (mapping unit). Written sectors wait in
//! the hold buffer for others of like update frequency, and four of them (as many as a page has
//! slots) are programmed as one page; nothing is ever read to be written again. A logical page may
//! so be spread over as many flash pages as it has sectors, and a read reads each of them. When a
//! block is reclaimed, every logical page with a sector in it is brought together in the store.
//! **Paper.** Fareed, Kang, Lee and Kim, "Leveraging Intra-Page Update Diversity for Mitigating Write
//! Amplification in SSDs" (ICS 2020), as the Sector of "A Two-level SLC Cache Hierarchy for Hybrid SSDs".
//! **What the paper leaves open and what we chose.** What "similar hotness" is (`hotness_classes`:
//! hot from the mean of the counters that the last window's writes saw, counters halve at each
//! window of `window_writes`); whether full pieces are packed too (`full_pieces`); pieces are cut at
//! the end of a page; when a sector stops waiting and when its write is complete (`merge`);
//! cleaning as in `baseline` (`trigger`, `slc`, `dense`).
//! **Knobs.** `slc.start_free_ratio`, `merge.timeout_ns`, `hotness_classes`.

mod hotness;

use super::common::cache::{self, of_split, CacheConfig};
use super::common::dials::{Dial, Dials, MERGE_TIMEOUT, START_FREE_RATIO};
use super::common::mixed_cache::MixedCache;
use super::common::tables::{smt_entry_bits, table_bytes};
use crate::base::arithmetic::Ones;
use crate::base::Problem;
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::MergeConfig;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::media::bits;
use crate::ftl::mixed::Carry;
use crate::ftl::pack::in_order;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::RequestId;
use crate::metrics::report::{SchemeReport, TableReport};
use hotness::Hotness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Telling hot sectors from cold ones.
const HOTNESS_CLASSES: KnobSpec = KnobSpec {
    name: "hotness_classes",
    unit: "classes",
    summary:
        "2 keeps hot and cold sectors in different pages, 1 does not; 1 only where nothing counts updates",
};

/// Packing groups of held sectors.
const COLD: u8 = 0;
const HOT: u8 = 1;

/// Sector-level SLC cache and dense store.
#[derive(Clone, Serialize, Deserialize)]
pub struct Sector {
    cache: MixedCache,
    dials: Dials,
    /// Counters of updates, if it was configured with more than one class.
    hotness: Option<Hotness>,
    window_writes: u32,
    classes: u64,
    full_pieces: FullPieces,
    slc_pages: u64,
    #[serde(skip)]
    hot_units: u64,
    #[serde(skip)]
    written_units: u64,
}

impl Sector {
    pub fn new(config: &SectorConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let cache = MixedCache::new(&config.cache, &config.merge, device, io);
        let [start_free, timeout] = MixedCache::dials(&config.cache, &config.merge);
        let classes = Dial::whole(&HOTNESS_CLASSES, 1, config.hotness_classes, config.hotness_classes);
        Self {
            dials: Dials::new([start_free, timeout, classes]),
            hotness: (config.hotness_classes == 2).then(|| Hotness::new(io.mus())),
            window_writes: config.window_writes,
            classes: u64::from(config.hotness_classes),
            full_pieces: config.full_pieces,
            slc_pages: cache.slc.share().blocks * u64::from(cache.slc.pages_per_block),
            cache,
            hot_units: 0,
            written_units: 0,
        }
    }

    fn follow_dials(&mut self) {
        self.cache.follow(&self.dials);
        self.classes = self.dials.count(&HOTNESS_CLASSES);
    }

    /// Counts the writes of a piece's units and returns those that are hot; with one class none is.
    fn hot_units(&mut self, piece: &Piece, io: &Io) -> u32 {
        let Some(hotness) = self.hotness.as_mut() else {
            return 0;
        };
        let first = piece.page * io.policy().mus_per_page;
        let hot = bits(piece.mask).filter(|i| hotness.touch(first + i)).fold(0, |mask, i| mask | 1 << i);
        let hot = if self.classes == 1 { 0 } else { hot };
        if !io.clockless() {
            self.hot_units += u64::from(hot.ones());
            self.written_units += u64::from(piece.mask.ones());
        }
        hot
    }

    /// Holds the units of a piece in `mask` in `group` and programs the pages that are full.
    fn hold(&mut self, piece: &Piece, mask: u32, group: u8, io: &mut Io) -> Result<(), DeviceFull> {
        if mask == piece.mask && self.cache.write_alone(piece, io)? {
            return Ok(());
        }
        let whole = mask.ones() * io.geometry().mu_bytes;
        let bytes = if mask == piece.mask { piece.bytes } else { whole };
        let part = Piece { mask, partial: piece.partial & mask, bytes, ..*piece };
        let entry = io.held().find(piece.page, group);
        let slots = (mask | entry.map_or(0, |i| io.held().entries()[i].mask)).ones();
        self.cache.merger.hold(&part, group, slots, io);
        self.program(group, false, self.cache.merger.causer(piece), io)
    }

    /// Programs full pages of `group`, for which `request` waits; with `short` all there is of it.
    fn program(&mut self, group: u8, short: bool, request: RequestId, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(picks) = in_order(io.held(), group, self.cache.slots, short) {
            self.cache.program(&picks, Carry::Nothing, request, io)?;
        }
        Ok(())
    }
}

/// The hot ones of a piece's units, of which `hot` were: a sector that waits already stays with those it
/// waits with.
fn stay(piece: &Piece, hot: u32, io: &Io) -> u32 {
    let held = |group| {
        let entry = io.held().find(piece.page, group);
        entry.map_or(0, |i| io.held().entries()[i].mask)
    };
    piece.mask & (held(HOT) | (hot & !held(COLD)))
}

impl Scheme for Sector {
    const KNOBS: &'static [KnobSpec] = &[START_FREE_RATIO, MERGE_TIMEOUT, HOTNESS_CLASSES];

    regions! { Cache cache.slc, Store cache.store.region }

    fn audit_own(&self, io: &Io) -> Result<(), String> {
        self.cache.census.audit(io)
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.store.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let hot = self.hot_units(&piece, io);
        let alone = self.full_pieces == FullPieces::OwnPage
            && piece.is_full(io.policy().mus_per_page)
            && io.held().mask(piece.page) == 0;
        if alone {
            return self.cache.write_page(&piece, io);
        }
        self.cache.make_buffer_room(&piece, Carry::Nothing, io)?;
        let hot = if io.held().is_empty() { hot } else { stay(&piece, hot, io) };
        let cold = piece.mask & !hot;
        if hot != 0 {
            self.hold(&piece, hot, HOT, io)?;
        }
        if cold != 0 {
            self.hold(&piece, cold, COLD, io)?;
        }
        if io.clockless() {
            self.program_held(true, io)?;
        }
        Ok(())
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.cache.trim(first, end, io);
    }

    fn window_length(&self) -> WindowLength {
        let count = if self.hotness.is_some() { u64::from(self.window_writes) } else { 0 };
        WindowLength { unit: WindowUnit::WriteRequests, count }
    }

    fn window(&mut self, _counters: &WindowCounters, _io: &mut Io) -> Result<(), DeviceFull> {
        if let Some(hotness) = self.hotness.as_mut() {
            hotness.next_window();
        }
        Ok(())
    }

    fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        while all || self.cache.merger.is_due(io) {
            let Some(group) = io.held().entries().first().map(|held| held.group) else {
                break;
            };
            self.program(group, true, RequestId::NONE, io)?;
        }
        self.cache.merger.arm(io);
        Ok(())
    }

    fn held_units_max(&self) -> u32 {
        self.cache.merger.units_max()
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.follow_dials();
            self.cache.merger.arm(io);
        }
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.cache.report("sector", io);
        let hot_share = self.hot_units as f64 / self.written_units.max(1) as f64;
        report.figures.insert("hot_units_share".into(), hot_share);
        let entries = self.cache.census.peak().units;
        let bytes = table_bytes(entries, smt_entry_bits(self.slc_pages, self.cache.slots, io));
        report.tables.push(TableReport { name: "sector mapping table".into(), entries, bytes });
        report
    }
}

/// Where a piece goes that covers a logical page wholly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FullPieces {
    /// Its sectors are packed by their hotness like any others.
    #[default]
    Packed,
    /// It becomes a flash page of its own.
    OwnPage,
}

/// Parameters of `sector`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SectorConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
    /// How sectors wait for others.
    pub merge: MergeConfig,
    /// Classes of update frequency that share no page: 2 (hot and cold) or 1 (none).
    #[schemars(range(min = 1, max = 2))]
    #[default(2)]
    pub hotness_classes: u32,
    /// Write requests after which update counters are halved.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[default(1024)]
    pub window_writes: u32,
    /// Where a piece goes that covers a logical page wholly.
    pub full_pieces: FullPieces,
}

impl Parameters for SectorConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.sector.merge", device.piece_bytes(), problems);
        self.cache.check("sector", device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        let alone = key == "window_writes" && self.hotness_classes == 1;
        let why = "with one class nothing counts updates (hotness_classes = 2 does)";
        alone.then_some(why).or_else(|| self.merge.moot(key)).or_else(|| cache::moot(key))
    }
}
