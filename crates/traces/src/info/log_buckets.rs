//! Sizes by their logarithm: sixteen classes for each doubling.

use slcache_base::rank::rank;

/// Classes for each doubling.
const STEPS: u64 = 16;
/// Classes of all 64-bit numbers.
const CLASSES: usize = 61 * STEPS as usize;

/// How much weight numbers of each class have.
#[derive(Clone, Debug)]
pub(super) struct LogBuckets {
    weights: Vec<u64>,
    all: u64,
}

impl Default for LogBuckets {
    fn default() -> Self {
        Self { weights: vec![0; CLASSES], all: 0 }
    }
}

impl LogBuckets {
    #[inline]
    pub(super) fn add(&mut self, value: u64, weight: u64) {
        self.weights[class(value)] += weight;
        self.all += weight;
    }

    /// The number that so many in ten thousand of the weight do not exceed, at most 1/16 too large; 0 of nothing.
    pub(super) fn quantile(&self, per_myriad: u64) -> u64 {
        let wanted = rank(self.all, per_myriad);
        let mut seen = 0;
        let found = self.weights.iter().position(|weight| {
            seen += weight;
            seen >= wanted
        });
        found.map_or(0, highest)
    }
}

/// The class of a number: those below 16 have one each.
fn class(value: u64) -> usize {
    let shift = (59 - (value | (STEPS - 1)).leading_zeros() as i32).max(0) as u64;
    (shift * STEPS + (value >> shift)) as usize
}

/// The largest number of a class.
fn highest(class: usize) -> u64 {
    let class = class as u64;
    if class < 2 * STEPS {
        return class;
    }
    let shift = class / STEPS - 1;
    let end = u128::from(class - shift * STEPS + 1) << shift;
    (end - 1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_ends_where_the_next_begins() {
        for number in 0..CLASSES - 1 {
            assert_eq!(class(highest(number)), number);
            assert_eq!(class(highest(number) + 1), number + 1);
        }
        assert_eq!(highest(class(u64::MAX)), u64::MAX);
    }

    #[test]
    fn quantiles_are_a_sixteenth_too_large_at_most() {
        let mut buckets = LogBuckets::default();
        assert_eq!(buckets.quantile(5_000), 0);
        (1..=10_000).for_each(|value| buckets.add(value, 3));
        for (share, exact) in [(1_000, 1_000.0), (5_000, 5_000.0), (9_000, 9_000.0)] {
            let found = buckets.quantile(share) as f64;
            assert!((exact..=exact * 1.0625).contains(&found), "{share}: {found}");
        }
    }
}
