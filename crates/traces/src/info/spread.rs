//! How times are spread: exact mean and extremes, percentiles within 0.1 %.

use hdrhistogram::Histogram;
use slcache_base::latency::LatencySummary;
use slcache_base::rank::value_at;

/// Percentiles of times in nanoseconds, in bounded memory over all of 64 bits.
pub(super) struct Spread {
    histogram: Histogram<u64>,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Spread {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, u64::MAX, 3).expect("Invariant: the bounds are valid");
        Self { histogram, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Spread {
    /// Records one time.
    #[inline]
    pub(super) fn record(&mut self, ns: u64) {
        // The bounds cover every value from 1 on, so that nothing saturates.
        self.histogram.saturating_record(ns.max(1));
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    pub(super) fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Their sum in nanoseconds.
    pub(super) fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    fn us(&self, ns: u64) -> f64 {
        ns.clamp(self.min_ns, self.max_ns) as f64 / 1000.0
    }

    /// The summary in microseconds; `None` where nothing was recorded.
    pub(super) fn summary(&self) -> Option<LatencySummary> {
        let count = self.count();
        let at = |per_myriad| self.us(value_at(&self.histogram, per_myriad));
        (count > 0).then(|| LatencySummary {
            mean: self.sum_ns as f64 / count as f64 / 1000.0,
            min: self.us(self.min_ns),
            p50: at(5_000),
            p90: at(9_000),
            p95: at(9_500),
            p99: at(9_900),
            p99_9: at(9_990),
            p99_99: at(9_999),
            max: self.us(self.max_ns),
        })
    }

    /// The cumulative distribution as (microseconds, share of times at or below
    /// it), some hundred points, dense in the tail.
    pub(super) fn cdf(&self) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for step in self.histogram.iter_quantiles(16) {
            let us = self.us(step.value_iterated_to());
            match points.last_mut() {
                Some(last) if last.0 == us => last.1 = step.quantile(),
                _ => points.push((us, step.quantile())),
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_hold_from_a_nanosecond_to_the_longest_time() {
        let mut spread = Spread::default();
        assert!(spread.summary().is_none() && spread.cdf().is_empty());
        (1..=100_000_u64).for_each(|i| spread.record(i * 1_000_000_000));
        let summary = spread.summary().unwrap();
        assert_eq!((summary.mean, summary.min, summary.max), (50_000.5e6, 1e6, 1e11));
        for (got, want) in [(summary.p50, 50_000e6), (summary.p99, 99_000e6), (summary.p99_9, 99_900e6)] {
            assert!((got - want).abs() / want < 1e-3, "{got} is not {want}");
        }
        spread.record(0);
        spread.record(u64::MAX);
        let summary = spread.summary().unwrap();
        assert_eq!((summary.min, summary.max), (0.0, u64::MAX as f64 / 1000.0));
        let cdf = spread.cdf();
        assert!(cdf.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!(cdf.last(), Some(&(summary.max, 1.0)));
    }
}
