//! A static SLC cache that is emptied block by block in idle time.
//!
//! **What it does.** A write takes the next SLC page of its plane; if the plane's cache is used
//! up, it goes to the dense store at dense speed. In idle time the oldest used SLC block of a plane is
//! moved to the dense store and erased, and nothing interrupts this. At the end of a run the cache
//! is emptied.
//! **Paper.** "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs", sections
//! II-C, III and the baseline of V-A (Samsung's TurboWrite).
//! **What the paper leaves open and what we chose.** How long the device must be idle: 50 ms
//! (`idle`), of the plane. Whether a partly filled block is reclaimed: its data move, and it goes on
//! being filled (`reclaim_open`). Where data move: within their plane.
//! **Knobs.** `idle.threshold_ns`, `slc_blocks`.

use super::common::cache::{of_split, ReclaimOpen, SplitConfig};
use super::common::dials::{Dial, Dials, IDLE_THRESHOLD, SLC_BLOCKS};
use super::common::tables::page_table;
use super::common::turns::Turns;
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId, Problem};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::config::{CleanConfig, Victim};
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::piece::{Job, Piece};
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::ftl::store::{Store, RESERVE};
use crate::ftl::{page_level, victim};
use crate::hw::config::IdleRule;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `turbo-write`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct TurboWriteConfig {
    /// What every cache in front of a store has.
    #[serde(flatten)]
    pub split: SplitConfig,
    /// When used SLC blocks are reclaimed.
    pub idle: IdleRule,
    /// What idle time does with the block that is being filled.
    pub reclaim_open: ReclaimOpen,
    /// The end of a run empties the cache, counted.
    #[default(true)]
    pub drain: bool,
}

/// SLC blocks are reclaimed in the order in which they were opened.
fn oldest_first() -> CleanConfig {
    CleanConfig { victim: Victim::Fifo, ..CleanConfig::default() }
}

impl Parameters for TurboWriteConfig {
    of_split!(split);

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.idle.check("scheme.turbo-write.idle", problems);
        self.split.check("turbo-write", 1, device, problems);
    }
}

/// A cache of SLC blocks and the store behind it.
#[derive(Clone, Serialize, Deserialize)]
pub struct TurboWrite {
    slc: Region,
    store: Store,
    dials: Dials,
    reclaim_open: ReclaimOpen,
    drain: bool,
    turns: Turns,
    /// Planes whose store had no room for the next block: asked again when the host changed anything.
    cramped: Vec<PlaneId>,
    #[serde(skip)]
    figures: TurboFigures,
}

#[derive(Clone, Default)]
struct TurboFigures {
    slc_pages: u64,
    direct_pages: u64,
    reclaimed_blocks: u64,
    reclaimed_pages: u64,
    drained_pages: u64,
}

impl TurboWrite {
    pub fn new(config: &TurboWriteConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        io.set_idle_rule(config.idle);
        let split = &config.split;
        Self {
            slc: Region::new(split.slc_spec(device, Pack::Page, &oldest_first()), io),
            store: split.store(device, io),
            dials: Dials::new([
                Dial::idle_threshold(config.idle),
                Dial::whole(&SLC_BLOCKS, 1, split.slc_blocks, split.slc_blocks),
            ]),
            reclaim_open: config.reclaim_open,
            drain: config.drain,
            turns: Turns::new(io),
            cramped: Vec::new(),
            figures: TurboFigures::default(),
        }
    }

    /// Section II-C: SLC pages as long as there are any, then the dense store.
    fn place(&mut self, piece: &Piece, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        if page_level::write(piece, &mut self.slc, plane, 0, io).is_ok() {
            self.figures.slc_pages += u64::from(!io.clockless());
            if self.reclaim_open != ReclaimOpen::Never || self.slc.needs_block(plane, Writer::Host) {
                io.mark_idle_work(plane);
            }
            return Ok(());
        }
        let region = &mut self.store.region;
        region.place(piece.page, piece.mask, Writer::Host, io);
        if region.needs_block(plane, Writer::Host) {
            self.store.room(plane, io);
        }
        page_level::write(piece, &mut self.store.region, plane, RESERVE, io)?;
        self.figures.direct_pages += u64::from(!io.clockless());
        self.turns.went_to(plane);
        Ok(())
    }

    /// What the host overwrites or trims may be the room that idle work lacked.
    #[cold]
    fn ask_cramped_again(&mut self, io: &mut Io) {
        self.cramped.drain(..).for_each(|plane| io.mark_idle_work(plane));
    }

    /// The oldest used SLC block of `plane`; with `open` also the one that is being filled.
    fn oldest(&mut self, plane: PlaneId, open: bool, io: &mut Io) -> Option<BlockId> {
        let block = victim::choose(&self.slc, io, plane, true);
        if block.is_none() && open {
            self.slc.close_open(io, plane, Writer::Host);
            return victim::choose(&self.slc, io, plane, true);
        }
        block
    }

    /// The block of `plane` that is being filled, if its data are to move and there are any.
    fn open_with_data(&self, plane: PlaneId, io: &Io) -> Option<BlockId> {
        let block = self.slc.open_block(plane, Writer::Host)?;
        (self.reclaim_open == ReclaimOpen::Data && io.array().live_pages(block) > 0).then_some(block)
    }

    /// Moves what lives in `block` to `to` and erases it.
    fn empty(&mut self, block: BlockId, to: PlaneId, class: Class, io: &mut Io) -> Result<u64, DeviceFull> {
        let live_pages = self.store.take_in(block, to, Job { cause: Cause::Migration, class }, io)?;
        self.slc.give_back(io, block);
        if !io.clockless() {
            self.figures.reclaimed_blocks += 1;
            self.figures.reclaimed_pages += live_pages;
        }
        Ok(live_pages)
    }
}

impl Scheme for TurboWrite {
    const KNOBS: &'static [KnobSpec] = &[IDLE_THRESHOLD, SLC_BLOCKS];

    regions! { Cache slc, Store store.region }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, mask, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if !self.cramped.is_empty() {
            self.ask_cramped_again(io);
        }
        let plane = self.turns.choose(piece.page, &mut self.slc, &self.store.region, io);
        try_planes(
            self,
            plane,
            |scheme| scheme.slc.allocator(),
            |scheme, plane| Ok(scheme.place(&piece, plane, io).ok()),
        )
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        self.ask_cramped_again(io);
    }

    /// Section IV-B: a block is reclaimed as a whole; a host write that comes meanwhile waits.
    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let used = self.oldest(plane, self.reclaim_open == ReclaimOpen::Block, io);
        let Some(block) = used.or_else(|| self.open_with_data(plane, io)) else {
            return Idle::Nothing;
        };
        let live_pages = io.array().live_pages(block);
        if self.store.room_as(plane, Class::Run, io) < live_pages {
            self.cramped.push(plane);
            return Idle::Nothing;
        }
        if used.is_some() {
            self.empty(block, plane, Class::Run, io).expect("Invariant: the room was checked");
        } else {
            let job = Job { cause: Cause::Migration, class: Class::Run };
            let pages = self.store.take_data(block, plane, job, io);
            self.figures.reclaimed_pages += if io.clockless() { 0 } else { pages };
        }
        Idle::Step
    }

    /// Section III: at the end all data in the SLC cache are moved and its blocks erased; one block
    /// per plane at a time.
    fn drain(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
        let mut more = false;
        for plane in self.slc.planes().to_vec() {
            let block = if self.drain { self.oldest(plane, true, io) } else { None };
            let Some(block) = block else {
                continue;
            };
            let to = self.store.plane_for(plane, io.array().live_pages(block), io)?;
            self.figures.drained_pages += self.empty(block, to, Class::Background, io)?;
            more = true;
        }
        Ok(more)
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    /// Blocks beyond the cache's size stay in it until they are emptied.
    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.dials.set_idle_threshold(io);
            self.slc.set_quota(self.dials.count(&SLC_BLOCKS) as u32);
        }
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "turbo-write".into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        let f = &self.figures;
        figure("slc_pages_written", f.slc_pages as f64);
        figure("direct_pages_written", f.direct_pages as f64);
        figure("slc_blocks_reclaimed", f.reclaimed_blocks as f64);
        figure("slc_pages_migrated", f.reclaimed_pages as f64);
        figure("slc_pages_migrated_at_end", f.drained_pages as f64);
        figure("dense_free_blocks_min", f64::from(self.store.region.free_blocks_min()));
        // All of its moves are needed for room, so that both counts of `ips-agc` are one here.
        let stores = io.counters().iter().filter(|row| row.kind.stores());
        let waf = stores.map(|row| row.totals.pages).sum::<u64>() as f64
            / (f.slc_pages + f.direct_pages).max(1) as f64;
        figure("waf_all", waf);
        figure("waf_extra", waf);
        report.tables.push(page_table(io));
        report
    }
}
