//! The data classifier: how recently units were written, and how often what is asked for was.

use super::histogram::Histogram;
use super::recency::Recency;
use serde::{Deserialize, Serialize};

/// Accesses of units, and those whose unit is among the ones the fast tier is to hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hits {
    accesses: u64,
    hits: u64,
}

impl Hits {
    fn count(&mut self, is_hit: bool) {
        self.accesses += 1;
        self.hits += u64::from(is_hit);
    }

    /// The share of hits, if there was an access.
    pub fn rate(&self) -> Option<f64> {
        (self.accesses > 0).then(|| self.hits as f64 / self.accesses as f64)
    }
}

/// Recency of all units, and the histograms of reads and writes.
#[derive(Clone, Serialize, Deserialize)]
pub struct Classifier {
    /// Units by their last write.
    pub recency: Recency,
    /// Accesses by recency.
    pub histogram: Histogram,
    /// Accesses of units in the window under way.
    accesses: u64,
    /// Since time 0.
    #[serde(skip)]
    pub writes: Hits,
    /// Since time 0.
    #[serde(skip)]
    pub reads: Hits,
}

impl Classifier {
    /// Nothing was written yet, of `units` units of which the fast tier could hold `capacity`.
    pub fn new(units: u32, capacity: u32) -> Self {
        Self {
            recency: Recency::new(units),
            histogram: Histogram::new(capacity),
            accesses: 0,
            writes: Hits::default(),
            reads: Hits::default(),
        }
    }

    /// Counts a write of `unit` by the host, where the fast tier is to hold `target` units.
    #[inline]
    pub fn write(&mut self, unit: u32, target: u32) {
        let position = self.recency.position(unit);
        self.histogram.write(position);
        self.writes.count(position.is_some_and(|position| position < target));
        self.accesses += 1;
    }

    /// Counts a read of `unit` by the host: it does not move in the stack.
    #[inline]
    pub fn read(&mut self, unit: u32, target: u32) {
        let position = self.recency.position(unit);
        self.histogram.read(position);
        self.reads.count(position.is_some_and(|position| position < target));
        self.accesses += 1;
    }

    /// Accesses of the window under way; the next one begins.
    pub fn end_window(&mut self) -> u64 {
        std::mem::take(&mut self.accesses)
    }
}
