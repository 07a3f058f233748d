//! Workloads described by patterns: streams of places, sizes and operations mixed by weight, and arrivals.

mod arrivals;
mod place;
mod resolve;
mod sizes;
mod stream;

pub(super) use resolve::{resolve, PatternPlan};

use super::random::Random;
use arrivals::ArrivalClock;
use slcache_base::request::Request;
use stream::Stream;

/// Makes the requests of a pattern workload; constant memory.
#[derive(Clone, Debug)]
pub(super) struct PatternGenerator {
    streams: Vec<Stream>,
    shares_up_to: Vec<f64>,
    mix: Random,
    arrivals: ArrivalClock,
    duration_ns: u64,
    left: Option<u64>,
    pending_flush: Option<Request>,
}

impl PatternGenerator {
    pub(in crate::workload) fn new(plan: &PatternPlan, seed: u64) -> Self {
        let streams = plan.streams.iter().enumerate().map(|(part, stream)| Stream::new(stream, seed, part));
        Self {
            streams: streams.collect(),
            shares_up_to: plan.shares_up_to.clone(),
            mix: Random::new(seed, 0, "mix"),
            arrivals: ArrivalClock::new(&plan.arrivals, seed),
            duration_ns: plan.duration_ns.unwrap_or(u64::MAX),
            left: plan.requests,
            pending_flush: None,
        }
    }

    #[inline]
    fn pick(&mut self) -> usize {
        if self.streams.len() == 1 {
            return 0;
        }
        let at = self.mix.unit();
        let found = self.shares_up_to.iter().position(|up_to| at < *up_to);
        found.unwrap_or(self.streams.len() - 1)
    }

    #[inline]
    fn make(&mut self) -> Option<Request> {
        if let Some(flush) = self.pending_flush.take() {
            return Some(flush);
        }
        let at_ns = Some(self.arrivals.next_ns()).filter(|at_ns| *at_ns <= self.duration_ns)?;
        let stream = self.pick();
        let stream = &mut self.streams[stream];
        let request = stream.request(at_ns);
        self.pending_flush = stream.flush_due(&request);
        Some(request)
    }
}

impl Iterator for PatternGenerator {
    type Item = Request;

    #[inline]
    fn next(&mut self) -> Option<Request> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1)?;
        }
        let request = self.make();
        if request.is_none() {
            // Once past the end, always past it.
            self.left = Some(0);
        }
        request
    }
}
