//! How requests follow one another: gaps behind gaps, bursts, runs of writes.

use super::ratio;
use rustc_hash::FxHashMap;
use slcache_base::latency::place_of;
use slcache_base::request::{HostOp, Request};

/// Gaps up to this are inside a burst.
pub(crate) const SHORT_NS: u64 = 1_000_000;
/// Longer gaps are pauses between bursts; up to this they are short ones.
pub(crate) const SHORT_PAUSE_NS: u64 = 100_000_000;
/// Gaps up to this are tight.
pub(crate) const TIGHT_NS: u64 = 10_000;

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
    /// Whether the request before was a write.
    behind_write: bool,
    /// The gap before the request before.
    previous_gap_ns: Option<u64>,
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

impl Arrivals {
    /// Takes a read or write, and the gap before it.
    #[inline]
    pub(super) fn add(&mut self, request: &Request, gap_ns: Option<u64>) {
        let is_write = request.op == HostOp::Write;
        if self.behind_write {
            self.write_runs.add(is_write);
        }
        if let Some(gap_ns) = gap_ns {
            let is_behind = |most_ns| self.previous_gap_ns.is_some_and(|previous_ns| previous_ns <= most_ns);
            if is_behind(SHORT_NS) {
                self.short_runs.add(gap_ns <= SHORT_NS);
            }
            if is_behind(TIGHT_NS) {
                self.tight_runs.add(gap_ns <= TIGHT_NS);
            }
            if gap_ns > SHORT_NS {
                self.end_burst(gap_ns);
            }
        }
        self.burst += 1;
        (self.behind_write, self.previous_gap_ns) = (is_write, gap_ns);
    }

    /// Takes the pause behind a burst.
    fn end_burst(&mut self, pause_ns: u64) {
        if self.previous_pause_ns.replace(pause_ns).is_some_and(|before_ns| before_ns <= SHORT_PAUSE_NS) {
            self.pause_runs.add(pause_ns <= SHORT_PAUSE_NS);
        }
        *self.bursts.entry(self.burst).or_insert(0) += 1;
        self.burst = 0;
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
        let lengths: Vec<(u64, u64)> = bursts.into_iter().collect();
        let bursts: u64 = lengths.iter().map(|(_, count)| count).sum();
        let requests: u64 = lengths.iter().map(|(length, count)| length * count).sum();
        (ratio(requests as f64, bursts as f64), median_length(lengths))
    }
}

/// The least length so that bursts up to it have half of the requests; bursts are given by length and
/// how many there are.
pub(crate) fn median_length(mut bursts: Vec<(u64, u64)>) -> u64 {
    bursts.sort_unstable();
    let requests = bursts.iter().map(|(length, count)| length * count);
    let half = requests.clone().sum::<u64>().div_ceil(2);
    place_of(half, requests).map_or(0, |place| bursts[place].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(requests: &[(u64, HostOp)]) -> Arrivals {
        let (mut arrivals, mut previous_us) = (Arrivals::default(), None);
        for &(at_us, op) in requests {
            let request = Request { at_ns: at_us * 1000, sector: 0, sectors: 8, stream: 0, hint: 0, op };
            let gap_ns = previous_us.replace(at_us).map(|previous_us| 1000 * (at_us - previous_us));
            arrivals.add(&request, gap_ns);
        }
        arrivals
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
