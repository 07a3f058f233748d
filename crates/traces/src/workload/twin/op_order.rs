//! Whether the next request of a twin reads or writes.

use super::super::random::Random;

/// Reads and writes in exact counts, in random order or in runs.
#[derive(Clone, Debug)]
pub(super) struct OpOrder {
    random: Random,
    /// Runs of writes that have not begun; `None` for random order.
    write_runs: Option<u64>,
    writing: bool,
}

impl OpOrder {
    pub(super) fn new(write_runs: Option<u64>, seed: u64) -> Self {
        Self::named(write_runs, seed, if write_runs.is_some() { "op run" } else { "op" })
    }

    /// An order of other things of two kinds, with random numbers of their own.
    pub(super) fn named(write_runs: Option<u64>, seed: u64, decision: &'static str) -> Self {
        Self { random: Random::new(seed, 0, decision), write_runs, writing: false }
    }

    /// Whether a write comes next, with so many of each left, at least one in all.
    #[inline]
    pub(super) fn write(&mut self, reads: u64, writes: u64) -> bool {
        let Some(runs) = &mut self.write_runs else {
            return self.random.below(reads + writes) < writes;
        };
        // Every division of the writes into runs and every placing of the runs
        // between the reads is equally likely.
        if self.writing {
            self.writing = writes > 0 && self.random.below(writes) >= *runs;
        } else if self.random.below(reads + 1) < *runs {
            *runs -= 1;
            self.writing = true;
        }
        self.writing
    }
}

/// Most runs that so many writes can form between so many reads.
pub(super) fn most_runs(reads: u64, writes: u64) -> u64 {
    writes.min(reads + 1)
}

/// Share of the requests behind a write that are writes, in `runs` runs; a run
/// at the end has no request behind it.
pub(super) fn write_after_write_share(reads: u64, writes: u64, runs: u64) -> f64 {
    let followed = writes as f64 - runs as f64 / (reads + 1) as f64;
    ((writes - runs) as f64 / followed.max(f64::MIN_POSITIVE)).min(1.0)
}

/// Runs of writes with which this share comes out, or the shares that are possible.
pub(super) fn write_runs(share: f64, reads: u64, writes: u64) -> Result<u64, (f64, f64)> {
    if writes == 0 {
        return Ok(0);
    }
    let most = most_runs(reads, writes);
    let exact = writes as f64 * (1.0 - share) / (1.0 - share / (reads + 1) as f64).max(f64::MIN_POSITIVE);
    let runs = libm::round(exact).clamp(1.0, most as f64) as u64;
    let of = |runs: u64| write_after_write_share(reads, writes, runs);
    // One more or less is no contradiction.
    if (of(runs) - share).abs() <= 0.01 * share + 1.0 / writes as f64 {
        Ok(runs)
    } else {
        Err((of(most), of(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(reads: u64, writes: u64, runs: Option<u64>, seed: u64) -> Vec<bool> {
        let (mut order, mut left) = (OpOrder::new(runs, seed), (reads, writes));
        let made = (0..reads + writes).map(|_| {
            let write = order.write(left.0, left.1);
            let side = if write { &mut left.1 } else { &mut left.0 };
            *side = side.checked_sub(1).unwrap();
            write
        });
        made.collect()
    }

    #[test]
    fn runs_and_counts_are_exact() {
        for (reads, writes) in [(0, 5), (5, 0), (1, 9), (50, 50), (200, 30)] {
            for runs in 1..=most_runs(reads, writes) {
                if reads == 0 && runs > 1 {
                    continue;
                }
                for seed in 0..5 {
                    let order = order(reads, writes, Some(runs), seed);
                    let starts =
                        order.iter().enumerate().filter(|(at, w)| **w && (*at == 0 || !order[at - 1]));
                    assert_eq!(starts.count() as u64, runs, "{reads} {writes} {seed}");
                    assert_eq!(order.iter().filter(|write| **write).count() as u64, writes);
                }
            }
        }
    }

    #[test]
    fn every_placing_is_equally_likely() {
        let mut times = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            *times.entry(order(3, 3, Some(2), seed)).or_insert(0_u32) += 1;
        }
        // Two divisions of three writes, six placings of two runs.
        assert_eq!(times.len(), 12);
        assert!(times.values().all(|times| (400..600).contains(times)), "{times:?}");
    }

    #[test]
    fn shares_out_of_reach_are_refused_with_the_possible_ones() {
        assert_eq!(write_runs(0.5, 100, 100), Ok(50));
        assert_eq!(write_runs(0.0, 100, 100), Ok(100));
        let (least, most) = write_runs(0.2, 9, 100).unwrap_err();
        assert!((0.90..0.92).contains(&least) && (0.99..=1.0).contains(&most), "{least} {most}");
    }
}
