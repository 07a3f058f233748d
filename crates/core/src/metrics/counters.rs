//! Flash operations counted by pool, kind, cell mode and cause.

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

/// Kinds, modes and causes of the table; the words themselves belong to the hardware.
const KINDS: usize = 4;
const MODES: usize = 4;
const CAUSES: usize = 7;

/// A table of counters.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OpCounters {
    table: Vec<OpCount>,
}

impl OpCounters {
    /// Zero counters for `pools` pools.
    pub fn new(pools: usize) -> Self {
        Self { table: vec![OpCount::default(); pools * KINDS * MODES * CAUSES] }
    }

    /// The counter of one combination, each given by its number.
    #[inline(always)]
    pub fn at(&mut self, pool: usize, kind: usize, mode: usize, cause: usize) -> &mut OpCount {
        &mut self.table[((pool * KINDS + kind) * MODES + mode) * CAUSES + cause]
    }

    /// Every combination that occurred: (pool, kind, mode, cause, totals).
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, usize, usize, &OpCount)> {
        self.table.iter().enumerate().filter(|(_, c)| **c != OpCount::default()).map(|(i, c)| {
            (i / (KINDS * MODES * CAUSES), i / (MODES * CAUSES) % KINDS, i / CAUSES % MODES, i % CAUSES, c)
        })
    }
}
