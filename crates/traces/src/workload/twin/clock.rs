//! The times of a twin's requests.

use super::super::random::Random;
use super::gap_order::GapOrder;
use super::gap_source::GapSource;
use super::gaps::GapClass;
use super::plan::TwinPlan;

/// The times of a twin's requests.
#[derive(Clone, Debug)]
pub(super) struct TwinClock {
    order: GapOrder,
    sources: Vec<GapSource>,
    random: Random,
    at_ns: u64,
    carry_ns: f64,
}

impl TwinClock {
    /// A clock at time 0; without classes it stays there.
    pub(super) fn new(plan: &TwinPlan, seed: u64) -> Self {
        Self::with_order(&plan.gaps, GapOrder::new(plan, seed), seed)
    }

    fn with_order(classes: &[GapClass], order: GapOrder, seed: u64) -> Self {
        let mut random = Random::new(seed, 0, "gap");
        let sources = classes.iter().map(|class| GapSource::new(class, random.bits())).collect();
        Self { order, sources, random, at_ns: 0, carry_ns: 0.0 }
    }

    /// The time now; then goes on by a gap.
    #[inline]
    pub(super) fn tick(&mut self) -> u64 {
        let now_ns = self.at_ns;
        if let Some(kind) = self.order.next(&mut self.random) {
            let gap_ns = self.sources[kind].draw() + self.carry_ns;
            // Rounded down with the rest carried on, a gap never shrinks below its bound.
            let whole = gap_ns as u64;
            self.carry_ns = gap_ns - whole as f64;
            self.at_ns = self.at_ns.saturating_add(whole);
        }
        now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::super::times::classes;
    use super::*;

    fn times(classes: &[GapClass], count: usize, seed: u64) -> Vec<u64> {
        let mut clock = TwinClock::with_order(classes, GapOrder::any(classes), seed);
        (0..count).map(|_| clock.tick()).collect()
    }

    #[test]
    fn totals_and_counts_are_met_at_any_seed() {
        for (gaps, over) in [(1500, None), (9_999, Some((300, 0.99, 1e6))), (999, Some((3, 0.5, 1e9)))] {
            let classes = classes(gaps, 1e11, over).unwrap();
            for seed in 0..5 {
                let times = times(&classes, gaps as usize + 1, seed);
                let total = *times.last().unwrap() as f64;
                assert!((total / 1e11 - 1.0).abs() < 0.004, "{gaps} {total}");
                if let Some((count, _, threshold)) = over {
                    let longer = times.windows(2).filter(|w| (w[1] - w[0]) as f64 > threshold).count();
                    assert_eq!(longer as u64, count);
                }
            }
        }
    }
}
