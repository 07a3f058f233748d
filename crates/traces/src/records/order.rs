//! Time order: refuse, put right within a window, or keep as given.

use crate::entry::TraceEntry;
use crate::error::LineFault;
use crate::options::Unsorted;
use std::collections::BTreeMap;

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
