//! Any delimited text whose columns, units and codes the user declares.
//!
//! Quoting as in spreadsheets is not undone; blanks around fields are.

use super::{Detection, Format, RawRequest, Record, RecordParser, SKIPPED_EMPTY, SKIPPED_NOTE};
use crate::error::{LineFault, TraceError};
use crate::fields::scan::{decimal_time, unsigned_or_hex, Words};
use crate::fields::sectors::{Column, SizeRules};
use crate::options::generic::{OpName, TimeUnit};
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

mod layout;

use layout::{Layout, Part};

pub(super) const FORMAT: Format = Format {
    name: "generic",
    about: "delimited text with declared columns, units and codes",
    example: "kworker/u17:3-7403,8388608,R,3103800,32,5218127.730127",
    extensions: &["csv", "tsv", "txt"],
    rebases: false,
    takes_columns: true,
    // Which columns mean what cannot be seen; the user says so.
    detection: Detection::Never,
    ..Format::of(|options| Ok(Box::new(Generic::new(options)?)))
};

const SKIPPED_HEADER: &str = "header line";
const SKIPPED_OTHER: &str = "row without the value of keep_value";

struct Generic {
    layout: Layout,
    sizes: SizeRules,
    /// Columns of the first line; every later line must have as many.
    columns: Option<usize>,
    header_pending: bool,
    /// Lines at the beginning that are still to be left out.
    skip_lines: u64,
    comment: Option<Vec<u8>>,
}

impl Generic {
    fn new(options: &TraceOptions) -> Result<Self, TraceError> {
        let columns = options.generic.as_ref().ok_or_else(|| {
            let allowed = "the columns and units of the trace (time, time_unit, address, address_unit, size, size_unit, op)";
            TraceError::option("generic", "none given", allowed)
        })?;
        Ok(Self {
            layout: Layout::new(columns)?,
            sizes: SizeRules::new(options),
            columns: None,
            header_pending: columns.header,
            skip_lines: columns.skip_lines,
            comment: columns.comment.clone().map(String::into_bytes),
        })
    }

    /// The declared fields of a line, and how many it has in all.
    fn fields<'a>(&self, line: &'a [u8]) -> ([&'a [u8]; Part::COUNT], usize) {
        let mut fields: [&[u8]; Part::COUNT] = [&[]; Part::COUNT];
        let mut found = 0;
        let mut put = |field: &'a [u8]| {
            found += 1;
            for place in self.layout.parts_of(found) {
                fields[place] = field.trim_ascii();
            }
        };
        match self.layout.delimiter {
            Some(delimiter) => line.split(|&byte| byte == delimiter).for_each(&mut put),
            None => Words::new(line).for_each(&mut put),
        }
        (fields, found)
    }

    /// Why a line is left out before its fields are looked at.
    fn skipped(&mut self, line: &[u8]) -> Option<&'static str> {
        let begins = |comment: &Vec<u8>| line.trim_ascii_start().starts_with(comment);
        if self.skip_lines > 0 {
            self.skip_lines -= 1;
            Some(SKIPPED_NOTE)
        } else if line.trim_ascii().is_empty() {
            Some(SKIPPED_EMPTY)
        } else {
            self.comment.as_ref().is_some_and(begins).then_some(SKIPPED_NOTE)
        }
    }

    fn check_count(&mut self, line: &[u8], found: usize) -> Result<(), LineFault> {
        let expected = match self.columns {
            Some(columns) if columns == found => return Ok(()),
            Some(columns) => format!("{columns}, as in the first line"),
            None if found >= self.layout.widest() => {
                self.columns = Some(found);
                return Ok(());
            }
            None => format!("at least {}, the highest column declared", self.layout.widest()),
        };
        Err(LineFault::Columns { found, expected, text: line.to_vec() })
    }

    /// Whole units as bytes, checked for overflow.
    fn bytes(&self, part: Part, field: &[u8], unit_bytes: u64, allowed: &str) -> Result<u64, LineFault> {
        let bytes = unsigned_or_hex(field).and_then(|units| units.checked_mul(unit_bytes));
        bytes.ok_or_else(|| self.layout.fault(part, field, allowed))
    }

    /// A time, or a response time, in nanoseconds, and whether it was rounded.
    fn time(&self, part: Part, unit: TimeUnit, field: &[u8]) -> Result<(u64, bool), LineFault> {
        // A tick count with a fraction is not a file time.
        let scanned = match unit {
            TimeUnit::Filetime if field.contains(&b'.') => None,
            _ => decimal_time(field, unit.unit_ns()),
        };
        let scanned = scanned.ok_or_else(|| {
            let allowed = "a time from 0 that fits 64 bits in nanoseconds, in digits with at most one point";
            self.layout.fault(part, field, allowed)
        })?;
        Ok((scanned.at_ns, scanned.rounded))
    }

    fn op(&self, field: &[u8]) -> Result<OpName, LineFault> {
        let found = self.layout.ops.iter().find(|(code, _)| code.as_bytes() == field);
        found.map(|(_, op)| *op).ok_or_else(|| {
            let codes: Vec<&str> = self.layout.ops.iter().map(|(code, _)| code.as_str()).collect();
            self.layout.fault(Part::Op, field, &format!("one of the codes declared: {}", codes.join(", ")))
        })
    }
}

impl RecordParser for Generic {
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        if let Some(reason) = self.skipped(line) {
            return Ok(Record::Skipped(reason));
        }
        if self.header_pending {
            self.columns = Some(self.layout.read_header(line)?);
            self.header_pending = false;
            return Ok(Record::Skipped(SKIPPED_HEADER));
        }
        let ([time, address, size, op, stream, response, hint, keep], found) = self.fields(line);
        if self.layout.kept.as_ref().is_some_and(|kept| kept != keep) {
            return Ok(Record::Skipped(SKIPPED_OTHER));
        }
        self.check_count(line, found)?;
        let (at_ns, rounded_to_ns) = self.time(Part::Time, self.layout.time_unit, time)?;
        let op = match self.op(op)? {
            OpName::Read => HostOp::Read,
            OpName::Write => HostOp::Write,
            OpName::Trim => HostOp::Trim,
            OpName::Flush => HostOp::Flush,
        };
        let mut raw = RawRequest::new(at_ns, op, stream);
        raw.rounded_to_ns = rounded_to_ns;
        if !response.is_empty() {
            let (response_ns, _) = self.time(Part::Response, self.layout.response_unit, response)?;
            raw.response_ns = Some(response_ns);
        }
        if !hint.is_empty() {
            let number = unsigned_or_hex(hint).and_then(|number| u8::try_from(number).ok());
            raw.hint = number.ok_or_else(|| self.layout.fault(Part::Hint, hint, "a number from 0 to 255"))?;
        }
        if op == HostOp::Flush {
            return Ok(Record::Request(raw));
        }
        let allowed = "a whole number from 0 whose bytes fit 64 bits";
        let address = self.bytes(Part::Address, address, self.layout.address_bytes, allowed)?;
        let allowed = "a positive whole number whose bytes fit 64 bits";
        let size = self.bytes(Part::Size, size, self.layout.size_bytes, allowed)?;
        let (address_column, size_column) =
            (self.layout.column(Part::Address), self.layout.column(Part::Size));
        let extent = self.sizes.extent_of_bytes((address, address_column), (size, size_column))?;
        Ok(Record::transfer(raw, extent))
    }
}

impl Layout {
    fn column(&self, part: Part) -> Column<'_> {
        Column { number: self.numbers[part as usize], name: part.name() }
    }

    #[cold]
    fn fault(&self, part: Part, field: &[u8], allowed: &str) -> LineFault {
        LineFault::field(self.numbers[part as usize], part.name(), field, allowed)
    }
}

#[cfg(test)]
mod tests;
