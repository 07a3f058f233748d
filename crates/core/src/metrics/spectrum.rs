//! The latencies of one window by bucket, for its percentiles: within 1 %, in as little room as the
//! latencies that occurred need.

use super::latency::{bucket_of, least_in, HIGHEST_NS};
use std::cmp::Ordering;

/// Bits of a latency that its bucket tells: percentiles are within 1 %.
const PRECISION_BITS: u32 = 8;

/// How many latencies fell into each bucket, by rising latency; only of buckets that any fell into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spectrum {
    buckets: Vec<(u16, u32)>,
}

impl Spectrum {
    /// Adds the latencies of another window.
    pub fn absorb(&mut self, other: &Spectrum) {
        if self.buckets.is_empty() {
            self.buckets.clone_from(&other.buckets);
        } else if !other.buckets.is_empty() {
            self.buckets = merged(&self.buckets, &other.buckets);
        }
    }

    /// The latency that so many of ten thousand do not exceed, by nearest rank: the upper end of its
    /// bucket, never above `max_ns`, the longest. None without latencies.
    pub fn percentile_ns(&self, per_myriad: u64, max_ns: u64) -> Option<u64> {
        let total: u64 = self.buckets.iter().map(|&(_, count)| u64::from(count)).sum();
        let rank = (u128::from(total) * u128::from(per_myriad)).div_ceil(10_000).max(1) as u64;
        let mut at_or_below = 0;
        let reached = self.buckets.iter().find(|&&(_, count)| {
            at_or_below += u64::from(count);
            at_or_below >= rank
        });
        reached.map(|&(bucket, _)| (least_in::<PRECISION_BITS>(usize::from(bucket) + 1) - 1).min(max_ns))
    }
}

/// Two lists by rising bucket as one.
fn merged(a: &[(u16, u32)], b: &[(u16, u32)]) -> Vec<(u16, u32)> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        match x.0.cmp(&y.0) {
            Ordering::Less => all.push(x),
            Ordering::Greater => all.push(y),
            Ordering::Equal => all.push((x.0, x.1.saturating_add(y.1))),
        }
        i += usize::from(x.0 <= y.0);
        j += usize::from(y.0 <= x.0);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all.shrink_to_fit();
    all
}

/// The latencies of a window that is not over.
#[derive(Clone, Debug)]
pub struct OpenSpectrum {
    /// How many there were, by bucket.
    counts: Box<[u32]>,
    /// The buckets with any, in no order.
    touched: Vec<u16>,
}

impl Default for OpenSpectrum {
    fn default() -> Self {
        let counts = bytemuck::zeroed_slice_box(bucket_of::<PRECISION_BITS>(HIGHEST_NS) + 1);
        Self { counts, touched: Vec::new() }
    }
}

impl OpenSpectrum {
    /// Records one latency.
    #[inline(always)]
    pub fn record(&mut self, ns: u64) {
        let bucket = bucket_of::<PRECISION_BITS>(ns.min(HIGHEST_NS));
        let count = &mut self.counts[bucket];
        if *count == 0 {
            self.touched.push(bucket as u16);
        }
        *count = count.saturating_add(1);
    }

    /// Moves what was recorded to `spectrum`.
    pub fn close_into(&mut self, spectrum: &mut Spectrum) {
        if self.touched.is_empty() {
            return;
        }
        self.touched.sort_unstable();
        let counts = &mut self.counts;
        let take = |bucket| (bucket, std::mem::take(&mut counts[usize::from(bucket)]));
        spectrum.absorb(&Spectrum { buckets: self.touched.drain(..).map(take).collect() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latencies: &[u64]) -> Spectrum {
        let (mut open, mut spectrum) = (OpenSpectrum::default(), Spectrum::default());
        latencies.iter().for_each(|&ns| open.record(ns));
        open.close_into(&mut spectrum);
        assert!(open.counts.iter().all(|&count| count == 0));
        spectrum
    }

    #[test]
    fn percentiles_are_within_a_hundredth_over_the_whole_range() {
        for bits in 0..=62 {
            let mut latencies: Vec<u64> =
                (0..3000).map(|i| ((1_u64 << bits) / 3000 * i + i % 7).min(HIGHEST_NS)).collect();
            let spectrum = of(&latencies);
            latencies.sort_unstable();
            let max_ns = latencies[latencies.len() - 1];
            for per_myriad in [5_000, 9_900, 9_990, 10_000] {
                let rank = (latencies.len() as u64 * per_myriad).div_ceil(10_000);
                let want = latencies[rank as usize - 1];
                let got = spectrum.percentile_ns(per_myriad, max_ns).unwrap();
                assert!(got >= want && got - want <= want / 100, "2^{bits}, {per_myriad}: {got}, not {want}");
            }
        }
    }

    #[test]
    fn windows_that_merge_are_one_window() {
        let (a, b) = ([7, 7, 90_000, 12_345_678], [1, 7, 90_001, u64::MAX]);
        let mut merged = of(&a);
        merged.absorb(&of(&b));
        assert_eq!(merged, of(&[a, b].concat()));
        merged.absorb(&Spectrum::default());
        assert_eq!(merged, of(&[a, b].concat()));
    }

    #[test]
    fn without_latencies_there_is_no_percentile() {
        assert_eq!(Spectrum::default().percentile_ns(5_000, 0), None);
        assert_eq!(of(&[0]).percentile_ns(9_990, 0), Some(0));
    }
}
