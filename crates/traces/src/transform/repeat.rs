//! `repeat`: the trace several times, one copy behind the other.
//!
//! The first request of a copy comes `gap_ns` after the last of the copy before.
//! `addresses = "same"` (default) uses the same addresses again; `"shifted"`
//! puts every copy behind the addresses of the one before, each volume for
//! itself, at a multiple of 4 KiB. The trace is read once per copy.

use super::describe::{refused, step_text};
use super::entries::{Again, Entries};
use super::report::{InputReport, StepReport};
use super::stream_ends::StreamEnds;
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::origin::Origin;
use crate::times;
use serde::{Deserialize, Serialize};
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

pub(super) const KIND: &str = "repeat";
/// Copies are shifted by multiples of 4 KiB.
const UNIT_SECTORS: u64 = 8;

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repeat {
    times: u64,
    #[serde(default)]
    gap_ns: u64,
    #[serde(default)]
    addresses: Addresses,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Addresses {
    #[default]
    Same,
    Shifted,
}

impl Repeat {
    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<(), TraceError> {
        match self.times {
            0 => Err(refused(KIND, "times = 0; expected a whole number from 1")),
            _ => Ok(()),
        }
    }

    /// The stream of all copies of a stream, which `again` opens once more.
    pub(super) fn entries(&self, again: Again, first: Box<dyn Entries>) -> Box<dyn Entries> {
        Box::new(Repeated {
            parameters: self.clone(),
            again,
            copy: first,
            copies_begun: 1,
            offset_ns: 0,
            first_ns: None,
            latest_ns: 0,
            ends: StreamEnds::default(),
        })
    }
}

struct Repeated {
    parameters: Repeat,
    again: Again,
    copy: Box<dyn Entries>,
    copies_begun: u64,
    /// What is added to the times of the current copy.
    offset_ns: u64,
    /// First and latest time of the trace itself.
    first_ns: Option<u64>,
    latest_ns: u64,
    /// Complete when the first copy is.
    ends: StreamEnds,
}

impl Repeated {
    #[cold]
    fn too_late(&self) -> TraceError {
        let Repeat { times, gap_ns, .. } = self.parameters;
        let copy = self.copies_begun;
        refused(
            KIND,
            format!("times = {times}, gap_ns = {gap_ns}: the requests behind copy {copy} would not come before 2^62 ns (146 years)"),
        )
    }

    fn place(&mut self, entry: &mut TraceEntry) -> Result<(), TraceError> {
        let request = &mut entry.request;
        if self.copies_begun == 1 {
            self.first_ns.get_or_insert(request.at_ns);
            self.latest_ns = self.latest_ns.max(request.at_ns);
            self.ends.add(request);
            return Ok(());
        }
        let at_ns = request.at_ns.checked_add(self.offset_ns);
        request.at_ns = times::allowed(at_ns).ok_or_else(|| self.too_late())?;
        if self.parameters.addresses == Addresses::Shifted && request.op != HostOp::Flush {
            request.sector = self.shifted(request).ok_or_else(|| {
                refused(
                    KIND,
                    "the addresses of the copies reach past the last byte a 64-bit address can name",
                )
            })?;
        }
        Ok(())
    }

    fn shifted(&self, request: &Request) -> Option<u64> {
        let ends = self.ends.end_sectors();
        let span = match self.copy.names().is_empty() {
            true => ends.iter().copied().max()?,
            false => *ends.get(usize::from(request.stream))?,
        };
        let shift = span.checked_next_multiple_of(UNIT_SECTORS)?.checked_mul(self.copies_begun - 1)?;
        let sector = request.sector.checked_add(shift)?;
        (sector.checked_add(u64::from(request.sectors))? <= u64::MAX / SECTOR_BYTES).then_some(sector)
    }
}

impl Entries for Repeated {
    fn next(&mut self, out: &mut Vec<TraceEntry>) -> Result<bool, TraceError> {
        loop {
            if self.copy.next(out)? {
                return out.iter_mut().try_for_each(|entry| self.place(entry)).map(|()| true);
            }
            let Some(first_ns) = self.first_ns else {
                return Ok(false);
            };
            if self.copies_begun == self.parameters.times {
                return Ok(false);
            }
            let length_ns = (self.latest_ns - first_ns).checked_add(self.parameters.gap_ns);
            let offset_ns = length_ns.and_then(|length_ns| self.offset_ns.checked_add(length_ns));
            self.offset_ns = times::allowed(offset_ns).ok_or_else(|| self.too_late())?;
            self.copy = (self.again)(&mut |_, _, _| true)?;
            self.copies_begun += 1;
        }
    }

    fn names(&self) -> Vec<String> {
        self.copy.names()
    }

    fn label(&self) -> Option<String> {
        self.copy.label()
    }

    fn origin(&self) -> Origin {
        let mut origin = self.copy.origin();
        origin.steps.push(step_text(KIND, &self.parameters));
        origin
    }

    fn progress(&self) -> (u64, u64) {
        let (done, total) = self.copy.progress();
        let before = total.saturating_mul(self.copies_begun - 1);
        (before.saturating_add(done), total.saturating_mul(self.parameters.times))
    }

    fn report(&self, inputs: &mut Vec<InputReport>, steps: &mut Vec<StepReport>) {
        self.copy.report(inputs, steps);
        steps.push(StepReport::new(&step_text(KIND, &self.parameters), Vec::new()));
    }
}
