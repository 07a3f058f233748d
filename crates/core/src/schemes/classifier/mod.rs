//! An SLC cache past which cold writes go, as a classifier says that learns while the drive runs.
//!
//! **What it does.** The cache is that of `baseline`. Each page written is judged first: what is likely to be
//! cold goes to the dense store at once. A page that leaves the cache as it was written was cold, one that
//! is rewritten there was not; one that went past the cache was cold if it is not rewritten while the cache
//! turns over once. Each such label moves a logistic regression by one gradient step. `bypass-oracle` judges
//! by the trace's next write to the page: no classifier of this kind judges better.
//! **Paper.** "Leveraging a classifier for SLC/QLC hybrid SSDs" (Applied Sciences 14, 1648), of which only
//! abstract and introduction were at hand: a light model lets cold writes bypass the SLC cache, from the
//! workload's and the drive's state.
//! **What the paper leaves open and what we chose.** Everything else. Features, each from 0 to 1: size of the
//! request, page writes since the page's last one, its updates, whether the request goes on where one of the
//! last eight ended, what of the cache holds nothing live, whether the last page for it called for
//! reclamation. Weights begin with 0, so that nothing is cold at first. The cache's turnover is how long the
//! block reclaimed last had been open or full, in page writes; before that the pages of the cache.
//! **Knobs.** `slc.start_free_ratio`.

mod judge;
mod page_records;

use super::common::cache::{self, of_split, CacheConfig, Pressure, RECLAIM};
use super::common::dials::{Dial, Dials, START_FREE_RATIO};
use super::common::tables::Reclaimed;
use crate::base::request::SECTOR_BYTES;
use crate::base::{BlockId, PlaneId, Problem};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::knob::KnobSpec;
use crate::ftl::oracle::Oracle;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::ftl::store::Store;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
pub use judge::{Foreseen, Judge, Learned};
use page_records::{PageFate, PageRecords, Seen};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::collections::VecDeque;

/// Ends of requests that are remembered.
const RUNS: usize = 8;

/// Parameters of `classifier`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ClassifierConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
    /// Learning rate; with 0 nothing is learned, and nothing is cold.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.05)]
    pub rate: f64,
}

/// Parameters of `bypass-oracle`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct BypassOracleConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
}

impl Parameters for ClassifierConfig {
    const DEFAULTS_OF: Option<&'static str> = Some("baseline");
    const PAGE_BYTES: u64 = PageRecords::PAGE_BYTES;

    fn keeps_places(&self) -> Option<&'static str> {
        Some("it knows when each SLC block was opened for the host")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.cache.check(Learned::NAME, device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        cache::moot(key)
    }
}

impl Parameters for BypassOracleConfig {
    const LOOKS_AHEAD: bool = true;
    const DEFAULTS_OF: Option<&'static str> = Some("baseline");
    const PAGE_BYTES: u64 = PageRecords::PAGE_BYTES;

    fn keeps_places(&self) -> Option<&'static str> {
        Some("it knows when each SLC block was opened for the host")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.cache.check(Foreseen::NAME, device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        cache::moot(key)
    }
}

/// SLC cache, dense store, and who says what goes past the first.
#[derive(Clone, Serialize, Deserialize)]
pub struct Bypass<J> {
    slc: Region,
    store: Store,
    pressure: Pressure,
    dials: Dials,
    judge: J,
    pages: PageRecords,
    /// Page writes so far.
    now: u32,
    turnover: u32,
    /// Of each SLC block, plane by plane, the page write by which it was opened.
    opened: Vec<u32>,
    /// Pages that went past the cache, with the page write, until the cache has turned over.
    past: VecDeque<(u32, u32)>,
    /// The pages at which the last requests ended, the one that ended longest ago first.
    runs: VecDeque<u32>,
    sequential: bool,
    reclaiming: bool,
    #[serde(skip)]
    reclaimed: Reclaimed,
    #[serde(skip)]
    figures: BypassFigures,
}

#[derive(Clone, Default)]
struct BypassFigures {
    slc_pages: u64,
    direct_pages: u64,
    labels: u64,
    cold_labels: u64,
    right_labels: u64,
}

impl Bypass<Learned> {
    pub fn new(config: &ClassifierConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        Self::with(&config.cache, Learned::new(config.rate), device, io)
    }
}

impl Bypass<Foreseen> {
    pub fn new(config: &BypassOracleConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        Self::with(&config.cache, Foreseen::default(), device, io)
    }
}

impl<J: Judge> Bypass<J> {
    fn with(cache: &CacheConfig, judge: J, device: &DeviceConfig, io: &mut Io) -> Self {
        let slc = Region::new(cache.slc_spec(device, Pack::Page), io);
        let blocks = slc.planes().len() * cache.split.slc_blocks as usize;
        Self {
            pressure: cache.pressure(cache.split.slc_blocks * slc.full_block(io)),
            dials: Dials::new([Dial::start_free_ratio(cache.slc.start_free_ratio)]),
            store: cache.split.store(device, io),
            judge,
            pages: PageRecords::new(io.mus().div_ceil(io.policy().mus_per_page) as usize),
            now: 0,
            turnover: blocks as u32 * slc.pages_per_block,
            opened: vec![0; blocks],
            past: VecDeque::new(),
            runs: VecDeque::from([u32::MAX; RUNS]),
            sequential: false,
            reclaiming: false,
            slc,
            reclaimed: Reclaimed::default(),
            figures: BypassFigures::default(),
        }
    }

    fn index(&self, block: BlockId, io: &Io) -> usize {
        let (plane, spec) = (io.geometry().plane_of(block), &self.slc.spec);
        let of_plane = plane.0 - io.geometry().pools[spec.pool].first_plane;
        let place = block.0 - io.geometry().block(plane, spec.first_block).0;
        (of_plane * spec.blocks + place) as usize
    }

    /// Empties SLC blocks of `plane` into the dense region until the trigger is satisfied.
    fn reclaim(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        self.reclaiming = false;
        while let Some(block) = self.pressure.victim(&self.slc, plane, io) {
            self.reclaiming = true;
            let index = self.index(block, io);
            self.turnover = self.now.wrapping_sub(self.opened[index]).max(1);
            self.judge_leaving(block, io);
            let pages = self.store.take_in_near(block, plane, RECLAIM, io)?;
            self.slc.give_back(io, block);
            self.reclaimed.count(pages, io);
        }
        Ok(())
    }

    /// What is moved out of `block` was not rewritten there.
    fn judge_leaving(&mut self, block: BlockId, io: &Io) {
        for page in io.written_pages(block) {
            let live = io.array().page_tags(page).iter().find(|&&tag| tag != 0);
            if let Some(tag) = live {
                self.label((tag - 1) / io.policy().mus_per_page, true, io);
            }
        }
    }

    /// The last write of `page` was cold, or not.
    fn label(&mut self, page: u32, cold: bool, io: &Io) {
        let (seen, place) = self.pages.last(page);
        if place == PageFate::Settled {
            return;
        }
        self.judge.learn(seen, cold);
        self.pages.settle(page);
        if !io.clockless() {
            self.figures.labels += 1;
            self.figures.cold_labels += u64::from(cold);
            self.figures.right_labels += u64::from(cold == (place == PageFate::Past));
        }
    }

    /// What went past the cache longer than a turnover ago, and was not rewritten, was cold.
    fn judge_past(&mut self, io: &Io) {
        while let Some(&(page, written)) = self.past.front() {
            if self.now.wrapping_sub(written) <= self.turnover {
                break;
            }
            self.past.pop_front();
            if self.pages.written(page) == written {
                self.label(page, true, io);
            }
        }
    }

    /// What a piece looks like.
    fn look(&mut self, piece: &Piece, io: &Io) -> Seen {
        if piece.first {
            self.follow(piece.page);
        }
        *self.runs.back_mut().expect("Invariant: there are runs") = piece.page;
        let page_bytes = u64::from(io.policy().mus_per_page) * u64::from(io.geometry().mu_bytes);
        let pages = (u64::from(piece.request_sectors) * SECTOR_BYTES).div_ceil(page_bytes).max(1);
        let full = u64::from(self.slc.spec.blocks * self.slc.full_block(io)) * self.slc.planes().len() as u64;
        let live = io.array().live_in(self.slc.id());
        let units = u64::from(io.policy().mus_per_page);
        let free = 1.0 - (live as f64 / (full * units) as f64).min(1.0);
        let seen = Seen {
            size: pages.ilog2(),
            sequential: self.sequential,
            free: Seen::free(free),
            reclaiming: self.reclaiming,
            ..Seen::default()
        };
        self.pages.look(piece.page, self.now, self.turnover, seen)
    }

    /// A request begins at `page`: where one of the last ended, or right behind.
    fn follow(&mut self, page: u32) {
        let goes_on = |&end: &u32| end == page || end.checked_add(1) == Some(page);
        let run = self.runs.iter().rposition(goes_on);
        self.sequential = run.is_some();
        self.runs.remove(run.unwrap_or(0));
        self.runs.push_back(page);
    }
}

impl<J: Judge> Scheme for Bypass<J> {
    const KNOBS: &'static [KnobSpec] = &[START_FREE_RATIO];

    regions! { Cache slc, Store store.region; dials dials => |scheme| scheme.pressure.follow(&scheme.dials) }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, mask, io)
    }

    fn foresee(&mut self, oracle: Oracle) {
        self.judge.foresee(oracle);
    }

    fn write_request(&mut self, first: u32, last: u32, io: &Io) {
        let n = io.policy().mus_per_page;
        self.judge.advance(first / n, last / n);
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.now = self.now.wrapping_add(1).max(1);
        self.judge_past(io);
        // A page that comes again before that, in the cache or past it, was not cold.
        self.label(piece.page, false, io);
        let seen = self.look(&piece, io);
        if self.judge.is_cold(piece.page, seen, self.turnover) {
            let page = self.store.host_page(piece.page, None, io)?;
            page_level::write_to(&piece, &mut self.store.region, page, io);
            self.pages.note(piece.page, self.now, seen, PageFate::Past);
            self.past.push_back((piece.page, self.now));
            self.figures.direct_pages += u64::from(!io.clockless());
            return Ok(());
        }
        let plane = self.slc.choose_plane(io, piece.page);
        let page = try_planes(
            self,
            plane,
            |scheme| scheme.slc.allocator(),
            |scheme, plane| {
                if scheme.slc.needs_block(plane, Writer::Host) {
                    scheme.reclaim(plane, io)?;
                }
                Ok(scheme.slc.take_page(io, plane, Writer::Host, 0))
            },
        )?;
        if io.geometry().page_in_block(page) == 0 {
            let index = self.index(io.geometry().block_of(page), io);
            self.opened[index] = self.now;
        }
        page_level::write_to(&piece, &mut self.slc, page, io);
        self.pages.note(piece.page, self.now, seen, PageFate::Cache);
        self.figures.slc_pages += u64::from(!io.clockless());
        Ok(())
    }

    /// What is trimmed says nothing about its last write.
    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        let n = io.policy().mus_per_page;
        (first.div_ceil(n)..end / n).for_each(|page| self.pages.settle(page));
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.reclaimed.report(J::NAME, &self.slc, &self.store, io);
        let f = &self.figures;
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_pages_written", f.slc_pages as f64);
        figure("direct_pages", f.direct_pages as f64);
        figure("labels", f.labels as f64);
        figure("cold_labels", f.cold_labels as f64);
        figure("right_labels", f.right_labels as f64);
        figure("turnover_pages", f64::from(self.turnover));
        self.judge.report(&mut report);
        report
    }
}
