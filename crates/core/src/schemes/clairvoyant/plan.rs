//! Which versions of data the cache keeps from birth to death: the most of which no more live at once than
//! it has room for.

use crate::base::bit_table::BitTable;
use crate::ftl::oracle::{Oracle, NEVER};
use serde::{Deserialize, Serialize};
use std::collections::BinaryHeap;

/// The versions to keep, by the step that writes them.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Plan {
    /// A bit for each step of a trace.
    keep: BitTable,
    kept: u64,
}

impl Plan {
    /// The best one for so many pages: where more versions live, what dies last is left out.
    pub fn new(oracle: &Oracle, pages: u64) -> Self {
        let steps = oracle.steps();
        let [mut keep, mut ends, mut trims] = [(); 3].map(|()| BitTable::new((steps as usize / 64 + 1) * 64));
        let (mut alive, mut live, mut kept) = (BinaryHeap::new(), 0, 0);
        let limit = 2 * pages as usize + 1024;
        for step in 1..=steps {
            live -= u64::from(ends.get(step as usize));
            let (death, by_trim) = oracle.step_after(step);
            if death != NEVER {
                trims.set(death as usize, by_trim);
            }
            if trims.get(step as usize) {
                continue;
            }
            let mut choose = |(death, step), chosen| {
                keep.set(step as usize, chosen);
                if death != NEVER {
                    ends.set(death as usize, chosen);
                }
            };
            choose((death, step), true);
            alive.push((death, step));
            (live, kept) = (live + 1, kept + 1);
            if live > pages {
                choose(alive.pop().expect("Invariant: what was just written is alive"), false);
                (live, kept) = (live - 1, kept - 1);
            }
            if alive.len() > limit {
                alive.retain(|&(death, _)| death > step);
            }
        }
        Self { keep, kept }
    }

    /// Whether it keeps what `step` writes.
    #[inline]
    pub fn keeps(&self, step: u32) -> bool {
        self.keep.get(step as usize)
    }

    /// Versions that it keeps.
    pub fn kept_versions(&self) -> u64 {
        self.kept
    }

    pub fn bytes(&self) -> u64 {
        self.keep.bytes() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::request::{HostOp, Request};
    use crate::base::rng::RngStream;
    use crate::ftl::oracle::Foresight;
    use slcache_base::bound::Meters;

    /// Requests of one page each, so that each is a step of its own.
    fn requests(rng: &mut RngStream, count: u32, pages: u32) -> Vec<Request> {
        let request = |_| Request {
            at_ns: 0,
            sector: u64::from(rng.below(pages)) * 8,
            sectors: 8,
            stream: 0,
            hint: 0,
            op: if rng.below(6) == 0 { HostOp::Trim } else { HostOp::Write },
        };
        (0..count).map(request).collect()
    }

    #[test]
    fn a_plan_keeps_as_many_as_the_bound_and_never_more_than_fit() {
        for seed in 0..600 {
            let mut rng = RngStream::new(seed, "plan");
            let (pages, long) = (2 + rng.below(30), seed % 20 == 0);
            let count = if long { 3_000 } else { 1 + rng.below(80) };
            let requests = requests(&mut rng, count, pages);
            let slots = rng.below(pages + 2);
            let (mut foresight, mut meters) = (Foresight::new(pages, 4096), Meters::new(&[slots]));
            for request in &requests {
                foresight.add(request);
                meters.request(std::iter::once((request.sector / 8) as u32), request.op == HostOp::Write);
            }
            let mut oracle = foresight.finish();
            let plan = Plan::new(&oracle, u64::from(slots));
            assert_eq!(plan.kept_versions(), meters.finish()[0].all, "seed {seed}");
            // Replayed, the versions it keeps are never more than there is room for.
            let (mut alive, mut kept) = (vec![false; pages as usize], 0);
            for request in &requests {
                let page = (request.sector / 8) as u32;
                alive[page as usize] = request.op == HostOp::Write && {
                    oracle.advance(page);
                    plan.keeps(oracle.written_at(page))
                };
                kept += u64::from(alive[page as usize]);
                assert!(alive.iter().filter(|&&alive| alive).count() <= slots as usize, "seed {seed}");
            }
            assert_eq!(kept, plan.kept_versions());
        }
    }
}
