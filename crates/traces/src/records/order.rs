//! Time order: refuse, put right within a window, keep as given, or spread over the second that is told.

use crate::error::LineFault;
use crate::options::Unsorted;
use crate::request_source::TraceEntry;
use std::collections::{BTreeMap, VecDeque};

/// Applies the user's choice about times that run backwards. Times here are
/// those of the file, before rebasing.
pub(crate) struct Order {
    unsorted: Unsorted,
    /// Time of the last record taken (error, keep) or given out (sort).
    previous_ns: Option<u64>,
    /// Latest time seen; only the window needs it.
    newest_ns: u64,
    /// By time and then as they came.
    window: BTreeMap<(u64, u64), TraceEntry>,
    sequence: u64,
    out_of_order: u64,
}

impl Order {
    /// With the user's choice.
    pub(crate) fn new(unsorted: Unsorted) -> Self {
        Self {
            unsorted,
            previous_ns: None,
            newest_ns: 0,
            window: BTreeMap::new(),
            sequence: 0,
            out_of_order: 0,
        }
    }

    /// Takes a request; gives back the one that may go out now, if any.
    #[inline]
    pub(crate) fn push(&mut self, entry: TraceEntry) -> Result<Option<TraceEntry>, LineFault> {
        match self.unsorted {
            Unsorted::Sort(window) => self.push_window(entry, window),
            Unsorted::Error | Unsorted::Keep => {
                let at_ns = entry.request.at_ns;
                match self.previous_ns.replace(at_ns) {
                    Some(previous_ns) if at_ns < previous_ns => self.backwards(entry, previous_ns),
                    _ => Ok(Some(entry)),
                }
            }
        }
    }

    /// Whether a request of that time goes out as it comes and is not before the last one.
    #[inline]
    pub(crate) fn is_next(&self, at_ns: u64) -> bool {
        let follows = self.previous_ns.is_some_and(|previous_ns| previous_ns <= at_ns);
        follows && !matches!(self.unsorted, Unsorted::Sort(_))
    }

    /// Takes a time that [`Self::is_next`] has let through.
    #[inline]
    pub(crate) fn take_next(&mut self, at_ns: u64) {
        self.previous_ns = Some(at_ns);
    }

    #[cold]
    fn backwards(&mut self, entry: TraceEntry, previous_ns: u64) -> Result<Option<TraceEntry>, LineFault> {
        if self.unsorted == Unsorted::Keep {
            self.out_of_order += 1;
            return Ok(Some(entry));
        }
        Err(LineFault::Backwards { at_ns: entry.request.at_ns, previous_ns })
    }

    fn push_window(&mut self, entry: TraceEntry, window: usize) -> Result<Option<TraceEntry>, LineFault> {
        let at_ns = entry.request.at_ns;
        if let Some(previous_ns) = self.previous_ns.filter(|&previous| at_ns < previous) {
            return Err(LineFault::OutsideWindow { at_ns, previous_ns, window });
        }
        if at_ns < self.newest_ns {
            self.out_of_order += 1;
        }
        self.newest_ns = self.newest_ns.max(at_ns);
        self.sequence += 1;
        self.window.insert((at_ns, self.sequence), entry);
        Ok(if self.window.len() > window { self.pop() } else { None })
    }

    /// At the end of the trace: the next request still in the window.
    pub(crate) fn pop(&mut self) -> Option<TraceEntry> {
        let (_, entry) = self.window.pop_first()?;
        self.previous_ns = Some(entry.request.at_ns);
        Some(entry)
    }

    /// Requests that came out of order and were put right or kept.
    pub(crate) fn out_of_order(&self) -> u64 {
        self.out_of_order
    }
}

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
