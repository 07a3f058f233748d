//! Sizes by their logarithm: sixteen classes for each doubling.

use slcache_base::latency::{bucket_of, least_in};
use slcache_base::rank::{place_of, rank};

/// Bits of a number that its class tells.
const BITS: u32 = 5;
const CLASSES: usize = bucket_of::<BITS>(u64::MAX) + 1;

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
        self.weights[bucket_of::<BITS>(value)] += weight;
        self.all += weight;
    }

    /// The number that so many in ten thousand of the weight do not exceed, at most 1/16 too large; 0 of nothing.
    pub(super) fn quantile(&self, per_myriad: u64) -> u64 {
        let found = place_of(rank(self.all, per_myriad), self.weights.iter().copied());
        // Behind the last class numbers begin at 0 again.
        found.map_or(0, |class| least_in::<BITS>(class + 1).wrapping_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_ends_the_last_class() {
        let mut buckets = LogBuckets::default();
        buckets.add(u64::MAX, 1);
        assert_eq!(buckets.quantile(5_000), u64::MAX);
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
