//! Making a twin's requests.

use super::clock::TwinClock;
use super::extent_walk::ExtentWalk;
use super::op_order::OpOrder;
use super::page_walk::PageWalk;
use super::plan::TwinPlan;
use super::quota::Quota;
use super::sizes::SizeClass;
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
