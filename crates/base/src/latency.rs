//! Latency of one kind of request: exact mean and extremes, percentiles within 0.1 %.
//!
//! Percentiles are by nearest rank, in whole numbers: in floating point 99.9 % of 4,000 is a little above 3,996,
//! which rounded up is the next rank.

use crate::units::TIME_LIMIT_NS;
use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// No latency is longer: simulated time itself ends here.
pub const HIGHEST_NS: u64 = TIME_LIMIT_NS;

/// Bits of a latency that its bucket tells: percentiles are within 0.1 %.
const PRECISION_BITS: u32 = 11;

/// How many buckets there are.
const BUCKETS: usize = bucket_of::<PRECISION_BITS>(HIGHEST_NS) + 1;

/// Where a latency is counted: buckets are 1 ns wide at first, and with every power of two twice as wide.
/// With 11 bits they are those of `Histogram` with three digits, which takes several times as long to
/// find them.
#[inline(always)]
pub const fn bucket_of<const BITS: u32>(ns: u64) -> usize {
    let width_bits = (u64::BITS - BITS) - (ns | ((1 << BITS) - 1)).leading_zeros();
    ((width_bits << (BITS - 1)) + (ns >> width_bits) as u32) as usize
}

/// The shortest latency that is counted in `bucket`.
#[inline]
pub fn least_in<const BITS: u32>(bucket: usize) -> u64 {
    let half = 1 << (BITS - 1);
    let width_bits = (bucket / half).saturating_sub(1);
    ((bucket - width_bits * half) as u64) << width_bits
}

/// The bucket that a latency was counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket(u16);

const _: () = assert!(BUCKETS <= 1 << u16::BITS);

impl Bucket {
    /// The one around it of those that tell `BITS` of a latency. Without branches, so that many are
    /// found at once: with every power of two another line is the lowest.
    #[inline(always)]
    pub fn coarser<const BITS: u32>(self) -> u16 {
        let line = |less: u32| (self.0 >> less) + ((less as u16) << (BITS - 1));
        (1..=PRECISION_BITS - BITS).fold(self.0, |lowest, less| lowest.min(line(less)))
    }
}

/// A latency recorder.
#[derive(Clone)]
pub struct Latency {
    /// How many there were, by `bucket_of`.
    counts: Box<[u64]>,
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

/// Percentiles in microseconds, as reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LatencySummary<T = f64> {
    /// Mean latency, exact.
    pub mean: T,
    /// Shortest latency, exact.
    pub min: T,
    /// Median latency, to 0.1 %.
    pub p50: T,
    /// Latency that 90 % of the requests do not exceed, to 0.1 %.
    pub p90: T,
    /// Latency that 95 % of the requests do not exceed, to 0.1 %.
    pub p95: T,
    /// Latency that 99 % of the requests do not exceed, to 0.1 %.
    pub p99: T,
    /// Latency that 99.9 % of the requests do not exceed, to 0.1 %.
    pub p99_9: T,
    /// Latency that 99.99 % of the requests do not exceed, to 0.1 %.
    pub p99_99: T,
    /// Longest latency, exact.
    pub max: T,
}

impl LatencySummary {
    /// Writes a summary; without one every key is there and null.
    pub fn or_nulls<S: Serializer>(summary: &Option<Self>, serializer: S) -> Result<S::Ok, S::Error> {
        match summary {
            Some(summary) => summary.serialize(serializer),
            None => LatencySummary::<Option<f64>>::default().serialize(serializer),
        }
    }
}

/// How many requests took longer than each percentile, by rank: what the percentile rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestsBeyond {
    /// Beyond the median.
    pub p50: u64,
    /// Beyond the 90th percentile.
    pub p90: u64,
    /// Beyond the 95th percentile.
    pub p95: u64,
    /// Beyond the 99th percentile.
    pub p99: u64,
    /// Beyond the 99.9th percentile.
    pub p99_9: u64,
    /// Beyond the 99.99th percentile.
    pub p99_99: u64,
}

impl RequestsBeyond {
    pub fn of(requests: u64) -> Self {
        let beyond = |per_myriad| requests.saturating_sub(rank(requests, per_myriad));
        Self {
            p50: beyond(5_000),
            p90: beyond(9_000),
            p95: beyond(9_500),
            p99: beyond(9_900),
            p99_9: beyond(9_990),
            p99_99: beyond(9_999),
        }
    }
}

impl Default for Latency {
    fn default() -> Self {
        let counts = bytemuck::zeroed_slice_box(BUCKETS);
        Self { counts, count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Latency {
    /// Records one latency; the bucket that it is counted in.
    #[inline]
    pub fn record(&mut self, ns: u64) -> Bucket {
        let bucket = bucket_of::<PRECISION_BITS>(ns.min(HIGHEST_NS));
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        Bucket(bucket as u16)
    }

    /// The latencies as whoever asks for percentiles wants them.
    fn histogram(&self) -> Histogram<u64> {
        let mut histogram =
            Histogram::new_with_bounds(1, HIGHEST_NS, 3).expect("Invariant: the bounds are valid");
        for (bucket, &count) in self.counts.iter().enumerate().filter(|(_, &count)| count > 0) {
            // Of the longest the histogram wants to know more than the bucket.
            let ns = least_in::<PRECISION_BITS>(bucket).clamp(self.min_ns, self.max_ns);
            let longest = u64::from(bucket == bucket_of::<PRECISION_BITS>(self.max_ns.min(HIGHEST_NS)));
            histogram.saturating_record_n(ns, count - longest);
            histogram.saturating_record_n(self.max_ns, longest);
        }
        histogram
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// A percentile in us: the upper end of its histogram bucket, never above the exact maximum.
    fn percentile_us(&self, histogram: &Histogram<u64>, per_myriad: u64) -> f64 {
        value_at(histogram, per_myriad).clamp(self.min_ns, self.max_ns) as f64 / 1000.0
    }

    /// The summary, if anything was recorded.
    pub fn summary(&self) -> Option<LatencySummary> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let histogram = self.histogram();
        let percentile_us = |per_myriad| self.percentile_us(&histogram, per_myriad);
        Some(LatencySummary {
            mean: self.sum_ns as f64 / count as f64 / 1000.0,
            min: self.min_ns as f64 / 1000.0,
            p50: percentile_us(5_000),
            p90: percentile_us(9_000),
            p95: percentile_us(9_500),
            p99: percentile_us(9_900),
            p99_9: percentile_us(9_990),
            p99_99: percentile_us(9_999),
            max: self.max_ns as f64 / 1000.0,
        })
    }

    /// The cumulative distribution: (latency in us, share of requests at or below it), at most
    /// some hundred points, dense in the tail.
    pub fn cdf(&self) -> Vec<(f64, f64)> {
        let total = self.count();
        let mut points: Vec<(f64, f64)> = Vec::new();
        if total == 0 {
            return points;
        }
        for step in self.histogram().iter_quantiles(20) {
            let us = step.value_iterated_to().clamp(self.min_ns, self.max_ns) as f64 / 1000.0;
            match points.last_mut() {
                Some(last) if last.0 == us => last.1 = step.quantile(),
                _ => points.push((us, step.quantile())),
            }
        }
        points
    }
}

/// The rank, from 1, of the smallest of `count` values that so many in ten thousand do not exceed.
pub fn rank(count: u64, per_myriad: u64) -> u64 {
    ((u128::from(count) * u128::from(per_myriad)).div_ceil(10_000) as u64).max(1)
}

/// The place of the first of some counts that reaches a rank together with those before it.
pub fn place_of(rank: u64, mut counts: impl Iterator<Item = u64>) -> Option<usize> {
    let mut reached = 0;
    counts.position(|count| {
        reached += count;
        reached >= rank
    })
}

/// The value of that rank in a histogram.
pub fn value_at(histogram: &Histogram<u64>, per_myriad: u64) -> u64 {
    // The histogram rounds up what it is asked for.
    let below = rank(histogram.len(), per_myriad) as f64 - 0.5;
    histogram.value_at_quantile(below / histogram.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_thousandth_and_mean_is_exact() {
        let mut latency = Latency::default();
        for i in 1..=100_000_u64 {
            latency.record(i * 1000);
        }
        let s = latency.summary().unwrap();
        assert_eq!(s.mean, 50_000.5);
        assert_eq!((s.min, s.max), (1.0, 100_000.0));
        for (got, want) in [(s.p50, 50_000.0), (s.p99, 99_000.0), (s.p99_9, 99_900.0)] {
            assert!((got - want).abs() / want < 1e-3, "{got} is not {want}");
        }
        let cdf = latency.cdf();
        assert!(cdf.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1));
        assert_eq!(cdf.last().map(|p| p.1), Some(1.0));
    }

    #[test]
    fn a_percentile_rests_on_the_requests_beyond_its_rank() {
        assert_eq!(RequestsBeyond::of(0), RequestsBeyond::default());
        let few = RequestsBeyond::of(450);
        assert_eq!((few.p50, few.p90, few.p95, few.p99, few.p99_9, few.p99_99), (225, 45, 22, 4, 0, 0));
        // No more than 64 bits hold.
        assert_eq!(RequestsBeyond::of(u64::MAX).p50, u64::MAX / 2);
    }

    #[test]
    fn a_latency_that_nobody_had_is_null_under_every_key() {
        let told = |latency: &Latency| {
            let summary = latency.summary();
            LatencySummary::or_nulls(&summary, serde_json::value::Serializer).unwrap()
        };
        let (nothing, mut latency) = (told(&Latency::default()), Latency::default());
        latency.record(0);
        let something = told(&latency);
        let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&nothing), keys(&something));
        assert!(nothing.as_object().unwrap().values().all(serde_json::Value::is_null));
        assert!(something.as_object().unwrap().values().all(|value| *value == 0.0));
    }

    fn nearest_rank(sorted: &[u64], per_myriad: u64) -> f64 {
        sorted[rank(sorted.len() as u64, per_myriad) as usize - 1] as f64 / 1000.0
    }

    #[test]
    fn a_latency_is_counted_where_the_histogram_counts_it() {
        let histogram = Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, 3).unwrap();
        let mut values: Vec<u64> = (0..5000).collect();
        for bits in 11..62 {
            let width = 1_u64 << (bits - 10);
            values.extend([1023, 1024, 1025, 1500, 2047].map(|i| i * width));
            values.extend([1024, 1777, 2047].map(|i| i * width - 1));
        }
        values.push(HIGHEST_NS - 1);
        values.push(HIGHEST_NS);
        for ns in values {
            assert_eq!(
                least_in::<PRECISION_BITS>(bucket_of::<PRECISION_BITS>(ns)),
                histogram.lowest_equivalent(ns),
                "{ns}"
            );
        }
    }

    #[test]
    fn a_bucket_lies_in_the_one_where_less_is_told() {
        for bits in 0..=62 {
            for part in 0..=4100 {
                let ns = ((1_u64 << bits) + ((1_u64 << bits) >> 12) * part).saturating_sub(2).min(HIGHEST_NS);
                let bucket = Latency::default().record(ns);
                assert_eq!(usize::from(bucket.coarser::<8>()), bucket_of::<8>(ns), "{ns}");
            }
        }
    }

    #[test]
    fn the_histogram_is_what_recording_into_it_makes() {
        let mut rng = crate::rng::RngStream::new(7, "latency");
        for shift in [0, 5, 20, 30] {
            let mut latency = Latency::default();
            let mut histogram = Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, 3).unwrap();
            for _ in 0..3000 {
                let ns = u64::from(rng.below(1 << 31)) << shift >> rng.below(31);
                latency.record(ns);
                histogram.saturating_record(ns);
            }
            let told = |h: &Histogram<u64>| -> Vec<_> {
                let counts = h.iter_recorded().map(|s| (s.value_iterated_to(), s.count_at_value() as f64));
                let quantiles = h.iter_quantiles(20).map(|s| (s.value_iterated_to(), s.quantile()));
                counts.chain(quantiles).chain([(h.max(), h.len() as f64)]).collect()
            };
            assert_eq!(told(&latency.histogram()), told(&histogram));
        }
    }

    #[test]
    fn percentiles_keep_their_promise_over_the_whole_range() {
        for bits in 0..=62 {
            // Neighbourhoods of each power of two, and values spread below it.
            let top = 1_u64 << bits;
            let mut values: Vec<u64> = (0..3000).map(|i| (top / 3000) * i + i % 7).collect();
            values.extend([0, top - 1, top, top + top / 1025].map(|ns| ns.min(HIGHEST_NS)));
            values.iter_mut().for_each(|ns| *ns = (*ns).min(HIGHEST_NS));
            values.sort_unstable();
            let mut latency = Latency::default();
            for &ns in &values {
                latency.record(ns);
            }
            let s = latency.summary().unwrap();
            let told = [
                (s.p50, 5000),
                (s.p90, 9000),
                (s.p95, 9500),
                (s.p99, 9900),
                (s.p99_9, 9990),
                (s.p99_99, 9999),
            ];
            for (got, share) in told {
                let want = nearest_rank(&values, share);
                assert!((got - want).abs() <= want * 1e-3, "2^{bits}, {share}: {got} is not {want}");
            }
            let sum: u128 = values.iter().map(|&ns| u128::from(ns)).sum();
            assert_eq!(latency.sum_ns(), sum);
            assert_eq!((s.min, s.max), (values[0] as f64 / 1000.0, values[values.len() - 1] as f64 / 1000.0));
        }
    }

    #[test]
    fn a_rank_is_the_first_that_enough_do_not_exceed() {
        for count in 1..3000 {
            for per_myriad in [0, 1, 5000, 9000, 9500, 9900, 9990, 9999, 10_000] {
                let found = rank(count, per_myriad);
                let enough = |rank: u64| rank * 10_000 >= count * per_myriad;
                assert!((1..=count).contains(&found) && enough(found), "{count}, {per_myriad}");
                assert!(found == 1 || !enough(found - 1), "{count}, {per_myriad}");
            }
        }
        assert_eq!((rank(0, 9_990), rank(u64::MAX, 10_000)), (1, u64::MAX));
        let place = |rank| place_of(rank, [0, 2, 0, 3].into_iter());
        assert_eq!([1, 2, 3, 5, 6].map(place), [Some(1), Some(1), Some(3), Some(3), None]);
    }

    #[test]
    fn a_histogram_gives_the_value_of_the_rank() {
        for count in (1..=40).chain((1000..=20_000).step_by(500)) {
            let mut histogram = Histogram::<u64>::new_with_bounds(1, 1 << 16, 5).unwrap();
            // So far below the histogram's precision that each has a bucket of its own.
            (1..=count).for_each(|value| histogram.record(value).unwrap());
            for per_myriad in [1, 5000, 9000, 9500, 9900, 9990, 9999, 10_000] {
                assert_eq!(
                    value_at(&histogram, per_myriad),
                    rank(count, per_myriad),
                    "{count}, {per_myriad}"
                );
            }
        }
    }
}
