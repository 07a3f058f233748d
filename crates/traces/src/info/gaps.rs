//! Times between arrivals, and how long nothing arrives.

use super::ratio;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::latency::{Latency, LatencySummary};

const NS_PER_S: f64 = 1e9;
/// Gaps longer than these count as idle, in microseconds.
const IDLE_OVER_US: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// Powers of ten of a 64-bit number of nanoseconds, those below a microsecond as one.
const DECADES: usize = 18;
/// Classes of gaps: powers of ten from 10 us to 1 s, and what is longer.
pub(super) const CLASSES: usize = 7;

/// The power of ten of a gap, from 0.
#[inline]
fn decade(gap_ns: u64) -> usize {
    // Less one, so that a decade ends with a power of ten and does not begin with it.
    let power = gap_ns.saturating_sub(1).checked_ilog10().unwrap_or(0);
    power.saturating_sub(2) as usize
}

/// The class of a gap, from 0.
#[inline]
pub(super) fn gap_class(gap_ns: u64) -> usize {
    class_of(decade(gap_ns))
}

fn class_of(decade: usize) -> usize {
    decade.saturating_sub(1).min(CLASSES - 1)
}

/// Gaps of one class: longer than the bound of the class before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GapClass {
    /// Longest gap of the class in nanoseconds; the last class has no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_ns: Option<u64>,
    /// Gaps of the class among all, from 0 to 1.
    pub share: f64,
    /// Their mean in nanoseconds; 0 where there are none.
    pub mean_ns: f64,
}

/// Times between the arrivals of one read or write and the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Interarrival {
    /// Mean, extremes and percentiles in microseconds; `None` with fewer than two requests.
    pub us: Option<LatencySummary>,
    /// The distribution: (microseconds, share of gaps at or below), some hundred points.
    pub cdf: Vec<(f64, f64)>,
    /// Gaps by powers of ten, from the shortest range with a gap to the longest.
    pub decades: Vec<GapDecade>,
    /// Idle time by what counts as idle.
    pub idle: Vec<IdleTime>,
}

/// Gaps of one power of ten.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GapDecade {
    /// Gaps in the range are longer than this, in microseconds; 0 for those up to 1 µs.
    pub over_us: f64,
    /// Longest gap in the range, in microseconds: ten times `over_us`.
    pub to_us: f64,
    /// Gaps in the range.
    pub gaps: u64,
    /// Their length together, in seconds.
    pub time_s: f64,
}

/// How much of a trace nothing arrives for a while.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct IdleTime {
    /// Gaps longer than this count, in microseconds.
    pub over_us: u64,
    /// How many they are.
    pub gaps: u64,
    /// Their length together, in seconds.
    pub time_s: f64,
    /// Their length together as a share of the trace's duration, from 0 to 1.
    pub share: f64,
}

/// Gaps that count, and their length together.
#[derive(Clone, Copy, Default)]
struct Sum {
    gaps: u64,
    ns: u128,
}

impl Sum {
    fn seconds(&self) -> f64 {
        self.ns as f64 / NS_PER_S
    }

    fn of<'a>(sums: impl Iterator<Item = &'a Self>) -> Self {
        sums.fold(Self::default(), |all, sum| Self { gaps: all.gaps + sum.gaps, ns: all.ns + sum.ns })
    }
}

/// Takes the gaps one by one.
#[derive(Default)]
pub(super) struct Gaps {
    spread: Latency,
    decades: [Sum; DECADES],
}

impl Gaps {
    #[inline]
    pub(super) fn add(&mut self, gap_ns: u64) {
        self.spread.record(gap_ns);
        let sum = &mut self.decades[decade(gap_ns)];
        sum.gaps += 1;
        sum.ns += u128::from(gap_ns);
    }

    /// Gaps longer than so many microseconds, a power of ten.
    fn over(&self, us: u64) -> Sum {
        Sum::of(self.decades[us.ilog10() as usize + 1..].iter())
    }

    /// All classes, those without gaps too; none where there are no gaps.
    pub(super) fn classes(&self) -> Vec<GapClass> {
        let all = Sum::of(self.decades.iter()).gaps;
        if all == 0 {
            return Vec::new();
        }
        let class = |class: usize| {
            let of_class = self.decades.iter().enumerate().filter(|(decade, _)| class_of(*decade) == class);
            let sum = Sum::of(of_class.map(|(_, sum)| sum));
            GapClass {
                to_ns: (class + 1 < CLASSES).then(|| 10u64.pow(class as u32 + 4)),
                share: ratio(sum.gaps as f64, all as f64),
                mean_ns: ratio(sum.ns as f64, sum.gaps as f64),
            }
        };
        (0..CLASSES).map(class).collect()
    }

    /// The figures of all gaps, in a trace of so many seconds.
    pub(super) fn finish(&self, duration_s: f64) -> Interarrival {
        let idle = |over_us: u64| {
            let sum = self.over(over_us);
            let time_s = sum.seconds();
            IdleTime { over_us, gaps: sum.gaps, time_s, share: ratio(time_s, duration_s) }
        };
        Interarrival {
            us: self.spread.summary(),
            cdf: self.spread.cdf(),
            decades: self.decades(),
            idle: IDLE_OVER_US.into_iter().map(idle).collect(),
        }
    }

    fn decades(&self) -> Vec<GapDecade> {
        let filled = |sum: &Sum| sum.gaps > 0;
        let first = self.decades.iter().position(filled).unwrap_or(0);
        let end = self.decades.iter().rposition(filled).map_or(0, |last| last + 1);
        let decade = |place: usize| {
            let to_us = libm::pow(10.0, place as f64);
            let sum = self.decades[place];
            let over_us = if place == 0 { 0.0 } else { to_us / 10.0 };
            GapDecade { over_us, to_us, gaps: sum.gaps, time_s: sum.seconds() }
        };
        (first..end).map(decade).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_end_with_a_power_of_ten() {
        let mut gaps = Gaps::default();
        [0, 1, 1_000, 1_001, 10_000, 10_001, u64::MAX].into_iter().for_each(|ns| gaps.add(ns));
        let figures = gaps.finish(1.0);
        let shape: Vec<_> = figures.decades.iter().map(|d| (d.over_us, d.to_us, d.gaps)).collect();
        assert_eq!(shape[..4], [(0.0, 1.0, 3), (1.0, 10.0, 2), (10.0, 100.0, 1), (100.0, 1000.0, 0)]);
        assert_eq!(shape.len(), DECADES);
        assert_eq!(shape[DECADES - 1].2, 1);
    }

    #[test]
    fn classes_end_with_their_bounds() {
        let mut gaps = Gaps::default();
        [10_000, 11_000, 100_000, 1_000_000, 1_001_000, 2_000_000_000]
            .into_iter()
            .for_each(|ns| gaps.add(ns));
        let classes = gaps.classes();
        let bounds: Vec<_> = classes.iter().map(|class| class.to_ns).collect();
        let powers = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000].map(Some);
        assert_eq!(bounds, [powers.as_slice(), &[None]].concat());
        let gaps: Vec<f64> = classes.iter().map(|class| (class.share * 6.0).round()).collect();
        assert_eq!(gaps, [1.0, 2.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!((classes[1].mean_ns, classes[5].mean_ns, classes[6].mean_ns), (55_500.0, 0.0, 2e9));
        assert!(Gaps::default().classes().is_empty());
    }

    #[test]
    fn idle_time_is_that_of_longer_gaps() {
        let mut gaps = Gaps::default();
        [1_000_000, 1_000_001, 50_000_000, 2_000_000_000].into_iter().for_each(|ns| gaps.add(ns));
        let idle = gaps.finish(4.0).idle;
        let counts: Vec<_> = idle.iter().map(|idle| (idle.over_us, idle.gaps)).collect();
        assert_eq!(counts, [(1_000, 3), (10_000, 2), (100_000, 1), (1_000_000, 1), (10_000_000, 0)]);
        assert_eq!((idle[3].time_s, idle[3].share), (2.0, 0.5));
    }
}
