//! Where a twin's requests go whose updates take any pages: size by size, place by place.

use super::super::random::Random;
use super::places::{Places, Run};
use super::plan::TwinPlan;
use super::quota::Quota;
use super::sequential::{elsewhere, Sequential};
use super::sizes::{SizeClass, PAGE_SECTORS};

const SECTORS: u64 = PAGE_SECTORS as u64;

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
    sequential: Sequential,
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
