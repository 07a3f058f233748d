//! Where a twin's requests go whose updates take any pages: fresh ones on schedule, all others by popularity.

use super::super::random::{Random, Zipf};
use super::generator::{elsewhere, Sequential};
use super::lane::{Lane, Schedule};
use super::quota::Quota;
use super::sizes::{SizeClass, SECTORS};
use super::{pages, TwinPlan};

/// Where the last request ended, in its lane and in sectors from the start of its last page.
#[derive(Clone, Copy, Debug)]
struct End {
    lane: usize,
    last_place: u64,
    /// Sectors into the lane, counted in places.
    sector: u64,
    /// Sectors from the beginning of the address space.
    address: u64,
}

/// Sizes and places, request by request.
#[derive(Clone, Debug)]
pub(super) struct PageWalk {
    places: PagePlaces,
    sizes: Random,
    shifts: Random,
    sequential: Sequential,
    end: Option<End>,
}

impl PageWalk {
    /// The walk of `plan`, nothing touched yet.
    pub(super) fn new(plan: &TwinPlan, seed: u64) -> Self {
        let random = |decision| Random::new(seed, 0, decision);
        Self {
            places: PagePlaces::new(plan, seed),
            sizes: random("size"),
            shifts: random("shift"),
            sequential: Sequential::new(plan.sequential_share, seed),
            end: None,
        }
    }

    /// Sector and sectors of the next request, whose size comes out of `quota`.
    pub(super) fn next(&mut self, quota: &mut Quota<SizeClass>, write: bool) -> Option<(u64, u32)> {
        let class = quota.draw(&mut self.sizes)?;
        let go_on = self.sequential.is_due();
        let continued = self.continued(class, write, go_on);
        let (run, shift) = continued.unwrap_or_else(|| self.elsewhere(class, write));
        let (pages, sectors) = (class.pages(), u64::from(class.sectors));
        self.places.touch(run, pages, write);
        let sector = self.places.address(run) * SECTORS + shift;
        if self.end.is_some_and(|end| end.address == sector) {
            self.sequential.made();
        }
        self.end = Some(End {
            lane: run.lane,
            last_place: run.place + pages - 1,
            sector: run.place * SECTORS + shift + sectors,
            address: sector + sectors,
        });
        Some((sector, class.sectors))
    }

    /// The continuation of the last request, if this one is to continue it and can.
    fn continued(&self, class: SizeClass, write: bool, go_on: bool) -> Option<(Run, u64)> {
        let end = self.end.filter(|_| go_on)?;
        let shift = end.sector % SECTORS;
        if (shift != 0) != class.shifted {
            return None;
        }
        let run = Run { lane: end.lane, place: end.sector / SECTORS };
        self.places.allows(run, end.last_place, class.pages(), write).then_some((run, shift))
    }

    fn elsewhere(&mut self, class: SizeClass, write: bool) -> (Run, u64) {
        let end = self.end.filter(|end| end.sector % SECTORS == 0);
        let avoid = end.map(|end| Run { lane: end.lane, place: end.sector / SECTORS });
        let draw = || match write {
            true => self.places.write(class.pages(), avoid),
            false => self.places.read(class.pages()),
        };
        let run = elsewhere(draw, |run| Some(*run) == avoid);
        let shift = if class.shifted { 1 + self.shifts.below(SECTORS - 1) } else { 0 };
        (run, shift)
    }
}

/// Lanes of the written part: neighbouring fresh writes come from different
/// lanes unless they are meant to be sequential.
const LANES: u64 = 4;
/// Pages that stay together where nothing demands more: 1 MiB.
const EXTENT_PAGES: u64 = 256;
/// Writes of more pages may have a popularity of their own: 128 KiB.
const LARGE_PAGES: u64 = 32;

/// A run of pages in a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) lane: usize,
    pub(super) place: u64,
}

/// Written lanes first, then the lane of pages that are only read.
#[derive(Clone, Debug)]
pub(super) struct PagePlaces {
    lanes: Vec<Lane>,
    written_lanes: usize,
    written: Schedule,
    read_only: Schedule,
    updates: Zipf,
    large_updates: Zipf,
    reads: Zipf,
    random: Random,
}

impl PagePlaces {
    /// The places of `plan`, nothing touched yet.
    pub(super) fn new(plan: &TwinPlan, seed: u64) -> Self {
        let most = plan.most_pages();
        // Long enough that most requests leave room for the next one behind them.
        let extent = EXTENT_PAGES.max(16 * most);
        let count = (plan.written_pages / (8 * most)).clamp(1, LANES);
        let mut random = Random::new(seed, 0, "place");
        let mut lanes = Vec::new();
        let mut first = plan.first_page;
        for lane in 0..count {
            let pages = plan.written_pages / count + u64::from(lane < plan.written_pages % count);
            if pages > 0 {
                lanes.push(Lane::new(first, pages, extent, random.bits()));
                first += pages;
            }
        }
        let written_lanes = lanes.len();
        if plan.read_only_pages > 0 {
            lanes.push(Lane::new(first, plan.read_only_pages, extent, random.bits()));
        }
        Self {
            lanes,
            written_lanes,
            written: Schedule::new(plan.written_pages, pages(&plan.writes), most),
            read_only: Schedule::new(plan.read_only_pages, pages(&plan.reads), most),
            updates: Zipf::new(1, plan.update_skew),
            large_updates: Zipf::new(1, plan.large_update_skew),
            reads: Zipf::new(1, plan.read_skew),
            random,
        }
    }

    /// The page in the address space at which a run starts.
    pub(super) fn address(&self, run: Run) -> u64 {
        self.lanes[run.lane].address(run.place)
    }

    /// Whether `pages` pages from `run` on are neighbours that such a request may touch.
    pub(super) fn allows(&self, run: Run, previous: u64, pages: u64, write: bool) -> bool {
        let lane = &self.lanes[run.lane];
        let end = run.place + pages;
        let neighbours = end <= lane.extent_end(previous);
        let fresh = end.saturating_sub(lane.touched());
        let in_order = run.place <= lane.touched();
        // A run may get ahead of the schedule by its own length, not further.
        let ahead = |schedule: &Schedule| fresh == 0 || schedule.due(pages) > -(8.0 * pages as f64);
        neighbours
            && match (write, run.lane < self.written_lanes) {
                (true, true) => in_order && ahead(&self.written),
                (true, false) => false,
                (false, true) => true,
                (false, false) => in_order && ahead(&self.read_only),
            }
    }

    /// Where the next write goes; not to `avoid`, if it can be helped.
    pub(super) fn write(&mut self, pages: u64, avoid: Option<Run>) -> Run {
        let fresh = self.written.wants(pages, self.random.unit());
        let run = if fresh { self.fresh(pages, avoid) } else { None };
        run.or_else(|| self.update(pages))
            .or_else(|| self.fresh(pages, None))
            .expect("a lane without fresh pages takes every update")
    }

    /// A run of fresh pages, from lanes in proportion to what they have left.
    fn fresh(&mut self, pages: u64, avoid: Option<Run>) -> Option<Run> {
        let lanes = &self.lanes[..self.written_lanes];
        let (first, _) = self.random.weighted(lanes.iter().map(Lane::fresh))?;
        (0..lanes.len())
            .map(|step| (first + step) % lanes.len())
            .filter(|&lane| lanes[lane].fresh() > 0)
            .map(|lane| Run { lane, place: lanes[lane].fresh_place(pages) })
            .find(|run| Some(*run) != avoid)
    }

    fn update(&mut self, pages: u64) -> Option<Run> {
        let large = pages > LARGE_PAGES;
        let updates = if large { &mut self.large_updates } else { &mut self.updates };
        updates.resize(self.written.fresh.max(1));
        let rank = updates.draw(&mut self.random);
        let run = self.by_rank(rank)?;
        let place = self.lanes[run.lane].touched_place(run.place, pages)?;
        Some(Run { place, ..run })
    }

    /// The written page of popularity `rank`: first touched, most popular.
    fn by_rank(&self, rank: u64) -> Option<Run> {
        let count = self.written_lanes as u64;
        let lane = (rank % count) as usize;
        let lane = (0..self.written_lanes)
            .map(|step| (lane + step) % self.written_lanes)
            .find(|&lane| self.lanes[lane].touched() > 0)?;
        Some(Run { lane, place: rank / count % self.lanes[lane].touched() })
    }

    pub(super) fn read(&mut self, pages: u64) -> Run {
        let only = self.lanes.len() - 1;
        let fresh_left = self.read_only.all_fresh > 0 && self.lanes[only].fresh() > 0;
        if fresh_left && self.read_only.wants(pages, self.random.unit()) {
            return Run { lane: only, place: self.lanes[only].fresh_place(pages) };
        }
        // Among what has been touched, written or only read, each page alike.
        let (written, read_only) = (self.written.fresh, self.read_only.fresh);
        if self.random.below((written + read_only).max(1)) >= written && read_only > 0 {
            self.reads.resize(read_only);
            let place = self.reads.draw(&mut self.random);
            if let Some(place) = self.lanes[only].touched_place(place, pages) {
                return Run { lane: only, place };
            }
        }
        if self.written_lanes == 0 {
            return Run { lane: only, place: self.lanes[only].fresh_place(pages) };
        }
        self.reads.resize(written.max(1));
        let rank = self.reads.draw(&mut self.random);
        let run = self.by_rank(rank).unwrap_or(Run { lane: 0, place: 0 });
        Run { place: self.lanes[run.lane].any_place(run.place, pages), ..run }
    }

    /// Notes that `pages` pages from `run` on are touched.
    pub(super) fn touch(&mut self, run: Run, pages: u64, write: bool) {
        let written = run.lane < self.written_lanes;
        if write || !written {
            let lane = &mut self.lanes[run.lane];
            let before = lane.touched();
            lane.touch(run.place + pages);
            let fresh = lane.touched() - before;
            let schedule = if written { &mut self.written } else { &mut self.read_only };
            schedule.fresh += fresh;
        }
        let schedule = if write { &mut self.written } else { &mut self.read_only };
        schedule.touched += pages;
    }
}
