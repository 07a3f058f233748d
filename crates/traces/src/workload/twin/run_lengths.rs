//! Laws of how many short gaps follow each other, and their exact counts.

use super::super::random::bisect;

/// Shares of the short gaps that may lie in the long ones of two kinds of runs,
/// in order of preference. Measured volumes are met best with three quarters.
const LONG_SHARES: [f64; 11] = [0.75, 0.8, 0.85, 0.9, 0.95, 0.7, 0.65, 0.6, 0.5, 0.35, 0.2];
/// Steps in which a law's parameter is tried.
const STEPS: u32 = 256;
/// In a short trace the median is that of a few bursts: laws with medians up to
/// so many percent beside it are tried as well.
const NEARBY: i32 = 20;
/// Lengths above this are rounded to a part in so many.
const FINE: u64 = 64;

/// How lengths of one kind are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// Geometric from 1 on.
    Geometric,
    /// As nearly equal as whole numbers are.
    Equal,
}

/// A mixture of kinds: law, share of the runs, mean.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunLengths(Vec<(Law, f64, f64)>);

/// What the requests of a trace's bursts are made of.
#[derive(Clone, Copy, Debug)]
struct BurstMix {
    single: f64,
    runs: f64,
    mean: f64,
}

impl RunLengths {
    /// Geometric lengths: whether a run goes on does not depend on how long it is.
    pub(super) fn geometric(gaps: u64, runs: u64) -> Self {
        Self(vec![(Law::Geometric, 1.0, gaps as f64 / runs.max(1) as f64)])
    }

    /// Laws whose bursts, with `single` of one request, have half of their
    /// requests in bursts of up to `median`; where a kind of law cannot have
    /// that, its extremes.
    pub(super) fn candidates(median: f64, single: u64, gaps: u64, runs: u64) -> impl Iterator<Item = Self> {
        let mean = gaps as f64 / runs as f64;
        let bursts = BurstMix { single: single as f64, runs: runs as f64, mean };
        let mixtures = LONG_SHARES.into_iter().map(|share| Self::two_kinds(share, mean));
        let mut laws: Vec<Box<dyn Fn(f64) -> Self>> = mixtures.flatten().collect();
        laws.push(Box::new(move |part| Self::evened(part, mean)));
        laws.into_iter().flat_map(move |law| bursts.solve(&law, median))
    }

    /// Short and long runs, `long_share` of the gaps in long ones; at 0 all are
    /// alike, at 1 the short ones are as short as can be or the long ones as rare.
    fn two_kinds(long_share: f64, mean: f64) -> Option<Box<dyn Fn(f64) -> Self>> {
        let rarest = (1.0 - (1.0 - long_share) * mean).max(1e-6);
        (rarest < long_share).then(|| {
            let law = move |part: f64| {
                let long = long_share * libm::pow(rarest / long_share, part);
                let short_mean = ((1.0 - long_share) * mean / (1.0 - long)).max(1.0);
                let kinds = [(1.0 - long, short_mean), (long, long_share * mean / long)];
                Self(kinds.into_iter().map(|(share, mean)| (Law::Geometric, share, mean)).collect())
            };
            Box::new(law) as Box<dyn Fn(f64) -> Self>
        })
    }

    /// Geometric lengths, `part` of them replaced by equal ones.
    fn evened(part: f64, mean: f64) -> Self {
        Self(vec![(Law::Geometric, 1.0 - part, mean), (Law::Equal, part, mean)])
    }

    /// Share of the runs up to `length`, and their part of the mean.
    fn up_to(&self, length: f64) -> (f64, f64) {
        let kinds = self.0.iter().map(|&(law, share, mean)| {
            let (runs, gaps) = law.up_to(mean, length);
            (share * runs, share * gaps)
        });
        kinds.fold((0.0, 0.0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1))
    }

    /// `runs` lengths that sum to `gaps`, at least `runs`, as (length, count).
    pub(super) fn counts(&self, gaps: u64, runs: u64) -> Vec<(u64, u64)> {
        let mut counts = Vec::new();
        let (mut runs_left, mut gaps_left) = (runs, gaps);
        let mut low = 1;
        let mut high = 1;
        while runs_left > 0 {
            let (up_to, mean_up_to) = self.up_to(high as f64);
            let rounded = |share: f64| libm::round(share * runs as f64) as u64;
            // Those still to come need a gap each.
            let count = rounded(up_to).saturating_sub(runs - runs_left).min(runs_left);
            let most = gaps_left - (runs_left - count);
            let count = if high >= gaps { runs_left } else { count };
            let sum = match count == runs_left {
                true => gaps_left,
                false => {
                    let wanted = rounded(mean_up_to).saturating_sub(gaps - gaps_left);
                    wanted.clamp(count * low, count * high).min(most)
                }
            };
            if let Some(length) = sum.checked_div(count) {
                let longer = sum % count;
                counts.extend([(length, count - longer), (length + 1, longer)]);
                (runs_left, gaps_left, low) = (runs_left - count, gaps_left - sum, high + 1);
            }
            high += 1 + high / FINE;
        }
        counts.retain(|(_, count)| *count > 0);
        counts
    }
}

impl Law {
    /// Share of the runs up to `length`, and their part of the mean.
    fn up_to(self, mean: f64, length: f64) -> (f64, f64) {
        match self {
            Law::Geometric => {
                let longer = libm::pow(1.0 - 1.0 / mean, length);
                (1.0 - longer, mean - longer * (length + mean))
            }
            Law::Equal => {
                let least = libm::floor(mean);
                match length {
                    _ if length < least => (0.0, 0.0),
                    _ if length < least + 1.0 => (1.0 - (mean - least), (1.0 - (mean - least)) * least),
                    _ => (1.0, mean),
                }
            }
        }
    }
}

impl BurstMix {
    /// By how much the requests in bursts of up to `median`, half of those of
    /// just that many, exceed the half of all.
    fn excess(&self, law: &RunLengths, median: f64) -> f64 {
        let requests = |gaps: f64| {
            let (runs, mean) = if gaps < 0.0 { (0.0, 0.0) } else { law.up_to(gaps) };
            self.single + self.runs * (runs + mean)
        };
        let all = self.single + self.runs * (1.0 + self.mean);
        (requests(median - 1.0) + requests(median - 2.0)) / 2.0 - all / 2.0
    }

    /// The law's first parameter from 0 to 1 with this median, and its
    /// neighbours for medians a little off; without any, both ends.
    fn solve(&self, law: &dyn Fn(f64) -> RunLengths, median: f64) -> Vec<RunLengths> {
        if self.crossing(law, median).is_none() {
            return vec![law(0.0), law(1.0)];
        }
        let nearby = (0..=NEARBY).flat_map(|step| [-step, step]).map(|step| 1.0 + f64::from(step) / 100.0);
        nearby.filter_map(|factor| self.crossing(law, median * factor)).map(law).collect()
    }

    fn crossing(&self, law: &dyn Fn(f64) -> RunLengths, median: f64) -> Option<f64> {
        let excess = |part: f64| self.excess(&law(part), median);
        let at_start = excess(0.0) > 0.0;
        let step = |step: u32| f64::from(step) / f64::from(STEPS);
        let beyond = (0..=STEPS).map(step).find(|&part| (excess(part) > 0.0) != at_start)?;
        Some(bisect((beyond - step(1), beyond), 40, |part| (excess(part) > 0.0) == at_start).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(counts: &[(u64, u64)]) -> (u64, u64) {
        counts.iter().fold((0, 0), |(gaps, runs), (length, count)| (gaps + length * count, runs + count))
    }

    #[test]
    fn counts_add_up_for_every_law() {
        for (gaps, runs) in
            [(1, 1), (2, 1), (2, 2), (7, 3), (7, 6), (156, 17), (5453, 611), (10_000_000, 1_000), (999, 998)]
        {
            let mean = gaps as f64 / runs as f64;
            let laws = LONG_SHARES.iter().filter_map(|&share| RunLengths::two_kinds(share, mean));
            let laws = laws.flat_map(|law| [law(0.0), law(0.3), law(0.9), law(1.0)]);
            for law in laws.chain([RunLengths::geometric(gaps, runs), RunLengths::evened(0.7, mean)]) {
                let counts = law.counts(gaps, runs);
                assert_eq!(totals(&counts), (gaps, runs), "{law:?}");
                assert!(counts.iter().all(|(length, _)| *length > 0), "{law:?}");
                assert!(counts.len() < 2000, "{} lengths of {law:?}", counts.len());
            }
        }
    }

    #[test]
    fn geometric_lengths_are_geometric() {
        let counts = RunLengths::geometric(4_000_000, 1_000_000).counts(4_000_000, 1_000_000);
        for length in 1..=20 {
            let count: u64 = counts.iter().filter(|(l, _)| *l == length).map(|(_, count)| count).sum();
            let expected = 1e6 * 0.25 * libm::pow(0.75, length as f64 - 1.0);
            assert!((count as f64 - expected).abs() < 3.0, "{length}: {count} {expected}");
        }
    }
}
