//! Making a twin's requests.

use super::clock::TwinClock;
use super::op_order::OpOrder;
use super::page_walk::PageWalk;
use super::plan::{SizeClass, TwinPlan};
use super::quota::Quota;
use slcache_core::device::request::{HostOp, Request};

/// Makes the requests of a twin; constant memory.
#[derive(Clone, Debug)]
pub(in crate::workload) struct TwinGenerator {
    reads: Quota<SizeClass>,
    writes: Quota<SizeClass>,
    walk: PageWalk,
    clock: TwinClock,
    ops: OpOrder,
}

impl TwinGenerator {
    /// The twin of `plan` with `seed`.
    pub(in crate::workload) fn new(plan: &TwinPlan, seed: u64) -> Self {
        Self {
            reads: Quota::new(plan.reads.clone()),
            writes: Quota::new(plan.writes.clone()),
            walk: PageWalk::new(plan, seed),
            clock: TwinClock::new(&plan.gaps, &plan.bursts, plan.pause_runs, seed),
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
        let (sector, sectors) = self.walk.next(quota, write)?;
        Some(Request {
            at_ns: self.clock.tick(),
            sector,
            sectors,
            stream: 0,
            op: if write { HostOp::Write } else { HostOp::Read },
        })
    }
}
