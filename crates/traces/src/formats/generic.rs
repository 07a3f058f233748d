//! Any delimited text whose columns, units and codes the user declares.
//!
//! Quotes as spreadsheets put them and blanks around fields are no part of them.

use super::layout::{ColumnPart, Row};
use super::rwbs::Flags;
use super::{
    Detection, Format, RawRequest, Record, RecordParser, SKIPPED_EMPTY, SKIPPED_HEADER, SKIPPED_NOTE,
};
use crate::error::{LineFault, TraceError};
use crate::fields::scan::{unsigned_or_hex, ScannedTime};
use crate::fields::sectors::SizeRules;
use crate::options::generic::OpName;
use crate::options::TraceOptions;
use declaration::Declared;
use slcache_base::request::HostOp;

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

const SKIPPED_OTHER: &str = "row without the value of keep_value";

struct Generic {
    declared: Declared,
    sizes: SizeRules,
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
            declared: Declared::new(columns)?,
            sizes: SizeRules::new(options),
            header_pending: columns.header,
            skip_lines: columns.skip_lines,
            comment: columns.comment.clone().map(String::into_bytes),
        })
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
}

impl Declared {
    #[inline(always)]
    fn time(&self, row: &Row<'_, '_>, part: ColumnPart) -> Result<ScannedTime, LineFault> {
        if self.ticks.contains(&part) && row.get(part).contains(&b'.') {
            return Err(row.fault(part, "a whole number of ticks"));
        }
        row.time(part)
    }

    /// What a row asks for, by a code or by RWBS.
    #[inline(always)]
    fn asked(&self, row: &Row<'_, '_>) -> Result<(HostOp, Option<Flags>), LineFault> {
        let field = row.get(ColumnPart::Op);
        let found = self.ops.iter().find(|(code, _)| code.as_bytes() == field);
        let op = match found.map(|(_, op)| *op) {
            Some(OpName::Read) => HostOp::Read,
            Some(OpName::Write) => HostOp::Write,
            Some(OpName::Trim) => HostOp::Trim,
            Some(OpName::Flush) => HostOp::Flush,
            None => match Flags::parse(row.column(ColumnPart::Op).number, field) {
                Ok(flags) if self.rwbs => return Ok((HostOp::Flush, Some(flags))),
                _ => return Err(self.unknown_code(row)),
            },
        };
        Ok((op, None))
    }

    #[cold]
    fn unknown_code(&self, row: &Row<'_, '_>) -> LineFault {
        let codes: Vec<&str> = self.ops.iter().map(|(code, _)| code.as_str()).collect();
        let rwbs = if self.rwbs { ", or RWBS of Linux such as WS" } else { "" };
        row.fault(ColumnPart::Op, &format!("one of the codes declared: {}{rwbs}", codes.join(", ")))
    }
}

impl RecordParser for Generic {
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        if let Some(reason) = self.skipped(line) {
            return Ok(Record::Skipped(reason));
        }
        let declared = &mut self.declared;
        if self.header_pending {
            declared.read_header(line)?;
            self.header_pending = false;
            return Ok(Record::Skipped(SKIPPED_HEADER));
        }
        let mut row = declared.layout.row(line);
        if declared.kept.as_ref().is_some_and(|kept| kept != row.get(ColumnPart::Keep)) {
            return Ok(Record::Skipped(SKIPPED_OTHER));
        }
        if declared.layout.count != Some(row.found) {
            let found = row.found;
            declared.layout.check_count(line, found)?;
            // Only the first line, which says how many columns there are.
            row = declared.layout.row(line);
        }
        let time = declared.time(&row, ColumnPart::Time)?;
        let (op, flags) = declared.asked(&row)?;
        let mut raw = RawRequest::new(time.at_ns, op, row.get(ColumnPart::Volume));
        if declared.layout.has(ColumnPart::Nanoseconds) {
            raw.at_ns = raw.at_ns.saturating_add(row.time(ColumnPart::Nanoseconds)?.at_ns);
        }
        raw.rounded_to_ns = time.rounded;
        if !row.get(ColumnPart::Response).is_empty() {
            raw.response_ns = Some(declared.time(&row, ColumnPart::Response)?.at_ns);
        }
        if !row.get(ColumnPart::Hint).is_empty() {
            let number =
                unsigned_or_hex(row.get(ColumnPart::Hint)).and_then(|number| u8::try_from(number).ok());
            raw.hint = number.ok_or_else(|| row.fault(ColumnPart::Hint, "a number from 0 to 255"))?;
        }
        if raw.op == HostOp::Flush && flags.is_none() {
            return Ok(Record::Request(raw));
        }
        let (address, size) = (row.bytes(ColumnPart::Address)?, row.bytes(ColumnPart::Size)?);
        if let Some(flags) = flags {
            let rwbs = (row.column(ColumnPart::Op).number, row.get(ColumnPart::Op));
            return flags.record_of_bytes(rwbs, self.sizes, (address, size), raw);
        }
        Ok(Record::transfer(raw, self.sizes.extent_of_bytes(address, size)?))
    }
}

mod declaration;
#[cfg(test)]
mod tests;
