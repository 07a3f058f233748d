//! `window`: the requests of a time, or of a range of the trace.
//!
//! - `from_ns`, `to_ns`: requests with `from_ns <= at_ns < to_ns`; either may be
//!   left out.
//! - `skip`, `take`: the first `skip` requests are left out, then `take` are
//!   kept; flushes and trims count as requests.
//! - `rebase = true`: time 0 is `from_ns`, or for a range the first request kept.
//!
//! The trace is read to its end all the same, so that its faults are found.

use super::describe::refused;
use super::entries::Stage;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use serde::{Deserialize, Serialize};

pub(super) const KIND: &str = "window";

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skip: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    take: Option<u64>,
    #[serde(default)]
    rebase: bool,
}

impl Window {
    /// Makes the stage.
    pub(super) fn stage(&self) -> Result<Box<dyn Stage>, TraceError> {
        let by_time = self.from_ns.is_some() || self.to_ns.is_some();
        let by_number = self.skip.is_some() || self.take.is_some();
        if by_time == by_number {
            return Err(refused(KIND, "give either from_ns and to_ns, or skip and take"));
        }
        let (from, end) = match by_time {
            true => (self.from_ns.unwrap_or(0), self.to_ns.unwrap_or(u64::MAX)),
            false => {
                let skip = self.skip.unwrap_or(0);
                (skip, self.take.map_or(u64::MAX, |take| skip.saturating_add(take)))
            }
        };
        if from >= end {
            return Err(refused(KIND, format!("the window from {from} to {end} (exclusive) holds nothing")));
        }
        let origin_ns = by_time.then_some(from);
        Ok(Box::new(Cutter {
            by_time,
            from,
            end,
            rebase: self.rebase,
            origin_ns,
            number: 0,
            before: 0,
            behind: 0,
        }))
    }
}

struct Cutter {
    by_time: bool,
    from: u64,
    end: u64,
    rebase: bool,
    /// Time 0 when rebased, once it is known.
    origin_ns: Option<u64>,
    number: u64,
    before: u64,
    behind: u64,
}

impl Cutter {
    #[inline]
    fn keeps(&mut self, entry: &TraceEntry) -> bool {
        let place = if self.by_time { entry.request.at_ns } else { self.number };
        self.number += 1;
        self.before += u64::from(place < self.from);
        // Without an upper end every place is kept, 2^64 - 1 among them.
        let is_behind = place >= self.end && self.end != u64::MAX;
        self.behind += u64::from(is_behind);
        place >= self.from && !is_behind
    }
}

impl Stage for Cutter {
    fn apply(&mut self, batch: &mut Vec<TraceEntry>) -> Result<(), TraceError> {
        batch.retain(|entry| self.keeps(entry));
        if !self.rebase {
            return Ok(());
        }
        for entry in batch {
            let at_ns = entry.request.at_ns;
            let origin_ns = *self.origin_ns.get_or_insert(at_ns);
            entry.request.at_ns = at_ns.checked_sub(origin_ns).ok_or_else(|| {
                refused(KIND, format!("a request at {at_ns} ns lies before the first one kept ({origin_ns} ns), which would be time 0; sort the trace or leave out rebase"))
            })?;
        }
        Ok(())
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("before the window", self.before), ("behind the window", self.behind)]
    }
}
