//! Flash operations counted by pool, kind, cell mode and cause.

use crate::base::op::{CAUSES, KINDS};
use crate::base::{Cause, CellMode, OpKind};

/// Totals of one (pool, kind, mode, cause).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

/// The counters of one pool.
type PoolTable = [[[OpCount; CAUSES]; CellMode::COUNT]; KINDS];

/// A table of counters.
#[derive(Clone, Debug, PartialEq)]
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

    /// Every combination that occurred: (pool, kind, mode, cause, totals).
    pub fn iter(&self) -> impl Iterator<Item = (usize, OpKind, CellMode, Cause, &OpCount)> {
        self.pools.iter().enumerate().flat_map(|(pool, kinds)| {
            OpKind::ALL.into_iter().zip(kinds).flat_map(move |(kind, modes)| {
                CellMode::ALL.into_iter().zip(modes).flat_map(move |(mode, causes)| {
                    let counts = Cause::ALL.into_iter().zip(causes);
                    let occurred = counts.filter(|(_, count)| **count != OpCount::default());
                    occurred.map(move |(cause, count)| (pool, kind, mode, cause, count))
                })
            })
        })
    }
}
