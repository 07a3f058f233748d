//! How large requests are.

use rustc_hash::FxHashMap;
use serde::Serialize;
use slcache_core::device::request::SECTOR_BYTES;

/// Requests of one range of sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SizeBucket {
    /// Smallest size in the range, in bytes.
    pub from_bytes: u64,
    /// Largest size in the range, in bytes: the next power of two from it.
    pub to_bytes: u64,
    /// Reads of such a size.
    pub reads: u64,
    /// Writes of such a size.
    pub writes: u64,
}

/// Sizes of one kind of request, by exact length.
#[derive(Default)]
pub(super) struct Sizes {
    counts: FxHashMap<u32, u64>,
}

impl Sizes {
    /// Counts a request of so many sectors.
    pub(super) fn add(&mut self, sectors: u32) {
        *self.counts.entry(sectors).or_insert(0) += 1;
    }

    fn sorted(&self) -> Vec<(u32, u64)> {
        let mut sorted: Vec<(u32, u64)> = self.counts.iter().map(|(&size, &count)| (size, count)).collect();
        sorted.sort_unstable();
        sorted
    }

    /// The size that half of the requests do not exceed, in bytes, and the largest.
    pub(super) fn median_and_max_bytes(&self) -> (u64, u64) {
        let sorted = self.sorted();
        let half = sorted.iter().map(|(_, count)| count).sum::<u64>().div_ceil(2);
        let mut seen = 0;
        let median = sorted.iter().find(|(_, count)| {
            seen += count;
            seen >= half
        });
        let bytes =
            |entry: Option<&(u32, u64)>| entry.map_or(0, |(sectors, _)| u64::from(*sectors) * SECTOR_BYTES);
        (bytes(median), bytes(sorted.last()))
    }

    /// Both kinds together.
    pub(super) fn merged(&self, other: &Self) -> Self {
        let mut counts = self.counts.clone();
        for (&size, &count) in &other.counts {
            *counts.entry(size).or_insert(0) += count;
        }
        Self { counts }
    }
}

/// Sizes by powers of two, empty ranges left out.
pub(super) fn histogram(reads: &Sizes, writes: &Sizes) -> Vec<SizeBucket> {
    let mut buckets: Vec<SizeBucket> = (0..=32u32)
        .map(|power| SizeBucket {
            from_bytes: if power == 0 { SECTOR_BYTES } else { (SECTOR_BYTES << (power - 1)) + SECTOR_BYTES },
            to_bytes: SECTOR_BYTES << power,
            reads: 0,
            writes: 0,
        })
        .collect();
    let place = |sectors: u32| u64::from(sectors).next_power_of_two().trailing_zeros() as usize;
    for (sectors, count) in reads.sorted() {
        buckets[place(sectors)].reads += count;
    }
    for (sectors, count) in writes.sorted() {
        buckets[place(sectors)].writes += count;
    }
    buckets.retain(|bucket| bucket.reads + bucket.writes > 0);
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ranges() {
        let (mut reads, mut writes) = (Sizes::default(), Sizes::default());
        [8, 8, 16, 9].into_iter().for_each(|sectors| reads.add(sectors));
        [1, u32::MAX].into_iter().for_each(|sectors| writes.add(sectors));
        assert_eq!(reads.median_and_max_bytes(), (4096, 8192));
        assert_eq!(Sizes::default().median_and_max_bytes(), (0, 0));
        assert_eq!(reads.merged(&writes).median_and_max_bytes().0, 4096);
        let buckets = histogram(&reads, &writes);
        let shape: Vec<_> = buckets.iter().map(|b| (b.from_bytes, b.to_bytes, b.reads, b.writes)).collect();
        assert_eq!(shape[0], (512, 512, 0, 1));
        assert_eq!(shape[1], (2560, 4096, 2, 0));
        assert_eq!(shape[2], (4608, 8192, 2, 0));
        assert_eq!(shape[3].3, 1);
    }
}
