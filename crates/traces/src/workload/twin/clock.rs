//! The times of a twin's requests: gaps in order, each class of them in its exact count.

use super::super::random::{bisect, Permutation, Random};
use super::gap_classes::{PlannedGaps, BURST_GAP_NS, TIGHT_GAP_NS};
use super::pauses::Pauses;
use super::quota::Quota;
use super::TwinPlan;

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

    fn with_order(classes: &[PlannedGaps], order: GapOrder, seed: u64) -> Self {
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

/// Gaps in random order, or in bursts.
#[derive(Clone, Debug)]
pub(super) enum GapOrder {
    /// In random order.
    Any(Quota<usize>),
    /// In bursts: gaps inside them and between them.
    Bursts(Box<BurstOrder>),
}

/// Bursts at work.
#[derive(Clone, Debug)]
pub(super) struct BurstOrder {
    /// Bursts by place in the tables of lengths.
    places: Quota<usize>,
    requests: Vec<u64>,
    /// Gaps left in the bursts of each length, tight ones and others; empty
    /// where any gap may be in any burst.
    gaps: Vec<(u64, u64)>,
    tight: Quota<usize>,
    inside: Quota<usize>,
    between: Pauses,
    /// The burst going on, and its requests to come.
    place: usize,
    left: u64,
}

impl GapOrder {
    /// The order of a plan's gaps; random without bursts.
    pub(super) fn new(plan: &TwinPlan, seed: u64) -> Self {
        if plan.bursts.is_empty() {
            Self::any(&plan.gaps)
        } else {
            Self::Bursts(Box::new(BurstOrder::new(plan, seed)))
        }
    }

    /// Random order.
    pub(super) fn any(classes: &[PlannedGaps]) -> Self {
        Self::Any(quota(classes, |_| true))
    }

    /// The class of the gap behind the next request; `None` behind the last.
    #[inline]
    pub(super) fn next(&mut self, random: &mut Random) -> Option<usize> {
        match self {
            Self::Any(kinds) => kinds.draw(random),
            Self::Bursts(bursts) => bursts.next(random),
        }
    }
}

/// Draws among the classes that are wanted.
fn quota(classes: &[PlannedGaps], wanted: impl Fn(&PlannedGaps) -> bool) -> Quota<usize> {
    let kinds = classes.iter().enumerate().filter(|(_, class)| wanted(class));
    Quota::new(kinds.map(|(kind, class)| (kind, class.count)).collect())
}

impl BurstOrder {
    fn new(plan: &TwinPlan, seed: u64) -> Self {
        let apart = !plan.tight_gaps.is_empty();
        let tight = |class: &PlannedGaps| apart && class.to_ns <= TIGHT_GAP_NS;
        let bursts = plan.bursts.iter();
        let gaps = bursts.clone().zip(&plan.tight_gaps);
        Self {
            places: Quota::new(bursts.clone().map(|(_, count)| *count).enumerate().collect()),
            requests: bursts.map(|(requests, _)| *requests).collect(),
            gaps: gaps.map(|((requests, count), tight)| (*tight, (requests - 1) * count - tight)).collect(),
            tight: quota(&plan.gaps, tight),
            inside: quota(&plan.gaps, |class| !tight(class) && class.to_ns <= BURST_GAP_NS),
            between: Pauses::new(&plan.gaps, plan.pause_runs, seed),
            place: 0,
            left: 0,
        }
    }

    #[inline]
    fn next(&mut self, random: &mut Random) -> Option<usize> {
        if self.left == 0 {
            self.place = self.places.draw(random)?;
            self.left = self.requests[self.place];
        }
        self.left -= 1;
        if self.left == 0 {
            return self.between.draw(random);
        }
        let Some((tight, others)) = self.gaps.get_mut(self.place) else {
            return self.inside.draw(random);
        };
        if random.below(*tight + *others) < *tight {
            *tight -= 1;
            self.tight.draw(random)
        } else {
            *others -= 1;
            self.inside.draw(random)
        }
    }
}

/// Quantiles in a table at most.
const QUANTILES: u64 = 1024;

/// One class at work: stratified draws, so that every block of draws has
/// exactly the mean.
#[derive(Clone, Debug)]
pub(super) struct GapSource {
    base_ns: f64,
    scale_ns: f64,
    quantiles: Box<[f64]>,
    order: Permutation,
    drawn: u64,
    key: u64,
}

impl GapSource {
    /// The gaps of `class` in an order that `key` decides.
    pub(super) fn new(class: &PlannedGaps, key: u64) -> Self {
        let blocks = class.count.div_ceil(QUANTILES).max(1);
        let len = class.count.div_ceil(blocks).max(1);
        let exponential = exponential(len);
        // A nanosecond inside both bounds, so that rounding does not cross them.
        let over = if class.over_ns > 0.0 { class.over_ns + 2.0 } else { 0.0 };
        let (room, width) = (class.mean_ns - over, class.to_ns - 2.0 - over);
        let (base_ns, scale_ns, quantiles) = if over + room * exponential[0] < class.to_ns - 2.0 {
            (over, room, exponential)
        } else if class.fills {
            (over, width, bounded(len, room / width))
        } else {
            let half = room.min(class.to_ns - 2.0 - class.mean_ns);
            let even = (0..len).map(|at| (2 * at + 1) as f64 / len as f64 - 1.0).collect();
            (class.mean_ns, half, even)
        };
        Self { base_ns, scale_ns, quantiles, order: Permutation::new(len, key), drawn: 0, key }
    }

    /// The next gap in ns.
    #[inline]
    pub(super) fn draw(&mut self) -> f64 {
        let len = self.quantiles.len() as u64;
        let place = self.drawn % len;
        if place == 0 {
            self.order = self.order.keyed(self.key.wrapping_add(self.drawn));
        }
        self.drawn += 1;
        self.base_ns + self.scale_ns * self.quantiles[self.order.apply(place) as usize]
    }
}

/// Quantiles of the exponential law with mean 1, the largest first.
fn exponential(len: u64) -> Box<[f64]> {
    let values: Box<[f64]> = (0..len).map(|at| -libm::log((at as f64 + 0.5) / len as f64)).collect();
    with_mean(values, 1.0)
}

/// Quantiles of the exponential law cut off at 1 (rising towards 1 where `mean`
/// is above a half): of all laws between 0 and 1 with this mean the most even.
fn bounded(len: u64, mean: f64) -> Box<[f64]> {
    if mean > 0.5 {
        return bounded(len, 1.0 - mean).iter().map(|value| 1.0 - value).collect();
    }
    // The rate at which the law has the mean, which falls with the rate.
    let mean_at = |rate: f64| 1.0 / rate - 1.0 / libm::expm1(rate);
    let (low, _) = bisect((1e-6, 700.0), 60, |rate| mean_at(rate) > mean);
    let reach = -libm::expm1(-low);
    let quantile = |at: u64| -libm::log1p(-reach * (at as f64 + 0.5) / len as f64) / low;
    with_mean((0..len).map(quantile).collect(), mean)
}

/// The values, brought to exactly this mean.
fn with_mean(mut values: Box<[f64]>, mean: f64) -> Box<[f64]> {
    let found = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value = *value / found * mean);
    values
}

#[cfg(test)]
mod tests {
    use super::super::gap_classes::classes;
    use super::*;

    fn times(classes: &[PlannedGaps], count: usize, seed: u64) -> Vec<u64> {
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

    #[test]
    fn bounded_laws_have_their_mean_and_stay_inside() {
        for len in [1, 2, 3, 10, 1024] {
            for mean in [0.001, 0.01, 0.1, 0.3, 0.499, 0.5, 0.501, 0.7, 0.95, 0.999] {
                let values = bounded(len, mean);
                let found = values.iter().sum::<f64>() / len as f64;
                assert!((found - mean).abs() < 1e-9, "{len} {mean} {found}");
                assert!(values.iter().all(|value| (0.0..=1.0).contains(value)), "{len} {mean}");
            }
        }
    }

    #[test]
    fn a_bounded_law_with_its_mean_in_the_middle_is_even() {
        let values = bounded(4, 0.5);
        let even = [0.125, 0.375, 0.625, 0.875];
        assert!(values.iter().zip(even).all(|(value, even)| (value - even).abs() < 1e-5), "{values:?}");
    }
}
