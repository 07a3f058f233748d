//! What a format makes of a record, and how it is asked to.

use crate::error::LineFault;
use crate::fields::sectors::Extent;
use crate::options::EventRole;
use slcache_base::request::HostOp;

/// Turns the records of one format into requests.
pub(crate) trait RecordParser: Send {
    /// Parses one record: a line without its line end, or for a binary format
    /// the bytes that [`RecordParser::frame`] has set off.
    fn record<'a>(&mut self, record: &'a [u8]) -> Result<Record<'a>, LineFault>;

    /// What the first line of `pending` holds, of which the end is not known yet, and what is behind
    /// that line; it stays to be taken. `None` for a line that needs a closer look, which
    /// [`RecordParser::record`] then takes, as it takes every line that is on its own.
    #[inline]
    fn quick<'a>(&self, _pending: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        None
    }

    /// For a binary format, how many bytes the record at the front of `pending`
    /// takes: more than `pending` holds when it is not all there yet, so that
    /// the reader fetches that many and asks again. At most
    /// [`RECORD_BYTES_MAX`] and never 0. A fault here ends the trace, since
    /// nothing behind it can be found. Formats of lines do not define it.
    fn frame(&mut self, pending: &[u8]) -> Result<usize, LineFault> {
        Ok(pending.len().max(1))
    }

    /// For a binary format, puts a record that [`RecordParser::frame`] has set
    /// off into the byte order that [`RecordParser::record`] expects. May be
    /// called twice on one record.
    fn normalise(&mut self, _record: &mut [u8]) {}
}

/// Most bytes a binary record may take.
pub(crate) const RECORD_BYTES_MAX: usize = 1 << 17;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    Request(RawRequest<'a>),
    /// When the driver got what completes later, where completions are the requests.
    Issue(RawRequest<'a>),
    /// The driver gave a request back, and will get it again.
    Requeue(RawRequest<'a>),
    /// Something left out on purpose, and why.
    Skipped(&'static str),
}

impl<'a> Record<'a> {
    /// A request at the sectors that were found; without any its size was 0, which the user leaves out.
    #[inline(always)]
    pub(crate) fn transfer(mut raw: RawRequest<'a>, extent: Option<Extent>) -> Self {
        let Some(extent) = extent else { return Self::Skipped(SKIPPED_ZERO_SIZE) };
        (raw.sector, raw.sectors) = (extent.sector, extent.sectors);
        raw.rounded_to_sectors |= extent.rounded;
        Self::Request(raw)
    }

    /// What the event of a recording says that has this in it.
    #[inline(always)]
    pub(crate) fn of_event(self, role: EventRole) -> Self {
        match (self, role) {
            (Self::Request(raw), EventRole::Issue) => Self::Issue(raw),
            (Self::Request(raw), EventRole::Requeue) => Self::Requeue(raw),
            (record, _) => record,
        }
    }
}

/// Why zero-size requests are left out when the user asks for it.
pub(crate) const SKIPPED_ZERO_SIZE: &str = "size 0";

/// Why a line above the first record is left out, or one that says itself that it is no record.
pub(crate) const SKIPPED_NOTE: &str = "note";

/// Why an empty line is left out by formats that people put together by hand or by a tool.
pub(crate) const SKIPPED_EMPTY: &str = "empty line";

/// Why a line that names the columns is no request.
pub(crate) const SKIPPED_HEADER: &str = "header line";

/// Why events that are no requests are left out.
pub(crate) const SKIPPED_EVENT: &str = "event of another kind";

/// Why what is left of a last line or record without its end is left out, where it is none.
pub(crate) const SKIPPED_CUT: &str = "last line or record, cut short";

/// Why events of a recording are left out that are not the chosen one.
pub(crate) const SKIPPED_QUEUE: &str = "event Q (queued)";
pub(crate) const SKIPPED_ISSUE: &str = "event D (issued)";
pub(crate) const SKIPPED_COMPLETION: &str = "event C (completed)";
pub(crate) const SKIPPED_REQUEUE: &str = "event R (requeued)";

/// A request as its file gives it, in common units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawRequest<'a> {
    /// Time in nanoseconds from whatever the format counts from.
    pub at_ns: u64,
    /// First sector (512 B).
    pub sector: u64,
    /// Length in sectors; 0 only for a flush.
    pub sectors: u32,
    pub op: HostOp,
    /// The bytes that name the volume; empty where there are no volumes.
    pub volume: &'a [u8],
    /// Whether a flush has to come first (a write with preflush).
    pub flush_before: bool,
    /// Whether it asked to be durable on completion.
    pub forced_unit_access: bool,
    /// Whether it was widened to whole sectors.
    pub rounded_to_sectors: bool,
    /// Whether its time was rounded to whole nanoseconds.
    pub rounded_to_ns: bool,
    /// Published response time in nanoseconds, where the format has one.
    pub response_ns: Option<u64>,
    /// What the host says about the data; 0 for nothing.
    pub hint: u8,
}

impl<'a> RawRequest<'a> {
    /// A request of no sectors yet, without any of the notes.
    #[inline]
    pub(crate) fn new(at_ns: u64, op: HostOp, volume: &'a [u8]) -> Self {
        Self {
            at_ns,
            sector: 0,
            sectors: 0,
            op,
            volume,
            flush_before: false,
            forced_unit_access: false,
            rounded_to_sectors: false,
            rounded_to_ns: false,
            response_ns: None,
            hint: 0,
        }
    }
}
