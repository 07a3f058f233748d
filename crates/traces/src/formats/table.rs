//! The parser of formats of which a header in the file names the columns: such a format is a table of
//! the names it may use and of what they hold.

use super::layout::{fields as columns, ColumnPart, Layout, Row, NONE};
use super::rwbs::Flags;
use super::{
    is_ellipsis, uninterrupted, RawRequest, Record, RecordParser, SKIPPED_ELLIPSIS, SKIPPED_EMPTY,
    SKIPPED_EVENT, SKIPPED_HEADER, SKIPPED_NOTE,
};
use crate::error::{LineFault, TraceError};
use crate::fields::scan::unsigned_or_hex;
use crate::fields::sectors::SizeRules;
use crate::options::{BlkparseAction, TraceOptions};
use crate::records::batch::RowParser;
use slcache_base::request::HostOp;
use std::cell::Cell;

/// Why lines without the device's name are left out.
const SKIPPED_NOWHERE: &str = "command of no disk (pass-through, or a flush of which no disk is told)";
/// Added to times from which a latency is taken off, since what completes first began before the
/// recording did: time 0 is the first request anyway.
const BEFORE_START_NS: u64 = 3_600_000_000_000;
const DAY_NS: u64 = 24 * 3_600_000_000_000;

/// What is added to the times of a table of completions.
pub(super) fn shift_ns(options: &TraceOptions) -> u64 {
    if options.rebase == Some(false) {
        0
    } else {
        BEFORE_START_NS
    }
}

/// What a time below a second header is.
const SECOND_RUN: &str =
    "a time behind those above the header: another recording begins here, which needs a file of its own";

/// A format of such a header.
pub(super) struct Table {
    /// What separates columns; `None` for blanks.
    pub separator: Option<u8>,
    /// What columns are called, what they hold, and the bytes or nanoseconds in a unit; of times the header
    /// may say another: `(s)`, `(ms)` or `(us)`. The first one is the time: a line that has its name for
    /// its first field, or the second where the first is a kind, is a header.
    pub columns: &'static [(&'static str, ColumnPart, u64)],
    /// What the first one is called where it is a time of day.
    pub time_of_day: Option<&'static str>,
    /// A column that may hold separators, so that those behind it count from the end.
    pub free: Option<&'static str>,
    /// Where the first column is the kind of an event, the kinds that are requests.
    pub kinds: Option<&'static [(&'static str, HostOp)]>,
    /// The header that a file named as of this format may lack.
    pub assumed_header: Option<&'static str>,
    /// How lines behind the header begin that are neither records nor empty.
    pub notes: &'static [&'static str],
    /// Whether times are those of completions, so that latencies are taken off for those of issues.
    pub completes: bool,
    /// Whether a request of no bytes is a flush.
    pub zero_flushes: bool,
}

/// The columns of one header.
struct HeaderColumns {
    layout: Layout,
    /// What all requests below are, where their kind says it.
    op: Option<HostOp>,
}

/// Makes the parser of a format; without an event, times are taken as they are.
pub(super) fn build(
    table: &'static Table,
    options: &TraceOptions,
    action: BlkparseAction,
) -> Result<Box<dyn RowParser>, TraceError> {
    let queued = table.columns.iter().any(|(_, part, _)| *part == ColumnPart::Queued);
    if action == BlkparseAction::Q && !queued {
        let allowed = "D (issued) or C (completed): the file does not say when requests were queued";
        return Err(TraceError::option("action", "Q", allowed));
    }
    Ok(Box::new(TableParser {
        table,
        action,
        before_start_ns: if table.completes { shift_ns(options) } else { 0 },
        sizes: SizeRules::new(options),
        assumed_header: table.assumed_header.filter(|_| options.format.is_some()),
        headers: Vec::new(),
        others: Vec::new(),
        in_header: false,
        begun: false,
        latest_ns: Cell::new(0),
        header_ns: Cell::new(None),
    }))
}

struct TableParser {
    table: &'static Table,
    action: BlkparseAction,
    before_start_ns: u64,
    sizes: SizeRules,
    assumed_header: Option<&'static str>,
    /// By kind, where there are kinds.
    headers: Vec<(&'static str, HeaderColumns)>,
    /// Kinds of the header that are no requests.
    others: Vec<Vec<u8>>,
    /// Whether the line stands in a block of headers.
    in_header: bool,
    /// Whether there was a record: text may stand between headers, as where two licences were put above.
    begun: bool,
    /// Latest time of a record; where a header stood below it, what the next one may not lie before.
    latest_ns: Cell<u64>,
    header_ns: Cell<Option<u64>>,
}

impl TableParser {
    /// A line that names columns, if it is one.
    fn header(&mut self, fields: &[&[u8]]) -> Result<bool, LineFault> {
        let (time, ..) = self.table.columns[0];
        let place = usize::from(self.table.kinds.is_some());
        let names_time = |field: &[u8]| {
            [Some(time), self.table.time_of_day]
                .into_iter()
                .flatten()
                .any(|name| name_of(field) == name.as_bytes())
        };
        if !fields.get(place).is_some_and(|field| names_time(field)) {
            return Ok(false);
        }
        self.header_ns.set(self.table.completes.then(|| self.latest_ns.get()));
        let kind = fields[0];
        let (name, op) = match self.table.kinds {
            None => ("", None),
            Some(kinds) => match kinds.iter().find(|(name, _)| name.as_bytes() == kind) {
                Some(&(name, op)) => (name, Some(op)),
                None => {
                    self.others.push(kind.to_vec());
                    return Ok(true);
                }
            },
        };
        let number = |name: &str| {
            (1..)
                .zip(fields)
                .find(|(_, field)| name_of(field) == name.as_bytes())
                .map_or(NONE, |(number, _)| number)
        };
        let free = self.table.free.map_or(NONE, number);
        let mut layout = Layout::new(self.table.separator, Some(fields.len()), free);
        for &(name, part, unit) in self.table.columns {
            let number = if part == ColumnPart::Time { place + 1 } else { number(name) };
            let said = fields.get(number.wrapping_sub(1)).and_then(|field| unit_of(field));
            layout.put(part, (name, number), said.unwrap_or(unit));
        }
        let header = HeaderColumns { layout, op };
        self.check(&header, fields)?;
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, header));
        Ok(true)
    }

    /// Whether a header has the columns that requests need.
    fn check(&self, header: &HeaderColumns, fields: &[&[u8]]) -> Result<(), LineFault> {
        let needed = |part: ColumnPart| match part {
            ColumnPart::Time => true,
            ColumnPart::Address | ColumnPart::Size => header.op != Some(HostOp::Flush),
            ColumnPart::Op => header.op.is_none(),
            ColumnPart::Response => self.table.completes && self.action != BlkparseAction::C,
            ColumnPart::Queued => self.action == BlkparseAction::Q,
            _ => false,
        };
        let missing = |(_, part, _): &&(&str, ColumnPart, u64)| !header.layout.has(*part) && needed(*part);
        let missing: Vec<&str> = self.table.columns.iter().filter(missing).map(|(name, ..)| *name).collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(LineFault::Unknown {
                text: fields.join(&b' '),
                expected: format!("a header that names {} too", missing.join(", ")),
            }),
        }
    }

    /// Whether nothing stands where the volume is named, so that the number before it took that place.
    fn lacks_volume(&self, layout: &Layout, row: &Row<'_, '_>) -> bool {
        let columns = &self.table.columns;
        let beside =
            columns.windows(2).any(|pair| [pair[0].1, pair[1].1] == [ColumnPart::Number, ColumnPart::Volume]);
        beside && layout.free != NONE && unsigned_or_hex(row.get(ColumnPart::Volume)).is_some()
    }

    /// The request in a line below the header.
    fn request<'a>(
        &self,
        HeaderColumns { layout, op }: &HeaderColumns,
        line: &'a [u8],
        fields: &[&'a [u8]],
    ) -> Result<Record<'a>, LineFault> {
        let (found, count) = (fields.len(), layout.count.unwrap_or(0));
        let enough = if layout.free == NONE { found == count } else { found + 1 >= count };
        if !enough {
            return Err(LineFault::columns(line, found, format!("{count}, as in the header")));
        }
        let row = layout.row_of(fields);
        // What tells that a name with separators was split right.
        let number = row.get(ColumnPart::Number);
        if layout.has(ColumnPart::Number)
            && unsigned_or_hex(number.strip_prefix(b"-").unwrap_or(number)).is_none()
        {
            return match self.lacks_volume(layout, &row) {
                true => Ok(Record::Skipped(SKIPPED_NOWHERE)),
                false => Err(row.fault(ColumnPart::Number, "a whole number")),
            };
        }
        // A request that never was in the queue has -1 for its time in it.
        let lacks =
            |part| !layout.has(part) || part == ColumnPart::Queued && row.get(part).starts_with(b"-1");
        let span = |part| if lacks(part) { Ok(None) } else { Ok(Some(row.time(part)?.at_ns)) };
        let mut time = row.time(ColumnPart::Time)?;
        if row.get(ColumnPart::Time).contains(&b':') {
            // What lies half a day before the latest one is of the next day.
            let days = (self.latest_ns.get() + DAY_NS / 2).saturating_sub(time.at_ns) / DAY_NS;
            time.at_ns += days * DAY_NS;
        }
        if self.header_ns.take().is_some_and(|header_ns| time.at_ns < header_ns) {
            return Err(row.fault(ColumnPart::Time, SECOND_RUN));
        }
        self.latest_ns.set(self.latest_ns.get().max(time.at_ns));
        let mut raw = RawRequest::new(time.at_ns, HostOp::Flush, row.get(ColumnPart::Volume));
        raw.rounded_to_ns = time.rounded;
        let response_ns = span(ColumnPart::Response)?;
        raw.response_ns = response_ns.filter(|&ns| ns > 0);
        let mut before_ns = 0;
        if self.table.completes && self.action != BlkparseAction::C {
            before_ns = response_ns.unwrap_or(0);
        }
        if self.action == BlkparseAction::Q {
            before_ns = u64::saturating_add(before_ns, span(ColumnPart::Queued)?.unwrap_or(0));
        }
        let at_ns =
            raw.at_ns.checked_add(self.before_start_ns).and_then(|at_ns| at_ns.checked_sub(before_ns));
        raw.at_ns = at_ns.ok_or_else(|| {
            row.fault(ColumnPart::Time, "a time that its latency can be taken off (rebase = true allows one an hour longer, action = C takes the time as it is)")
        })?;
        if *op == Some(HostOp::Flush) {
            return Ok(Record::Request(raw));
        }
        let size = row.bytes(ColumnPart::Size)?;
        if size.0 == 0 && self.table.zero_flushes {
            return Ok(Record::Request(raw));
        }
        let address = row.bytes(ColumnPart::Address)?;
        if let Some(op) = *op {
            let extent = self.sizes.extent_of_bytes(address, size)?;
            return Ok(Record::transfer(RawRequest { op, ..raw }, extent));
        }
        let rwbs = row.column(ColumnPart::Op).number;
        let op = match row.get(ColumnPart::Op) {
            b"r" => b"R",
            b"w" => b"W",
            op => op,
        };
        Flags::parse(rwbs, op)?.record_of_bytes((rwbs, op), self.sizes, (address, size), raw)
    }
}

impl RecordParser for TableParser {
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            return Ok(Record::Skipped(SKIPPED_EMPTY));
        }
        let trimmed = uninterrupted(trimmed);
        if trimmed.is_empty() {
            return Ok(Record::Skipped(SKIPPED_NOTE));
        }
        if is_ellipsis(trimmed) {
            return Ok(Record::Skipped(SKIPPED_ELLIPSIS));
        }
        let mut fields = columns(self.table.separator, trimmed);
        if self.table.kinds.is_some() && (trimmed == b"BeginHeader" || trimmed == b"EndHeader") {
            self.in_header = trimmed == b"BeginHeader";
            return Ok(Record::Skipped(SKIPPED_HEADER));
        }
        if self.header(&fields)? {
            return Ok(Record::Skipped(SKIPPED_HEADER));
        }
        if self.in_header {
            self.others.push(fields[0].to_vec());
            return Ok(Record::Skipped(SKIPPED_HEADER));
        }
        let noted = self.table.notes.iter().any(|note| trimmed.starts_with(note.as_bytes()));
        let numbered = matches!(trimmed[0], b'0'..=b'9' | b'-');
        if let Some(header) = self.assumed_header.filter(|_| numbered && self.headers.is_empty()) {
            self.header(&columns(self.table.separator, header.as_bytes()))?;
        }
        let text = !self.begun && self.table.separator.is_some() && self.table.kinds.is_none() && !numbered;
        if noted || text || self.headers.is_empty() && self.others.is_empty() {
            return Ok(Record::Skipped(SKIPPED_NOTE));
        }
        self.begun = true;
        let of_kind = |name: &str| self.table.kinds.is_none() || name.as_bytes() == fields[0];
        match self.headers.iter().find(|(name, _)| of_kind(name)) {
            Some((_, header)) => {
                header.layout.part_mark(&mut fields);
                self.request(header, line, &fields)
            }
            None if self.others.iter().any(|kind| kind == fields[0]) => Ok(Record::Skipped(SKIPPED_EVENT)),
            None => Err(LineFault::Unknown {
                text: line.to_vec(),
                expected: "an event of a kind that the header names".to_owned(),
            }),
        }
    }
}

/// A column's name in a header without its unit, `TIME(s)`, or its value, `replay_delay=0`.
fn name_of(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|byte| matches!(byte, b'(' | b'='));
    &field[..end.unwrap_or(field.len())]
}

/// The unit of time that a column's name in a header says.
fn unit_of(field: &[u8]) -> Option<u64> {
    let units: [(&[u8], u64); 4] =
        [(b"(s)", 1_000_000_000), (b"(ms)", 1_000_000), (b"(us)", 1000), (b"(ns)", 1)];
    units.into_iter().find(|(unit, _)| field.ends_with(unit)).map(|(_, unit_ns)| unit_ns)
}
