//! Times between requests with exact counts and totals.

use super::super::permutation::Permutation;
use super::super::random::Random;
use super::quota::Quota;

/// Quantiles in a table at most.
const QUANTILES: u64 = 1024;

/// Gaps of one kind: longer than `over_ns`, up to `to_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GapClass {
    pub(super) count: u64,
    pub(super) over_ns: f64,
    pub(super) to_ns: f64,
    pub(super) mean_ns: f64,
}

/// Finds the means of classes bounded by `over` (threshold, gaps longer than
/// it), ascending, so that all `gaps` sum to `total_ns`. `above` is the part of
/// the total above a single threshold, where that is given.
pub(super) fn classes(
    gaps: u64,
    total_ns: f64,
    over: &[(f64, u64)],
    above: Option<f64>,
) -> Result<Vec<GapClass>, String> {
    let mut classes = Vec::new();
    let (mut lower, mut left) = (0.0, gaps);
    for &(threshold, longer) in over {
        if longer > left {
            return Err(format!("{longer} gaps longer than {threshold} ns among {left} that could be"));
        }
        classes.push(GapClass { count: left - longer, over_ns: lower, to_ns: threshold, mean_ns: 0.0 });
        (lower, left) = (threshold, longer);
    }
    classes.push(GapClass { count: left, over_ns: lower, to_ns: f64::INFINITY, mean_ns: 0.0 });
    classes.retain(|class| class.count > 0);
    match (above, &mut classes[..]) {
        (Some(above), [inside, idle]) => {
            inside.mean_ns = (1.0 - above) * total_ns / inside.count as f64;
            idle.mean_ns = above * total_ns / idle.count as f64;
        }
        (Some(_), _) => return Err("the idle share needs gaps on both sides of its threshold".to_owned()),
        (None, classes) => fill(classes, total_ns)?,
    }
    for class in &classes {
        let GapClass { count, over_ns, to_ns, mean_ns } = *class;
        if !(mean_ns >= 0.0 && mean_ns > over_ns * 1.000_001 && mean_ns < to_ns * 0.999_999) && total_ns > 0.0
        {
            return Err(format!(
                "{count} gaps between {over_ns} and {to_ns} ns would have to be {mean_ns:.0} ns long on average"
            ));
        }
    }
    Ok(classes)
}

/// Gives every class a mean so that the total is met: the gaps without an upper
/// bound take what the others leave.
fn fill(classes: &mut [GapClass], total_ns: f64) -> Result<(), String> {
    let Some((last, bounded)) = classes.split_last_mut() else {
        return Ok(());
    };
    let least: f64 = bounded.iter().map(|class| class.count as f64 * class.over_ns).sum();
    let width = |class: &GapClass| class.count as f64 * (class.to_ns - class.over_ns);
    let span: f64 = bounded.iter().map(width).sum();
    if last.to_ns.is_finite() {
        let (least, span) = (least + last.count as f64 * last.over_ns, span + width(last));
        let part = (total_ns - least) / span;
        for class in classes {
            class.mean_ns = class.over_ns + part * (class.to_ns - class.over_ns);
        }
        return Ok(());
    }
    // Short gaps are mostly much shorter than their bound.
    for part in [0.1, 0.03, 0.01, 0.001, 0.0001] {
        bounded
            .iter_mut()
            .for_each(|class| class.mean_ns = class.over_ns + part * (class.to_ns - class.over_ns));
        last.mean_ns = (total_ns - least - part * span) / last.count as f64;
        if last.mean_ns > last.over_ns * 1.01 {
            return Ok(());
        }
    }
    Err(format!("{} gaps longer than {} ns do not fit into {total_ns:.0} ns", last.count, last.over_ns))
}

/// One class at work: stratified draws, so that every block of draws has
/// exactly the mean.
#[derive(Clone, Debug)]
struct GapSource {
    base_ns: f64,
    scale_ns: f64,
    quantiles: Box<[f64]>,
    order: Permutation,
    drawn: u64,
    key: u64,
}

impl GapSource {
    fn new(class: &GapClass, key: u64) -> Self {
        let blocks = class.count.div_ceil(QUANTILES).max(1);
        let len = class.count.div_ceil(blocks).max(1);
        let exponential: Box<[f64]> = (0..len).map(|at| -libm::log((at as f64 + 0.5) / len as f64)).collect();
        let mean = exponential.iter().sum::<f64>() / len as f64;
        let exponential: Box<[f64]> = exponential.iter().map(|value| value / mean).collect();
        // A nanosecond inside both bounds, so that rounding does not cross them.
        let over = if class.over_ns > 0.0 { class.over_ns + 2.0 } else { 0.0 };
        let room = class.mean_ns - over;
        let exponential_fits = over + room * exponential[0] < class.to_ns - 2.0;
        let (base_ns, scale_ns, quantiles) = if exponential_fits {
            (over, room, exponential)
        } else {
            let half = room.min(class.to_ns - 2.0 - class.mean_ns);
            let even = (0..len).map(|at| (2 * at + 1) as f64 / len as f64 - 1.0).collect();
            (class.mean_ns, half, even)
        };
        Self { base_ns, scale_ns, quantiles, order: Permutation::new(len, key), drawn: 0, key }
    }

    #[inline]
    fn draw(&mut self) -> f64 {
        let len = self.quantiles.len() as u64;
        let place = self.drawn % len;
        if place == 0 {
            self.order = self.order.keyed(self.key.wrapping_add(self.drawn));
        }
        self.drawn += 1;
        self.base_ns + self.scale_ns * self.quantiles[self.order.apply(place) as usize]
    }
}

/// The times of a twin's requests.
#[derive(Clone, Debug)]
pub(super) struct TwinClock {
    kinds: Quota<usize>,
    sources: Vec<GapSource>,
    random: Random,
    at_ns: u64,
    carry_ns: f64,
}

impl TwinClock {
    /// A clock at time 0; without classes it stays there.
    pub(super) fn new(classes: &[GapClass], seed: u64) -> Self {
        let mut random = Random::new(seed, 0, "gap");
        let sources = classes.iter().map(|class| GapSource::new(class, random.bits())).collect();
        let kinds = Quota::new(classes.iter().enumerate().map(|(kind, class)| (kind, class.count)).collect());
        Self { kinds, sources, random, at_ns: 0, carry_ns: 0.0 }
    }

    /// The time now; then goes on by a gap.
    #[inline]
    pub(super) fn tick(&mut self) -> u64 {
        let now_ns = self.at_ns;
        if let Some(kind) = self.kinds.draw(&mut self.random) {
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
    use super::*;

    fn times(classes: &[GapClass], count: usize, seed: u64) -> Vec<u64> {
        let mut clock = TwinClock::new(classes, seed);
        (0..count).map(|_| clock.tick()).collect()
    }

    #[test]
    fn totals_and_counts_are_met_at_any_seed() {
        for (gaps, over) in
            [(1500, vec![]), (9_999, vec![(1e6, 300), (1e8, 40), (1e9, 7)]), (999, vec![(1e6, 3)])]
        {
            let classes = classes(gaps, 1e11, &over, None).unwrap();
            for seed in 0..5 {
                let times = times(&classes, gaps as usize + 1, seed);
                let total = *times.last().unwrap() as f64;
                assert!((total / 1e11 - 1.0).abs() < 0.004, "{gaps} {total}");
                for &(threshold, count) in &over {
                    let longer = times.windows(2).filter(|w| (w[1] - w[0]) as f64 > threshold).count();
                    assert_eq!(longer as u64, count);
                }
            }
        }
    }

    #[test]
    fn impossible_gaps_are_refused() {
        assert!(classes(100, 1e9, &[(1e9, 5)], None).is_err());
        assert!(classes(100, 1e9, &[(1e6, 50), (1e8, 60)], None).is_err());
        assert!(classes(100, 1e12, &[(1e6, 0)], None).is_err());
        assert!(classes(100, 1e9, &[(1e8, 5)], Some(0.3)).is_err());
    }
}
