//! Drawing at random so that the totals come out exactly: values, and the order of reads and writes.

use super::super::random::Random;

/// Values that are each drawn a fixed number of times, in random order.
#[derive(Clone, Debug)]
pub(super) struct Quota<T> {
    entries: Vec<(T, u64)>,
    left: u64,
}

impl<T: Copy> Quota<T> {
    /// Each value so many times.
    pub(super) fn new(entries: Vec<(T, u64)>) -> Self {
        let left = entries.iter().map(|(_, count)| count).sum();
        Self { entries, left }
    }

    /// Draws left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// One of the values left, each draw left being equally likely; `None` at the end.
    #[inline]
    pub(super) fn draw(&mut self, random: &mut Random) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        let mut at = random.below(self.left);
        for (value, count) in &mut self.entries {
            if at < *count {
                *count -= 1;
                self.left -= 1;
                return Some(*value);
            }
            at -= *count;
        }
        None
    }
}

impl<T: Copy + PartialEq> Quota<T> {
    /// Takes this very value, if one is left.
    pub(super) fn take(&mut self, value: T) -> bool {
        let entry = self.entries.iter_mut().find(|(other, count)| *other == value && *count > 0);
        let found = entry.map(|(_, count)| *count -= 1).is_some();
        self.left -= u64::from(found);
        found
    }
}

/// Divides `total` by shares that sum to about 1, the largest remainders first.
pub(super) fn apportion(total: u64, shares: &[f64]) -> Vec<u64> {
    let sum: f64 = shares.iter().sum();
    let exact: Vec<f64> = shares.iter().map(|share| share / sum * total as f64).collect();
    let mut counts: Vec<u64> = exact.iter().map(|count| *count as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let remainder = |place: usize| exact[place] - libm::floor(exact[place]);
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    let given: u64 = counts.iter().sum();
    for place in order.into_iter().cycle().take(total.saturating_sub(given) as usize) {
        counts[place] += 1;
    }
    counts
}

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

    #[test]
    fn every_value_comes_as_often_as_asked() {
        let mut quota = Quota::new(vec![('a', 3), ('b', 0), ('c', 997)]);
        let mut random = Random::new(1, 0, "quota");
        let drawn: Vec<char> = std::iter::from_fn(|| quota.draw(&mut random)).collect();
        assert_eq!(drawn.iter().filter(|value| **value == 'a').count(), 3);
        assert_eq!(drawn.iter().filter(|value| **value == 'c').count(), 997);
        assert!(drawn[..900].contains(&'a'), "the rare ones come at random");
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(apportion(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(apportion(7, &[0.5, 0.25, 0.25]), [3, 2, 2]);
        assert_eq!(apportion(0, &[0.5, 0.5]), [0, 0]);
    }

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
