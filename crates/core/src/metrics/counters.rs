//! Flash operations counted by pool, kind, cell mode and cause.

use crate::base::op::{CAUSES, KINDS};
use crate::base::{Cause, CellMode, OpKind};
use serde::{Deserialize, Serialize};

/// Totals of one (pool, kind, mode, cause).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpCount {
    /// Operations.
    pub count: u64,
    /// Pages read or programmed (0 for erases).
    pub pages: u64,
    /// Bytes: of the pages programmed, or of what was read of them.
    pub bytes: u64,
    /// Service time (array and channel, no waiting), ns.
    pub time_ns: u64,
    /// Live mapping units in the pages programmed.
    pub slots: u64,
}

/// The totals of one combination that occurred.
#[derive(Clone, Copy, Debug)]
pub struct OpTotals<'a> {
    pub pool: usize,
    pub kind: OpKind,
    pub mode: CellMode,
    pub cause: Cause,
    /// How often, and what it came to.
    pub totals: &'a OpCount,
}

type PoolTable = [[[OpCount; CAUSES]; CellMode::COUNT]; KINDS];

/// A table of counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpCounters {
    pools: Vec<PoolTable>,
}

impl OpCounters {
    /// Zero counters for `pools` pools.
    pub fn new(pools: usize) -> Self {
        Self { pools: vec![PoolTable::default(); pools] }
    }

    /// The counter of one combination.
    #[inline(always)]
    pub fn at(&mut self, pool: usize, kind: OpKind, mode: CellMode, cause: Cause) -> &mut OpCount {
        &mut self.pools[pool][kind as usize][mode as usize][cause as usize]
    }

    #[inline]
    pub fn get(&self, pool: usize, kind: OpKind, mode: CellMode, cause: Cause) -> &OpCount {
        &self.pools[pool][kind as usize][mode as usize][cause as usize]
    }

    /// What was counted since `earlier`, a state of the same counters.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        difference.join(earlier, |now, then| OpCount {
            count: now.count - then.count,
            pages: now.pages - then.pages,
            bytes: now.bytes - then.bytes,
            time_ns: now.time_ns - then.time_ns,
            slots: now.slots - then.slots,
        });
        difference
    }

    /// Adds the counts of `other`, of the same pools.
    pub fn add(&mut self, other: &Self) {
        self.join(other, |a, b| OpCount {
            count: a.count + b.count,
            pages: a.pages + b.pages,
            bytes: a.bytes + b.bytes,
            time_ns: a.time_ns + b.time_ns,
            slots: a.slots + b.slots,
        });
    }

    /// Whether both count operations of as many pools.
    pub fn is_like(&self, other: &Self) -> bool {
        self.pools.len() == other.pools.len()
    }

    fn join(&mut self, other: &Self, joined: impl Fn(&OpCount, &OpCount) -> OpCount) {
        let own = self.pools.iter_mut().flatten().flatten().flatten();
        let others = other.pools.iter().flatten().flatten().flatten();
        own.zip(others).for_each(|(own, other)| *own = joined(own, other));
    }

    pub fn iter(&self) -> impl Iterator<Item = OpTotals<'_>> {
        self.pools.iter().enumerate().flat_map(|(pool, kinds)| {
            OpKind::ALL.into_iter().zip(kinds).flat_map(move |(kind, modes)| {
                CellMode::ALL.into_iter().zip(modes).flat_map(move |(mode, causes)| {
                    let counts = Cause::ALL.into_iter().zip(causes);
                    let occurred = counts.filter(|(_, count)| **count != OpCount::default());
                    occurred.map(move |(cause, totals)| OpTotals { pool, kind, mode, cause, totals })
                })
            })
        })
    }
}
