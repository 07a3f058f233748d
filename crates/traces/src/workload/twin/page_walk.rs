//! Where a twin's requests go whose updates take any pages: size by size, place by place.

use super::super::random::Random;
use super::places::{Places, Run};
use super::plan::TwinPlan;
use super::quota::Quota;
use super::sizes::{SizeClass, PAGE_SECTORS};

const SECTORS: u64 = PAGE_SECTORS as u64;
/// How often a place that would be sequential by chance is drawn again.
const REDRAWS: usize = 8;

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
    places: Places,
    sizes: Random,
    shifts: Random,
    runs: Random,
    sequential_share: f64,
    /// Sequential requests due, less those made.
    sequential_due: f64,
    end: Option<End>,
}

impl PageWalk {
    /// The walk of `plan`, nothing touched yet.
    pub(super) fn new(plan: &TwinPlan, seed: u64) -> Self {
        let random = |decision| Random::new(seed, 0, decision);
        Self {
            places: Places::new(plan, seed),
            sizes: random("size"),
            shifts: random("shift"),
            runs: random("run"),
            sequential_share: plan.sequential_share,
            sequential_due: 0.0,
            end: None,
        }
    }

    /// Sector and sectors of the next request, whose size comes out of `quota`.
    pub(super) fn next(&mut self, quota: &mut Quota<SizeClass>, write: bool) -> Option<(u64, u32)> {
        let class = quota.draw(&mut self.sizes)?;
        let (run, shift) = match self.continued(class, write) {
            Some(found) => found,
            None => self.elsewhere(class, write),
        };
        let (pages, sectors) = (class.pages(), u64::from(class.sectors));
        self.places.touch(run, pages, write);
        let sector = self.places.address(run) * SECTORS + shift;
        // What comes out sequential by chance counts as well.
        if self.end.is_some_and(|end| end.address == sector) {
            self.sequential_due -= 1.0;
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
    fn continued(&mut self, class: SizeClass, write: bool) -> Option<(Run, u64)> {
        self.sequential_due += self.sequential_share;
        if self.sequential_due <= 0.0 || self.runs.unit() >= self.sequential_due {
            return None;
        }
        let end = self.end?;
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
        let draw = |places: &mut Places| match write {
            true => places.write(class.pages(), avoid),
            false => places.read(class.pages()),
        };
        let mut run = draw(&mut self.places);
        for _ in 0..REDRAWS {
            if Some(run) != avoid {
                break;
            }
            run = draw(&mut self.places);
        }
        let shift = if class.shifted { 1 + self.shifts.below(SECTORS - 1) } else { 0 };
        (run, shift)
    }
}
