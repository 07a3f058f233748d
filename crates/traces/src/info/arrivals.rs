//! How requests follow one another: classes of gaps, bursts, runs of writes.

use super::ratio;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::request::{HostOp, Request};

/// Upper bounds of the classes of gaps but the last, which has none.
const BOUNDS_NS: [u64; 6] = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
/// Gaps up to this are inside a burst.
const SHORT_NS: u64 = 1_000_000;
/// Longer gaps are pauses between bursts; up to this they are short ones.
const SHORT_PAUSE_NS: u64 = 100_000_000;
/// Gaps up to this are tight; as a class, the first.
const TIGHT_NS: u64 = BOUNDS_NS[0];

/// The class of a gap, from 0.
#[inline]
pub(super) fn gap_class(gap_ns: u64) -> usize {
    BOUNDS_NS.partition_point(|&bound_ns| bound_ns < gap_ns)
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

/// Gaps of a class, and their length together.
#[derive(Clone, Copy, Default)]
struct Sum {
    gaps: u64,
    ns: u128,
}

/// Part of a whole, counted.
#[derive(Clone, Copy, Default)]
struct Share {
    part: u64,
    whole: u64,
}

impl Share {
    #[inline]
    fn add(&mut self, is_part: bool) {
        self.part += u64::from(is_part);
        self.whole += 1;
    }

    fn value(self) -> f64 {
        ratio(self.part as f64, self.whole as f64)
    }
}

/// Follows the reads and writes of a trace in the order they arrive.
#[derive(Default)]
pub(super) struct Arrivals {
    classes: [Sum; BOUNDS_NS.len() + 1],
    previous: Option<Previous>,
    /// Short gaps among those behind a short gap.
    short_runs: Share,
    /// Short pauses among those behind a short pause, gaps inside bursts left out.
    pause_runs: Share,
    previous_pause_ns: Option<u64>,
    /// Tight gaps among those behind a tight gap.
    tight_runs: Share,
    /// Writes among the requests behind a write.
    write_runs: Share,
    /// Requests of the burst that is going on.
    burst: u64,
    /// Bursts that are over, by length; different lengths are at most as many as
    /// the square root of twice the requests.
    bursts: FxHashMap<u64, u64>,
}

/// The request before.
struct Previous {
    at_ns: u64,
    is_write: bool,
    /// The gap before it; `None` for the first request.
    gap_ns: Option<u64>,
}

impl Arrivals {
    /// Takes a read or write. Times kept out of order leave no gap.
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let is_write = request.op == HostOp::Write;
        let at_ns = request.at_ns;
        let gap_ns = self.previous.take().map(|previous| {
            let gap_ns = at_ns.saturating_sub(previous.at_ns);
            if previous.is_write {
                self.write_runs.add(is_write);
            }
            let class = &mut self.classes[gap_class(gap_ns)];
            class.gaps += 1;
            class.ns += u128::from(gap_ns);
            if previous.gap_ns.is_some_and(|gap_ns| gap_ns <= SHORT_NS) {
                self.short_runs.add(gap_ns <= SHORT_NS);
            }
            if previous.gap_ns.is_some_and(|gap_ns| gap_ns <= TIGHT_NS) {
                self.tight_runs.add(gap_ns <= TIGHT_NS);
            }
            if gap_ns > SHORT_NS {
                self.end_burst(gap_ns);
            }
            gap_ns
        });
        self.burst += 1;
        self.previous = Some(Previous { at_ns, is_write, gap_ns });
    }

    /// Takes the pause behind a burst.
    fn end_burst(&mut self, pause_ns: u64) {
        if self.previous_pause_ns.replace(pause_ns).is_some_and(|before_ns| before_ns <= SHORT_PAUSE_NS) {
            self.pause_runs.add(pause_ns <= SHORT_PAUSE_NS);
        }
        *self.bursts.entry(self.burst).or_insert(0) += 1;
        self.burst = 0;
    }

    /// All classes, those without gaps too; none where there are no gaps.
    pub(super) fn classes(&self) -> Vec<GapClass> {
        let all: u64 = self.classes.iter().map(|sum| sum.gaps).sum();
        if all == 0 {
            return Vec::new();
        }
        let bounds = BOUNDS_NS.into_iter().map(Some).chain([None]);
        let class = |(to_ns, sum): (Option<u64>, &Sum)| GapClass {
            to_ns,
            share: ratio(sum.gaps as f64, all as f64),
            mean_ns: ratio(sum.ns as f64, sum.gaps as f64),
        };
        bounds.zip(&self.classes).map(class).collect()
    }

    pub(super) fn short_gap_runs(&self) -> f64 {
        self.short_runs.value()
    }

    pub(super) fn short_pause_runs(&self) -> f64 {
        self.pause_runs.value()
    }

    pub(super) fn tight_gap_runs(&self) -> f64 {
        self.tight_runs.value()
    }

    pub(super) fn write_after_write_share(&self) -> f64 {
        self.write_runs.value()
    }

    /// Mean requests in a burst, and the length of burst that half of the
    /// requests do not exceed.
    pub(super) fn burst_requests(&self) -> (f64, u64) {
        let mut bursts = self.bursts.clone();
        if self.burst > 0 {
            *bursts.entry(self.burst).or_insert(0) += 1;
        }
        let mut lengths: Vec<(u64, u64)> = bursts.into_iter().collect();
        lengths.sort_unstable();
        let bursts: u64 = lengths.iter().map(|(_, count)| count).sum();
        let requests: u64 = lengths.iter().map(|(length, count)| length * count).sum();
        let mut seen = 0;
        let median = lengths.iter().find(|(length, count)| {
            seen += length * count;
            seen >= requests.div_ceil(2)
        });
        (ratio(requests as f64, bursts as f64), median.map_or(0, |&(length, _)| length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(requests: &[(u64, HostOp)]) -> Arrivals {
        let mut arrivals = Arrivals::default();
        for &(at_us, op) in requests {
            arrivals.add(&Request { at_ns: at_us * 1000, sector: 0, sectors: 8, stream: 0, hint: 0, op });
        }
        arrivals
    }

    #[test]
    fn classes_end_with_their_bounds() {
        let at_us = [0, 10, 21, 121, 1_121, 2_122, 2_002_122];
        let classes = arrivals(&at_us.map(|at| (at, HostOp::Read))).classes();
        let shape: Vec<_> = classes.iter().map(|class| (class.to_ns, class.share * 6.0)).collect();
        let expected = [1.0, 2.0, 1.0, 1.0, 0.0, 0.0, 1.0];
        for ((to_ns, gaps), (bound, want)) in
            shape.iter().zip(BOUNDS_NS.into_iter().map(Some).chain([None]).zip(expected))
        {
            assert_eq!(*to_ns, bound);
            assert!((gaps - want).abs() < 1e-12, "{bound:?}: {gaps} is not {want}");
        }
        assert_eq!((classes[1].mean_ns, classes[5].mean_ns, classes[6].mean_ns), (55_500.0, 0.0, 2e9));
        assert!(arrivals(&[(5, HostOp::Read)]).classes().is_empty());
    }

    #[test]
    fn bursts_are_weighed_by_their_requests() {
        // Bursts of 5, 1, 1 and 2: half of the nine requests are in bursts of up to 5.
        let at_us = [0, 0, 1_000, 1_000, 2_000, 10_000, 20_000, 30_000, 30_100];
        let taken = arrivals(&at_us.map(|at| (at, HostOp::Write)));
        assert_eq!(taken.burst_requests(), (2.25, 5));
        // Behind the five short gaps come three short ones and a long one; the last has none behind.
        assert_eq!(taken.short_gap_runs(), 0.75);
        // Behind the two tight gaps, between the first two requests and the next two, come longer ones.
        assert_eq!(taken.tight_gap_runs(), 0.0);
        let close = arrivals(&[0, 1, 11, 21, 32, 33].map(|at| (at, HostOp::Write)));
        assert!((close.tight_gap_runs() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(Arrivals::default().burst_requests(), (0.0, 0));
        assert_eq!(arrivals(&[(0, HostOp::Read), (1, HostOp::Read)]).burst_requests(), (2.0, 2));
    }

    #[test]
    fn pauses_follow_pauses_whatever_the_bursts_between() {
        let at_ms = [0, 50, 50, 100, 400, 450, 451, 500, 800, 900];
        let taken = arrivals(&at_ms.map(|at| (1000 * at, HostOp::Read)));
        // Pauses of 50, 50, 300, 50, 49, 300 and 100 ms: behind four short ones two are.
        assert_eq!(taken.short_pause_runs(), 0.5);
    }

    #[test]
    fn runs_of_writes_end_with_a_read() {
        use HostOp::{Read, Write};
        let requests =
            [(0, Write), (50, Write), (60, Read), (70, Read), (140, Write), (160, Read), (400, Write)];
        let taken = arrivals(&requests);
        // Behind three writes that are not last come one write and two reads.
        assert!((taken.write_after_write_share() - 1.0 / 3.0).abs() < 1e-12);
    }
}
