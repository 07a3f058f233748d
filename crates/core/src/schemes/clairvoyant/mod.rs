//! An SLC cache that knows the future.
//!
//! **What it does.** A first pass over the trace tells when what is written to each logical page dies. The
//! plan keeps the most versions of which no more live at once than the cache has room for; the others are
//! written past it, to the dense store. A page that is kept goes to the open block of the *window* of time
//! in which it dies, so that blocks die as a whole. Where no block is free, the full one with the least
//! live data is reclaimed: what dies first of it moves within the cache, the rest goes to the store. One
//! block is held back for that. Idle time does nothing: moving earlier only moves what would have died.
//! **Paper.** None: a yardstick. Related are Faigle and Nawijn 1995 and Carlisle and Lloyd 1995 (the plan),
//! SepBIT, FAST'22 (blocks of pages that die together), and "Erasing Belady's Limitations", ATC'16.
//! **What the paper leaves open and what we chose.** Logical pages stay together in a flash page. Without
//! a first pass, before time 0 say, nothing is known to die, and everything goes to the store.
//! **Knobs.** `stay_share`.

mod config;
mod groups;
mod plan;
mod reclaim;

pub use config::{ClairvoyantConfig, Spread};

use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::CleanConfig;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::oracle::Oracle;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::store::Store;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use crate::schemes::common::dials::{Dial, Dials};
use crate::schemes::common::tables::page_table;
use groups::{Group, Windows};
use plan::Plan;
use serde::{Deserialize, Serialize};

const STAY_SHARE: KnobSpec = KnobSpec {
    name: "stay_share",
    unit: "share",
    summary: "the larger, the more of a reclaimed block stays in the cache, at more SLC programs",
};
/// Where the knob ends: each victim must leave room behind.
const STAY_SHARE_MAX: f64 = 0.95;

/// What is known of the trace: nothing before it begins.
#[derive(Clone, Serialize, Deserialize)]
struct Future {
    oracle: Oracle,
    plan: Plan,
}

/// A cache that knows what dies when, and the store behind it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Clairvoyant {
    slc: Region,
    store: Store,
    groups: Vec<Group>,
    /// The group of each plane of the device, of those that are in the cache.
    group_of: Vec<usize>,
    windows: Windows,
    mix_windows: bool,
    /// Pages for which the plan chooses.
    plan_pages: u64,
    known: Option<Future>,
    dials: Dials,
    #[serde(skip)]
    figures: ClairvoyantFigures,
}

#[derive(Clone, Default)]
struct ClairvoyantFigures {
    slc_pages: u64,
    direct_pages: u64,
    reclaimed_blocks: u64,
    migrated_pages: u64,
    stayed_pages: u64,
}

impl Clairvoyant {
    pub fn new(config: &ClairvoyantConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let slc = CleanConfig::default();
        let split = &config.split;
        let slc = Region::new(split.slc_spec(device, Pack::Page, &slc), io).opened_apart();
        let (count, steps) = config.windows(device);
        let windows = Windows { count, steps };
        let groups: Vec<Vec<PlaneId>> = match config.spread {
            Spread::Plane => slc.planes().iter().map(|&plane| vec![plane]).collect(),
            Spread::Device => vec![slc.planes().to_vec()],
        };
        let mut group_of = vec![0; io.geometry().planes.len()];
        for (group, planes) in groups.iter().enumerate() {
            planes.iter().for_each(|plane| group_of[plane.index()] = group);
        }
        let pages = slc.planes().len() as u64 * u64::from(split.slc_blocks * slc.pages_per_block);
        Self {
            groups: groups.into_iter().map(|planes| Group::new(planes, windows)).collect(),
            group_of,
            windows,
            mix_windows: config.mix_windows,
            plan_pages: (pages as f64 * config.plan_share) as u64,
            known: None,
            dials: Dials::new([Dial::share(&STAY_SHARE, STAY_SHARE_MAX, config.stay_share)]),
            store: split.store(device, io),
            slc,
            figures: ClairvoyantFigures::default(),
        }
    }

    /// When what logical page `page` holds dies, if the cache is to keep it until then.
    #[inline]
    fn kept_until(&self, page: u32) -> Option<u32> {
        let Future { oracle, plan } = self.known.as_ref()?;
        plan.keeps(oracle.written_at(page)).then(|| oracle.death(page))
    }

    fn now(&self) -> u32 {
        self.known.as_ref().map_or(0, |known| known.oracle.now())
    }

    /// The group of planes whose turn it is.
    fn group(&mut self, page: u32, io: &Io) -> usize {
        if self.groups.len() == 1 {
            return 0;
        }
        let plane = self.slc.choose_plane(io, page);
        self.group_of[plane.index()]
    }

    /// The next SLC page for data that die at `death`, after what it takes to have one; none if no block
    /// can be reclaimed.
    fn slc_page(&mut self, group: usize, death: u32, io: &mut Io) -> Result<Option<Ppn>, DeviceFull> {
        let holds_back = self.dials.value(&STAY_SHARE) > 0.0;
        loop {
            let block = self.block_for(group, death, u32::from(holds_back), self.mix_windows, io);
            let is_short = holds_back && self.groups[group].free(&self.slc, io) == 0;
            if (block.is_some() && !is_short) || !self.reclaim(group, io)? {
                return Ok(block.and_then(|block| self.slc.next_page_of(block, io)));
            }
        }
    }

    /// The block for what dies at `death`: its window's, or a new one if more than `reserve` are free, or
    /// with `mix` the one of a window near by.
    fn block_for(
        &mut self,
        group: usize,
        death: u32,
        reserve: u32,
        mix: bool,
        io: &mut Io,
    ) -> Option<BlockId> {
        let now = self.now();
        let (window, until) = (self.windows.of(death, now), self.windows.end(death));
        self.release_over(group, window, now, io);
        let own = self.groups[group].open_at(window, &self.slc, io);
        let own = own.or_else(|| {
            self.make_free(group, reserve, now, io);
            self.groups[group].open(window, until, reserve, &mut self.slc, io)
        });
        own.or_else(|| self.groups[group].nearest(window, &self.slc, io).filter(|_| mix))
    }

    /// Writes past the cache.
    fn write_direct(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.region.place(piece.page, piece.mask, Writer::Host, io);
        let page = self.store.host_page(piece.page, None, io)?;
        page_level::write_to(piece, &mut self.store.region, page, io);
        self.figures.direct_pages += u64::from(!io.clockless());
        Ok(())
    }
}

impl Scheme for Clairvoyant {
    const KNOBS: &'static [KnobSpec] = &[STAY_SHARE];

    regions! { Cache slc, Store store.region }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, mask, io)
    }

    fn foresee(&mut self, oracle: Oracle) {
        let plan = Plan::new(&oracle, self.plan_pages);
        self.known = Some(Future { oracle, plan });
    }

    fn write_request(&mut self, first: u32, last: u32, io: &Io) {
        let n = io.policy().mus_per_page;
        if let Some(known) = &mut self.known {
            (first / n..=last / n).for_each(|page| known.oracle.advance(page));
        }
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let Some(death) = self.kept_until(piece.page) else {
            return self.write_direct(&piece, io);
        };
        let group = self.group(piece.page, io);
        let Some(page) = self.slc_page(group, death, io)? else {
            return self.write_direct(&piece, io);
        };
        self.figures.slc_pages += u64::from(!io.clockless());
        page_level::write_through(&piece, page, io, |io, write, sources| {
            io.program(page, write, sources);
        });
        Ok(())
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    fn turn(&mut self, knob: usize, value: f64, _io: &mut Io) -> Result<(), DeviceFull> {
        self.dials.turn(knob, value);
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "clairvoyant".into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        let known = self.known.as_ref();
        figure("slc_free_blocks_min", f64::from(self.slc.free_blocks_min()));
        figure("dense_free_blocks_min", f64::from(self.store.region.free_blocks_min()));
        figure("slc_pages_written", self.figures.slc_pages as f64);
        figure("direct_pages", self.figures.direct_pages as f64);
        figure("slc_blocks_reclaimed", self.figures.reclaimed_blocks as f64);
        figure("slc_pages_migrated", self.figures.migrated_pages as f64);
        figure("slc_pages_stayed", self.figures.stayed_pages as f64);
        figure("planned_pages", known.map_or(0.0, |known| known.plan.kept_versions() as f64));
        figure("oracle_bytes", known.map_or(0.0, |known| (known.oracle.bytes() + known.plan.bytes()) as f64));
        figure("unforeseen_pages", known.map_or(0.0, |known| known.oracle.unforeseen() as f64));
        report.tables.push(page_table(io));
        report
    }
}
