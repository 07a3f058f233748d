//! Making a twin's requests, so many of them where the one before ended.

use super::super::random::Random;
use super::clock::TwinClock;
use super::extent_walk::ExtentWalk;
use super::page_walk::PageWalk;
use super::quota::{OpOrder, Quota};
use super::sizes::SizeClass;
use super::TwinPlan;
use slcache_base::request::{HostOp, Request};

/// Where requests go.
#[derive(Clone, Debug)]
enum Walk {
    Pages(PageWalk),
    Extents(ExtentWalk),
}

impl Walk {
    fn new(plan: &TwinPlan, seed: u64) -> Self {
        match &plan.extents {
            Some(extents) => Self::Extents(ExtentWalk::new(plan, extents, seed)),
            None => Self::Pages(PageWalk::new(plan, seed)),
        }
    }
}

/// Makes the requests of a twin; constant memory.
#[derive(Clone, Debug)]
pub(in crate::workload) struct TwinGenerator {
    reads: Quota<SizeClass>,
    writes: Quota<SizeClass>,
    walk: Walk,
    clock: TwinClock,
    ops: OpOrder,
}

impl TwinGenerator {
    pub(in crate::workload) fn new(plan: &TwinPlan, seed: u64) -> Self {
        Self {
            reads: Quota::new(plan.reads.clone()),
            writes: Quota::new(plan.writes.clone()),
            walk: Walk::new(plan, seed),
            clock: TwinClock::new(plan, seed),
            ops: OpOrder::new(plan.write_runs, seed),
        }
    }
}

impl Iterator for TwinGenerator {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        let (reads, writes) = (self.reads.left(), self.writes.left());
        if reads + writes == 0 {
            return None;
        }
        let write = self.ops.write(reads, writes);
        let quota = if write { &mut self.writes } else { &mut self.reads };
        let (sector, sectors) = match &mut self.walk {
            Walk::Pages(walk) => walk.next(quota, write)?,
            Walk::Extents(walk) => walk.next(quota, write)?,
        };
        Some(Request {
            at_ns: self.clock.tick(),
            sector,
            sectors,
            stream: 0,
            hint: 0,
            op: if write { HostOp::Write } else { HostOp::Read },
        })
    }
}

/// How often a place that would be sequential by chance is drawn again.
const REDRAWS: usize = 8;

/// Sequential requests that are to come.
#[derive(Clone, Debug)]
pub(super) struct Sequential {
    share: f64,
    /// Those due, less those made.
    due: f64,
    random: Random,
}

impl Sequential {
    /// Of so many of the requests.
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self { share, due: 0.0, random: Random::new(seed, 0, "run") }
    }

    /// Whether the next request is to be one, if it can.
    pub(super) fn is_due(&mut self) -> bool {
        self.due += self.share;
        self.due > 0.0 && self.random.unit() < self.due
    }

    /// Notes one that was made; what comes out sequential by chance counts as well.
    pub(super) fn made(&mut self) {
        self.due -= 1.0;
    }
}

/// A place that is not one to avoid, if it can be helped.
pub(super) fn elsewhere<T>(mut draw: impl FnMut() -> T, avoid: impl Fn(&T) -> bool) -> T {
    let mut place = draw();
    for _ in 0..REDRAWS {
        if !avoid(&place) {
            break;
        }
        place = draw();
    }
    place
}
