//! The hit histograms: how deep in the recency stack reads and writes find their units.

use serde::{Deserialize, Serialize};

/// Segments of the fast tier, 1 % of it each.
const SEGMENTS: usize = 100;

/// Accesses of one kind by the segment that holds their unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Accesses {
    /// The segments from the most recently written; behind them the misses.
    counts: Vec<f64>,
}

impl Accesses {
    fn none() -> Self {
        Self { counts: vec![0.0; SEGMENTS + 1] }
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn hits(&self, u: f64) -> f64 {
        let total = self.total();
        if total == 0.0 {
            return 0.0;
        }
        let segments = (u * SEGMENTS as f64).clamp(0.0, SEGMENTS as f64);
        // On the grid of whole segments, however the utilisation was reckoned, none is divided.
        let nearest = libm::round(segments);
        let segments = if (segments - nearest).abs() < 1e-9 { nearest } else { segments };
        let whole = segments as usize;
        let part = (segments - whole as f64) * self.counts[whole.min(SEGMENTS - 1)];
        (self.counts[..whole].iter().sum::<f64>() + part) / total
    }
}

/// Reads and writes by the segment that holds their unit.
///
/// The counts are floating-point numbers because they are halved; that is exact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Units that the fast tier holds.
    capacity: u32,
    writes: Accesses,
    reads: Accesses,
}

impl Histogram {
    /// Nothing counted, of a fast tier of `capacity` units.
    pub fn new(capacity: u32) -> Self {
        Self { capacity, writes: Accesses::none(), reads: Accesses::none() }
    }

    /// Counts a write of the unit at `position` of the stack, if it is there.
    #[inline]
    pub fn write(&mut self, position: Option<u32>) {
        let segment = self.segment(position);
        self.writes.counts[segment] += 1.0;
    }

    /// Counts a read of the unit at `position` of the stack, if it is there.
    #[inline]
    pub fn read(&mut self, position: Option<u32>) {
        let segment = self.segment(position);
        self.reads.counts[segment] += 1.0;
    }

    #[inline]
    fn segment(&self, position: Option<u32>) -> usize {
        match position {
            Some(position) if position < self.capacity => {
                (u64::from(position) * SEGMENTS as u64 / u64::from(self.capacity)) as usize
            }
            _ => SEGMENTS,
        }
    }

    /// The share of the writes whose unit is in a fast tier filled to `u` with what was written last
    /// (`H_w`). Within a segment the hits are taken to lie evenly.
    pub fn write_hits(&self, u: f64) -> f64 {
        self.writes.hits(u)
    }

    /// The share of the reads whose unit is in a fast tier so filled (`H_r`).
    pub fn read_hits(&self, u: f64) -> f64 {
        self.reads.hits(u)
    }

    /// Writes counted, older periods by what remains of them.
    pub fn writes(&self) -> f64 {
        self.writes.total()
    }

    /// The share of writes among the accesses counted; 0 where there are none.
    pub fn write_share(&self) -> f64 {
        let (writes, reads) = (self.writes.total(), self.reads.total());
        if writes == 0.0 {
            0.0
        } else {
            writes / (writes + reads)
        }
    }

    /// Lets everything counted so far weigh half.
    pub fn halve(&mut self) {
        for accesses in [&mut self.writes, &mut self.reads] {
            accesses.counts.iter_mut().for_each(|count| *count /= 2.0);
        }
    }

    pub fn reset(&mut self) {
        self.writes = Accesses::none();
        self.reads = Accesses::none();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::RngStream;

    /// Positions of accesses, some of them misses.
    fn positions(seed: u64, capacity: u32) -> Vec<Option<u32>> {
        let mut stream = RngStream::new(seed, "positions");
        (0..500).map(|_| (stream.below(8) != 0).then(|| stream.below(capacity * 5 / 4 + 1))).collect()
    }

    #[test]
    fn hits_are_those_above_the_utilisation() {
        for capacity in [1, 7, 50, 100, 1000, 262_144, u32::MAX / 8] {
            let (writes, reads) = (positions(1, capacity), positions(2, capacity));
            let mut histogram = Histogram::new(capacity);
            writes.iter().for_each(|&position| histogram.write(position));
            reads.iter().for_each(|&position| histogram.read(position));
            assert_eq!((histogram.writes(), histogram.write_share()), (500.0, 0.5));
            for percent in 0..=100_u64 {
                let share = |positions: &[Option<u32>]| {
                    let above = |position: &u32| u64::from(*position) * 100 < percent * u64::from(capacity);
                    positions.iter().flatten().filter(|position| above(position)).count() as f64 / 500.0
                };
                // As the percents are reckoned elsewhere, not always the nearest number.
                for u in [percent as f64 / 100.0, percent as f64 * 0.01] {
                    assert_eq!(histogram.write_hits(u), share(&writes), "{percent} % of {capacity}");
                    assert_eq!(histogram.read_hits(u), share(&reads), "{percent} % of {capacity}");
                }
            }
        }
    }

    #[test]
    fn hits_rise_with_the_utilisation_and_never_above_all() {
        let mut histogram = Histogram::new(300);
        positions(3, 300).into_iter().for_each(|position| histogram.write(position));
        positions(4, 300).into_iter().for_each(|position| histogram.read(position));
        for hits in [Histogram::write_hits, Histogram::read_hits] {
            let curve: Vec<f64> = (0..=400).map(|step| hits(&histogram, f64::from(step) / 400.0)).collect();
            assert!(curve.is_sorted() && curve[0] == 0.0 && curve[400] <= 1.0);
            assert_eq!([hits(&histogram, -1.0), hits(&histogram, 2.0)], [0.0, curve[400]]);
            assert!((hits(&histogram, 0.505) - (curve[200] + curve[204]) / 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn an_older_period_weighs_half_or_nothing() {
        let mut histogram = Histogram::new(100);
        (0..10).for_each(|_| histogram.write(Some(0)));
        histogram.halve();
        (0..5).for_each(|_| histogram.write(None));
        assert_eq!((histogram.writes(), histogram.write_hits(0.01)), (10.0, 0.5));
        histogram.reset();
        assert_eq!(histogram, Histogram::new(100));
        assert_eq!(
            (histogram.write_hits(1.0), histogram.read_hits(1.0), histogram.write_share()),
            (0.0, 0.0, 0.0)
        );
    }
}
