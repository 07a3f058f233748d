//! How large requests are, and sizes by their logarithm.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::latency::{bucket_of, least_in, place_of, rank};
use slcache_base::request::SECTOR_BYTES;

/// Sizes below this many sectors (1 MiB) are counted in an array.
const COMMON_SECTORS: usize = 2048;

/// Requests of one range of sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SizeBucket {
    /// Smallest size in the range, in bytes.
    pub from_bytes: u64,
    /// Largest size in the range, in bytes: the next power of two from it.
    pub to_bytes: u64,
    /// Reads of such a size.
    pub reads: u64,
    /// Writes of such a size.
    pub writes: u64,
    /// Those of the writes that update: that cover, at least in part, a 4 KiB
    /// page written earlier in the trace.
    pub update_writes: u64,
}

/// Sizes of one kind of request, by exact length.
#[derive(Clone)]
pub(super) struct Sizes {
    common: Vec<u64>,
    rare: FxHashMap<u32, u64>,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { common: vec![0; COMMON_SECTORS], rare: FxHashMap::default() }
    }
}

impl Sizes {
    #[inline]
    pub(super) fn add(&mut self, sectors: u32) {
        self.add_many(sectors, 1);
    }

    #[inline]
    fn add_many(&mut self, sectors: u32, count: u64) {
        match self.common.get_mut(sectors as usize) {
            Some(counter) => *counter += count,
            None => *self.rare.entry(sectors).or_insert(0) += count,
        }
    }

    /// Sizes that occur, in sectors, and how often, the smallest first.
    fn sorted(&self) -> Vec<(u32, u64)> {
        let common = self.common.iter().enumerate().map(|(size, &count)| (size as u32, count));
        let mut rare: Vec<(u32, u64)> = self.rare.iter().map(|(&size, &count)| (size, count)).collect();
        rare.sort_unstable();
        common.filter(|&(_, count)| count > 0).chain(rare).collect()
    }

    pub(super) fn count(&self) -> u64 {
        self.sorted().iter().map(|(_, count)| count).sum()
    }

    /// How many are of at most so many sectors.
    pub(super) fn count_up_to(&self, sectors: u32) -> u64 {
        self.sorted().iter().filter(|&&(size, _)| size <= sectors).map(|(_, count)| count).sum()
    }

    /// The sizes in bytes that 50, 99 and 100 in a hundred requests do not exceed.
    pub(super) fn percentiles_bytes(&self) -> [u64; 3] {
        let sorted = self.sorted();
        [5_000, 9_900, 10_000].map(|per_myriad| {
            let counts = sorted.iter().map(|&(_, count)| count);
            let found = place_of(rank(counts.clone().sum(), per_myriad), counts);
            found.map_or(0, |place| u64::from(sorted[place].0) * SECTOR_BYTES)
        })
    }

    /// Both kinds together.
    pub(super) fn merged(&self, other: &Self) -> Self {
        let mut merged = self.clone();
        for (size, count) in other.sorted() {
            merged.add_many(size, count);
        }
        merged
    }
}

/// A column of the histogram.
type HistogramColumn = fn(&mut SizeBucket) -> &mut u64;

/// Sizes by powers of two, empty ranges left out.
pub(super) fn histogram(reads: &Sizes, writes: &Sizes, updates: &Sizes) -> Vec<SizeBucket> {
    let mut buckets: Vec<SizeBucket> = (0..=32u32)
        .map(|power| SizeBucket {
            from_bytes: if power == 0 { SECTOR_BYTES } else { (SECTOR_BYTES << (power - 1)) + SECTOR_BYTES },
            to_bytes: SECTOR_BYTES << power,
            reads: 0,
            writes: 0,
            update_writes: 0,
        })
        .collect();
    let columns: [(&Sizes, HistogramColumn); 3] = [
        (reads, |bucket| &mut bucket.reads),
        (writes, |bucket| &mut bucket.writes),
        (updates, |bucket| &mut bucket.update_writes),
    ];
    for (sizes, column) in columns {
        for (sectors, count) in sizes.sorted() {
            let power = u64::from(sectors).next_power_of_two().trailing_zeros();
            *column(&mut buckets[power as usize]) += count;
        }
    }
    buckets.retain(|bucket| bucket.reads + bucket.writes > 0);
    buckets
}

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

    fn sizes(sectors: impl IntoIterator<Item = u32>) -> Sizes {
        let mut sizes = Sizes::default();
        sectors.into_iter().for_each(|sectors| sizes.add(sectors));
        sizes
    }

    #[test]
    fn percentiles_are_sizes_that_occur() {
        assert_eq!(Sizes::default().percentiles_bytes(), [0; 3]);
        assert_eq!(sizes([8, 8, 16, 9]).percentiles_bytes(), [4096, 8192, 8192]);
        let hundred = sizes((1..=100).map(|i| i * 1000));
        assert_eq!(hundred.percentiles_bytes(), [50_000, 99_000, 100_000].map(|s| s * SECTOR_BYTES));
        assert_eq!(sizes([8, 8]).merged(&sizes([1, 5000, 5000])).percentiles_bytes()[0], 4096);
        assert_eq!((hundred.count(), hundred.count_up_to(8000)), (100, 8));
    }

    #[test]
    fn ranges_end_with_powers_of_two() {
        let buckets = histogram(&sizes([8, 8, 16, 9]), &sizes([1, 1, u32::MAX]), &sizes([1]));
        let shape: Vec<_> =
            buckets.iter().map(|b| (b.from_bytes, b.to_bytes, b.reads, b.writes, b.update_writes)).collect();
        assert_eq!(shape[0], (512, 512, 0, 2, 1));
        assert_eq!(shape[1], (2560, 4096, 2, 0, 0));
        assert_eq!(shape[2], (4608, 8192, 2, 0, 0));
        assert_eq!((shape[3].3, shape.len()), (1, 4));
    }

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
