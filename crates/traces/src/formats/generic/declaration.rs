//! The columns that the user declares, as far as they are known before the header is read.

use crate::error::quote::quoted;
use crate::error::{LineFault, TraceError};
use crate::formats::layout::{ColumnPart, Layout, NONE};
use crate::options::generic::{default_ops, ColumnReference, GenericColumns, OpName, TimeUnit, UnitBytes};

/// Highest column that may be declared, which bounds memory.
const COLUMNS_MAX: usize = 1 << 16;

/// Where the parts of a record stand, and what its codes mean.
pub(super) struct Declared {
    pub layout: Layout,
    /// Columns that are known by name until the header is read.
    named: Vec<Named>,
    /// Codes of the operation column.
    pub ops: Vec<(String, OpName)>,
    /// Whether other codes are RWBS of Linux: only where the user says nothing else.
    pub rwbs: bool,
    /// What a row has in the column that tells requests, where there is one.
    pub kept: Option<Vec<u8>>,
    /// Parts that are ticks, which have no fraction.
    pub ticks: Vec<ColumnPart>,
}

struct Named {
    part: ColumnPart,
    /// What it is called in the declaration and in messages.
    key: &'static str,
    unit: u64,
    column: String,
}

impl Declared {
    /// Checks the declaration.
    pub(super) fn new(columns: &GenericColumns) -> Result<Self, TraceError> {
        let refused = [
            (columns.ops.is_empty(), "generic.ops", "at least one code"),
            (
                columns.response.is_none() && columns.response_unit.is_some(),
                "generic.response_unit",
                "only with a column declared as response",
            ),
            (
                columns.keep_column.is_some() != columns.keep_value.is_some(),
                "generic.keep_column",
                "a column and a value (keep_value), or neither",
            ),
            (
                columns.comment.as_deref() == Some(""),
                "generic.comment",
                "what a comment begins with, of at least one character",
            ),
        ];
        let separator = separator(&columns.delimiter)?;
        let address_bytes = unit_bytes("generic.address_unit", columns.address_unit)?;
        let size_bytes = unit_bytes("generic.size_unit", columns.size_unit)?;
        if let Some((_, key, allowed)) = refused.into_iter().find(|(is_refused, ..)| *is_refused) {
            return Err(TraceError::option(key, "", allowed));
        }
        let (time_unit, response_unit) =
            (columns.time_unit, columns.response_unit.unwrap_or(columns.time_unit));
        let times = [(ColumnPart::Time, time_unit), (ColumnPart::Response, response_unit)];
        let mut declared = Self {
            layout: Layout::new(separator, None, NONE),
            named: Vec::new(),
            kept: columns.keep_value.clone().map(String::into_bytes),
            ops: columns.ops.iter().map(|(code, op)| (code.clone(), *op)).collect(),
            rwbs: columns.ops == default_ops(),
            ticks: times
                .into_iter()
                .filter(|(_, unit)| *unit == TimeUnit::Filetime)
                .map(|(part, _)| part)
                .collect(),
        };
        declared.layout.quoted = true;
        let parts = [
            (ColumnPart::Time, "time", Some(&columns.time), time_unit.unit_ns()),
            (ColumnPart::Nanoseconds, "nanoseconds", columns.nanoseconds.as_ref(), 1),
            (ColumnPart::Address, "address", Some(&columns.address), address_bytes),
            (ColumnPart::Size, "size", Some(&columns.size), size_bytes),
            (ColumnPart::Op, "op", Some(&columns.op), 0),
            (ColumnPart::Volume, "stream", columns.stream.as_ref(), 0),
            (ColumnPart::Response, "response", columns.response.as_ref(), response_unit.unit_ns()),
            (ColumnPart::Hint, "hint", columns.hint.as_ref(), 0),
            (ColumnPart::Keep, "keep_column", columns.keep_column.as_ref(), 0),
        ];
        for (part, key, reference, unit) in parts {
            let refused = |value: &dyn std::fmt::Display, allowed: &str| {
                Err(TraceError::option("generic column", value, allowed))
            };
            match reference {
                None => {}
                Some(ColumnReference::Number(number)) if !(1..=COLUMNS_MAX).contains(number) => {
                    return refused(number, &format!("a column number from 1 to {COLUMNS_MAX}"));
                }
                Some(ColumnReference::Number(number)) if declared.layout.is_taken(part, *number) => {
                    return refused(number, "a column declared only once");
                }
                Some(ColumnReference::Number(number)) => declared.layout.put(part, (key, *number), unit),
                Some(ColumnReference::Name(column)) if columns.header => {
                    declared.named.push(Named { part, key, unit, column: column.clone() });
                }
                Some(ColumnReference::Name(name)) => {
                    return refused(name, "a number from 1, as header = false")
                }
            }
        }
        Ok(declared)
    }

    /// Finds the named columns in the header line, which has as many columns as the lines below.
    pub(super) fn read_header(&mut self, line: &[u8]) -> Result<(), LineFault> {
        let unknown = |expected| LineFault::Unknown { text: line.to_vec(), expected };
        let names = self.layout.fields(line);
        let mut layout = self.layout.clone();
        for Named { part, key, unit, column } in &self.named {
            let mut places = (1..).zip(&names).filter(|(_, found)| **found == column.as_bytes());
            let (Some((number, _)), None) = (places.next(), places.next()) else {
                return Err(unknown(format!("a header that names column {} ({key}) once", quoted(column))));
            };
            if layout.is_taken(*part, number) {
                return Err(unknown(format!("column {number} declared only once")));
            }
            layout.put(*part, (key, number), *unit);
        }
        layout.check_count(line, names.len())?;
        self.layout = layout;
        Ok(())
    }
}

impl Layout {
    /// Whether the column holds another part already.
    fn is_taken(&self, part: ColumnPart, number: usize) -> bool {
        part != ColumnPart::Keep && self.parts_in(number).any(|other| other != ColumnPart::Keep as usize)
    }

    /// The first line says how many columns there are; every later one must have as many.
    pub(super) fn check_count(&mut self, line: &[u8], found: usize) -> Result<(), LineFault> {
        let widest = self.widest();
        let expected = match self.count {
            Some(count) if count == found => return Ok(()),
            Some(count) => format!("{count}, as in the first line"),
            None if found >= widest => {
                self.count = Some(found);
                return Ok(());
            }
            None => format!("at least {widest}, the highest column declared"),
        };
        Err(LineFault::columns(line, found, expected))
    }
}

fn separator(text: &str) -> Result<Option<u8>, TraceError> {
    match text.as_bytes() {
        b"whitespace" => Ok(None),
        [byte]
            if byte.is_ascii()
                && !byte.is_ascii_alphanumeric()
                && !matches!(byte, b'\n' | b'\r' | b'.' | b'-' | b'+') =>
        {
            Ok(Some(*byte))
        }
        _ => Err(TraceError::option(
            "generic.delimiter",
            text,
            "one ASCII character other than letters, digits, '.', '-', '+' and line ends, or \"whitespace\"",
        )),
    }
}

fn unit_bytes(key: &'static str, unit: UnitBytes) -> Result<u64, TraceError> {
    match unit {
        UnitBytes::Bytes(bytes) if bytes == 0 || bytes % 512 != 0 => {
            Err(TraceError::option(key, bytes, "\"sector\", \"byte\" or a multiple of 512 bytes"))
        }
        _ => Ok(unit.bytes()),
    }
}
