//! Requests that a trace tells to the second, spread over it.

use crate::entry::TraceEntry;
use crate::error::LineFault;
use std::collections::VecDeque;

/// Nanoseconds in a second.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;
/// Most requests of one second, which bounds memory at about 400 MiB.
const SECOND_REQUESTS_MAX: usize = 1 << 22;
/// Last second that lies in 64 bits of nanoseconds as a whole.
const LAST_SECOND_NS: u64 = (u64::MAX / SECOND_NS - 1) * SECOND_NS;

/// Holds the requests of one second back until the next one begins, and then
/// gives them out, evenly spaced from its start on in the order they came.
#[derive(Default)]
pub(crate) struct Spread {
    /// Requests of the second that is being read; their times are equal.
    second: Vec<TraceEntry>,
    /// Requests whose second is complete.
    ready: VecDeque<TraceEntry>,
    moved: u64,
}

impl Spread {
    /// Refuses a time that is not a whole second: there is nothing to spread.
    #[inline]
    pub(crate) fn check(at_ns: u64) -> Result<(), LineFault> {
        match at_ns % SECOND_NS == 0 && at_ns <= LAST_SECOND_NS {
            true => Ok(()),
            false => Err(LineFault::NotWholeSecond { at_ns }),
        }
    }

    /// Takes a request; gives back one that may go out now, if any.
    pub(crate) fn push(&mut self, entry: TraceEntry) -> Result<Option<TraceEntry>, LineFault> {
        let at_ns = entry.request.at_ns;
        if self.second.first().is_some_and(|first| first.request.at_ns != at_ns) {
            self.complete_second();
        }
        if self.second.len() == SECOND_REQUESTS_MAX {
            return Err(LineFault::CrowdedSecond { at_ns, limit: SECOND_REQUESTS_MAX });
        }
        self.second.push(entry);
        Ok(self.ready.pop_front())
    }

    /// At the end of the trace: the next request still held back.
    pub(crate) fn pop(&mut self) -> Option<TraceEntry> {
        if self.ready.is_empty() {
            self.complete_second();
        }
        self.ready.pop_front()
    }

    /// Requests whose time was moved.
    pub(crate) fn moved(&self) -> u64 {
        self.moved
    }

    fn complete_second(&mut self) {
        let requests = self.second.len() as u64;
        self.moved += requests.saturating_sub(1);
        for (place, mut entry) in (0u64..).zip(self.second.drain(..)) {
            entry.request.at_ns += place * SECOND_NS / requests;
            self.ready.push_back(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::{HostOp, Request};

    fn entry(at_s: u64, sector: u64) -> TraceEntry {
        let request =
            Request { at_ns: at_s * SECOND_NS, sector, sectors: 8, stream: 0, hint: 0, op: HostOp::Read };
        TraceEntry { request, response_ns: None }
    }

    #[test]
    fn a_second_is_shared_evenly_in_file_order() {
        let mut spread = Spread::default();
        let mut out = Vec::new();
        for (sector, at_s) in [5, 5, 5, 6, 9, 9].into_iter().enumerate() {
            out.extend(spread.push(entry(at_s, sector as u64)).unwrap());
        }
        out.extend(std::iter::from_fn(|| spread.pop()));
        let times: Vec<u64> = out.iter().map(|entry| entry.request.at_ns).collect();
        let expected =
            [5_000_000_000, 5_333_333_333, 5_666_666_666, 6_000_000_000, 9_000_000_000, 9_500_000_000];
        assert_eq!(times, expected);
        assert!(out.iter().map(|entry| entry.request.sector).eq(0..6));
        assert_eq!(spread.moved(), 3);
    }

    #[test]
    fn never_more_held_back_than_the_largest_second() {
        let mut spread = Spread::default();
        for at_s in 0..100 {
            for place in 0..(at_s % 7) {
                spread.push(entry(at_s, place)).unwrap();
                assert!(spread.second.len() + spread.ready.len() <= 12);
            }
        }
    }

    #[test]
    fn only_whole_seconds() {
        assert!(Spread::check(0).is_ok() && Spread::check(LAST_SECOND_NS).is_ok());
        for at_ns in [1, 1_500_000_000, LAST_SECOND_NS + SECOND_NS, u64::MAX] {
            assert_eq!(Spread::check(at_ns), Err(LineFault::NotWholeSecond { at_ns }));
        }
    }
}
