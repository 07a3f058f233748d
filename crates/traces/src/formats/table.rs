//! The parser of formats of which a header in the file names the columns: such a format is a table of
//! the names it may use and of what they hold.

use super::rwbs::Flags;
use super::{RawRequest, Record, RecordParser, SKIPPED_EMPTY, SKIPPED_NOTE};
use crate::error::{LineFault, TraceError};
use crate::fields::scan::{decimal_time, unsigned_or_hex, ScannedTime, Words};
use crate::fields::sectors::{Column, SizeRules};
use crate::options::{BlkparseAction, TraceOptions};
use crate::records::batch::RowParser;
use slcache_base::request::HostOp;

/// Why lines that name columns are left out.
const SKIPPED_HEADER: &str = "header line";
/// Why events that are no requests are left out.
const SKIPPED_EVENT: &str = "event of another kind";
/// Why lines without the device's name are left out.
const SKIPPED_NOWHERE: &str = "command of no disk (pass-through, or a flush of which no disk is told)";
/// Added to times from which a latency is taken off, since what completes first began before the
/// recording did: time 0 is the first request anyway.
const BEFORE_START_NS: u64 = 3_600_000_000_000;

/// A format of such a header.
pub(super) struct Table {
    /// What separates columns; `None` for blanks.
    pub separator: Option<u8>,
    /// What columns are called, and what they hold. The first one is the time: a line that has its name
    /// for its first or second field is a header.
    pub columns: &'static [(&'static str, Part)],
    /// A column that may hold separators, so that those behind it count from the end.
    pub free: Option<&'static str>,
    /// Where the first column is the kind of an event, the kinds that are requests.
    pub kinds: Option<&'static [(&'static str, HostOp)]>,
    /// How lines behind the header begin that are neither records nor empty.
    pub notes: &'static [&'static str],
    /// Whether times are those of completions, so that latencies are taken off for those of issues.
    pub completes: bool,
    /// Whether a request of no bytes is a flush.
    pub zero_flushes: bool,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// When, in units of so many nanoseconds unless the header says `(s)`, `(ms)` or `(us)`.
    Time(u64),
    /// How long from issue to completion, in such units; 0 or none where it was not measured.
    Latency(u64),
    /// How long from queue to issue.
    Queued(u64),
    /// First address, in units of so many bytes.
    Address(u64),
    /// Length, in such units.
    Size(u64),
    /// What is asked, as RWBS.
    Op,
    Volume,
    /// Only to tell that the line was taken apart rightly: digits, or -1.
    Number,
}

/// Where the columns of one header stand.
struct Layout {
    count: usize,
    /// Place of the column that may hold separators.
    free: Option<usize>,
    /// Of each column of the table its place, and the unit of its times.
    places: Vec<Option<(usize, u64)>>,
    /// What all requests below are, where their kind says it.
    op: Option<HostOp>,
}

/// Makes the parser of a format; without an event, times are taken as they are.
pub(super) fn build(
    table: &'static Table,
    options: &TraceOptions,
    action: BlkparseAction,
) -> Result<Box<dyn RowParser>, TraceError> {
    let queued = table.columns.iter().any(|(_, part)| matches!(part, Part::Queued(_)));
    if action == BlkparseAction::Q && !queued {
        let allowed = "D (issued) or C (completed): the file does not say when requests were queued";
        return Err(TraceError::option("action", "Q", allowed));
    }
    let before_start_ns = if options.rebase == Some(false) { 0 } else { BEFORE_START_NS };
    Ok(Box::new(TableParser {
        table,
        action,
        before_start_ns: if table.completes { before_start_ns } else { 0 },
        sizes: SizeRules::new(options),
        layouts: Vec::new(),
        others: Vec::new(),
        in_header: false,
        begun: false,
    }))
}

struct TableParser {
    table: &'static Table,
    action: BlkparseAction,
    before_start_ns: u64,
    sizes: SizeRules,
    /// By kind, where there are kinds.
    layouts: Vec<(&'static str, Layout)>,
    /// Kinds of the header that are no requests.
    others: Vec<Vec<u8>>,
    /// Whether the line stands in a block of headers.
    in_header: bool,
    /// Whether there was a record: text may stand between headers, as where two licences were put above.
    begun: bool,
}

impl TableParser {
    /// A line that names columns, if it is one.
    fn header(&mut self, fields: &[&[u8]]) -> Result<bool, LineFault> {
        let (time, _) = self.table.columns[0];
        if !fields.iter().take(2).any(|field| name_of(field) == time.as_bytes()) {
            return Ok(false);
        }
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
        let place = |name: &str| fields.iter().position(|field| name_of(field) == name.as_bytes());
        let places = self.table.columns.iter().map(|&(name, part)| {
            let place = place(name)?;
            let unit_ns = match part {
                Part::Time(unit_ns) | Part::Latency(unit_ns) | Part::Queued(unit_ns) => unit_ns,
                _ => 0,
            };
            Some((place, unit_of(fields[place]).unwrap_or(unit_ns)))
        });
        let layout = Layout {
            count: fields.len(),
            free: self.table.free.and_then(place),
            places: places.collect(),
            op,
        };
        self.check(&layout, fields)?;
        self.layouts.retain(|(other, _)| *other != name);
        self.layouts.push((name, layout));
        Ok(true)
    }

    /// Whether a header has the columns that requests need.
    fn check(&self, layout: &Layout, fields: &[&[u8]]) -> Result<(), LineFault> {
        let needed = |part: Part| match part {
            Part::Time(_) => true,
            Part::Address(_) | Part::Size(_) => layout.op != Some(HostOp::Flush),
            Part::Op => layout.op.is_none(),
            Part::Latency(_) => self.table.completes && self.action != BlkparseAction::C,
            Part::Queued(_) => self.action == BlkparseAction::Q,
            Part::Volume | Part::Number => false,
        };
        let columns = self.table.columns.iter().zip(&layout.places);
        let missing: Vec<&str> = columns
            .filter(|((_, part), place)| place.is_none() && needed(*part))
            .map(|((name, _), _)| *name)
            .collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(LineFault::Unknown {
                text: fields.join(&b' '),
                expected: format!("a header that names {} too", missing.join(", ")),
            }),
        }
    }

    /// The request in a line below the header.
    fn request<'a>(
        &self,
        layout: &Layout,
        line: &'a [u8],
        fields: &[&'a [u8]],
    ) -> Result<Record<'a>, LineFault> {
        let enough = match layout.free {
            None => fields.len() == layout.count,
            Some(_) => fields.len() + 1 >= layout.count,
        };
        if !enough {
            return Err(LineFault::columns(
                line,
                fields.len(),
                format!("{}, as in the header", layout.count),
            ));
        }
        let row = Row { table: self.table, layout, fields };
        if let Err(fault) = row.check_numbers() {
            return if row.lacks_volume() { Ok(Record::Skipped(SKIPPED_NOWHERE)) } else { Err(fault) };
        }
        let volume = row.field(|part| part == Part::Volume).map_or(&[][..], |field| field.text);
        let time = self.time(&row)?;
        let mut raw = RawRequest::new(time.at_ns, HostOp::Flush, volume);
        raw.rounded_to_ns = time.rounded;
        raw.response_ns = row.span(|part| matches!(part, Part::Latency(_)))?.filter(|&ns| ns > 0);
        if layout.op == Some(HostOp::Flush) {
            return Ok(Record::Request(raw));
        }
        let size = row.bytes(|part| matches!(part, Part::Size(_)))?;
        if size.0 == 0 && self.table.zero_flushes {
            return Ok(Record::Request(raw));
        }
        let address = row.bytes(|part| matches!(part, Part::Address(_)))?;
        let extent = self.sizes.extent_of_bytes(address, size)?;
        let (Some(found), None) = (extent, layout.op) else {
            return Ok(Record::transfer(RawRequest { op: layout.op.unwrap_or(raw.op), ..raw }, extent));
        };
        raw.rounded_to_sectors = found.rounded;
        let field = row.field(|part| part == Part::Op).expect("the header was checked");
        let flags = Flags::parse(field.column.number, field.text)?;
        let place = (found.sector, (found.sectors.into(), size.1));
        flags.record(field.column.number, self.sizes, place, raw)
    }

    /// When the chosen event was.
    fn time(&self, row: &Row<'_, '_>) -> Result<ScannedTime, LineFault> {
        let field = row.field(|part| matches!(part, Part::Time(_))).expect("the header was checked");
        let mut time = decimal_time(field.text, field.unit_ns).ok_or_else(|| {
            field.fault("a time from 0 that fits 64 bits in nanoseconds, in digits with at most one point")
        })?;
        let mut before_ns = 0u64;
        if self.action != BlkparseAction::C {
            before_ns =
                row.span(|part| self.table.completes && matches!(part, Part::Latency(_)))?.unwrap_or(0);
        }
        if self.action == BlkparseAction::Q {
            let queued_ns = row.span(|part| matches!(part, Part::Queued(_)))?.unwrap_or(0);
            before_ns = before_ns.saturating_add(queued_ns);
        }
        let at_ns =
            time.at_ns.checked_add(self.before_start_ns).and_then(|at_ns| at_ns.checked_sub(before_ns));
        time.at_ns = at_ns.ok_or_else(|| {
            field.fault("a time behind the latency, which is taken off (with rebase = false), or at most an hour before it")
        })?;
        Ok(time)
    }
}

impl RecordParser for TableParser {
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            return Ok(Record::Skipped(SKIPPED_EMPTY));
        }
        // Where somebody stopped the tool.
        let trimmed = trimmed.strip_prefix(b"^C").unwrap_or(trimmed);
        if trimmed.is_empty() {
            return Ok(Record::Skipped(SKIPPED_NOTE));
        }
        let fields: Vec<&[u8]> = match self.table.separator {
            Some(separator) => trimmed.split(|&byte| byte == separator).map(<[u8]>::trim_ascii).collect(),
            None => Words::new(trimmed).collect(),
        };
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
        let text = !self.begun && self.table.separator.is_some() && self.table.kinds.is_none() && !numbered;
        if noted || text || self.layouts.is_empty() && self.others.is_empty() {
            return Ok(Record::Skipped(SKIPPED_NOTE));
        }
        self.begun = true;
        let of_kind = |name: &str| self.table.kinds.is_none() || name.as_bytes() == fields[0];
        match self.layouts.iter().find(|(name, _)| of_kind(name)) {
            Some((_, layout)) => self.request(layout, line, &fields),
            None if self.others.iter().any(|kind| kind == fields[0]) => Ok(Record::Skipped(SKIPPED_EVENT)),
            None => Err(LineFault::Unknown {
                text: line.to_vec(),
                expected: "an event of a kind that the header names".to_owned(),
            }),
        }
    }
}

/// A line taken apart.
struct Row<'l, 'a> {
    table: &'static Table,
    layout: &'l Layout,
    fields: &'l [&'a [u8]],
}

/// A field of a line, with what its column is.
struct Field<'a> {
    column: Column<'static>,
    text: &'a [u8],
    part: Part,
    unit_ns: u64,
}

impl Field<'_> {
    #[cold]
    fn fault(&self, allowed: &str) -> LineFault {
        LineFault::field(self.column.number, self.column.name, self.text, allowed)
    }
}

impl<'a> Row<'_, 'a> {
    /// The field of the first such column that the header names.
    fn field(&self, wanted: impl Fn(Part) -> bool) -> Option<Field<'a>> {
        let mut columns = self.table.columns.iter().zip(&self.layout.places);
        let (&(name, part), place) = columns.find(|((_, part), place)| wanted(*part) && place.is_some())?;
        let (mut place, unit_ns) = (*place)?;
        if self.layout.free.is_some_and(|free| place > free) {
            place = place + self.fields.len() - self.layout.count;
        }
        let text = self.fields[place];
        Some(Field { column: Column { number: place + 1, name }, text, part, unit_ns })
    }

    /// An address or a size in bytes; the header has it.
    fn bytes(&self, wanted: impl Fn(Part) -> bool) -> Result<(u64, Column<'static>), LineFault> {
        let field = self.field(wanted).expect("the header was checked");
        let (Part::Address(unit_bytes) | Part::Size(unit_bytes)) = field.part else {
            unreachable!("only such columns are asked for");
        };
        let bytes = unsigned_or_hex(field.text).and_then(|units| units.checked_mul(unit_bytes));
        let bytes = bytes
            .ok_or_else(|| field.fault("a whole number from 0 whose bytes fit 64 bits, decimal or 0x"))?;
        Ok((bytes, field.column))
    }

    /// A length of time in nanoseconds, where the header has such a column.
    fn span(&self, wanted: impl Fn(Part) -> bool) -> Result<Option<u64>, LineFault> {
        let Some(field) = self.field(wanted) else { return Ok(None) };
        let scanned = decimal_time(field.text, field.unit_ns);
        let scanned = scanned
            .ok_or_else(|| field.fault("a length of time from 0, in digits with at most one point"))?;
        Ok(Some(scanned.at_ns))
    }

    /// Whether nothing stands where the volume is named, so that the number before it took that place.
    fn lacks_volume(&self) -> bool {
        let name = self.field(|part| part == Part::Volume);
        let columns = &self.table.columns;
        let beside = columns.windows(2).any(|pair| [pair[0].1, pair[1].1] == [Part::Number, Part::Volume]);
        beside && self.layout.free.is_some() && name.is_some_and(|name| unsigned_or_hex(name.text).is_some())
    }

    /// Columns that hold a number and nothing else: what tells that a name with separators was split right.
    fn check_numbers(&self) -> Result<(), LineFault> {
        match self.field(|part| part == Part::Number) {
            Some(field) if unsigned_or_hex(field.text.strip_prefix(b"-").unwrap_or(field.text)).is_none() => {
                Err(field.fault("a whole number"))
            }
            _ => Ok(()),
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
