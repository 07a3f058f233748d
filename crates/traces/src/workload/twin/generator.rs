//! Making a twin's requests.

use super::super::random::Random;
use super::gaps::TwinClock;
use super::places::{Places, Run};
use super::plan::{SizeClass, TwinPlan};
use super::quota::Quota;
use super::sizes::PAGE_SECTORS;
use slcache_core::device::request::{HostOp, Request};

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
    /// The same in the address space.
    address: u64,
}

/// Makes the requests of a twin; constant memory.
#[derive(Clone, Debug)]
pub(in crate::workload) struct TwinGenerator {
    reads: Quota<SizeClass>,
    writes: Quota<SizeClass>,
    places: Places,
    clock: TwinClock,
    ops: Random,
    sizes: Random,
    shifts: Random,
    runs: Random,
    sequential_share: f64,
    /// Sequential requests due, less those made.
    sequential_due: f64,
    end: Option<End>,
}

impl TwinGenerator {
    /// The twin of `plan` with `seed`.
    pub(in crate::workload) fn new(plan: &TwinPlan, seed: u64) -> Self {
        let random = |decision| Random::new(seed, 0, decision);
        Self {
            reads: Quota::new(plan.reads.clone()),
            writes: Quota::new(plan.writes.clone()),
            places: Places::new(plan, seed),
            clock: TwinClock::new(&plan.gaps, seed),
            ops: random("op"),
            sizes: random("size"),
            shifts: random("shift"),
            runs: random("run"),
            sequential_share: plan.sequential_share,
            sequential_due: 0.0,
            end: None,
        }
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

impl Iterator for TwinGenerator {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let (reads, writes) = (self.reads.left(), self.writes.left());
        if reads + writes == 0 {
            return None;
        }
        let write = self.ops.below(reads + writes) < writes;
        let quota = if write { &mut self.writes } else { &mut self.reads };
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
        Some(Request {
            at_ns: self.clock.tick(),
            sector,
            sectors: class.sectors,
            stream: 0,
            op: if write { HostOp::Write } else { HostOp::Read },
        })
    }
}
