//! The declared columns, resolved to numbers.

use crate::error::quote::quoted;
use crate::error::{LineFault, TraceError};
use crate::fields::scan::Words;
use crate::options::generic::{ColumnReference, GenericColumns, OpName, TimeUnit, UnitBytes};

/// What a declared column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Time,
    Address,
    Size,
    Op,
    Stream,
    Response,
    Hint,
    /// Tells the rows that are requests; any column may.
    Keep,
}

impl Part {
    pub(super) const COUNT: usize = 8;
    const ALL: [(Self, &'static str); Self::COUNT] = [
        (Self::Time, "time"),
        (Self::Address, "address"),
        (Self::Size, "size"),
        (Self::Op, "op"),
        (Self::Stream, "stream"),
        (Self::Response, "response"),
        (Self::Hint, "hint"),
        (Self::Keep, "keep_column"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Number of a column that is not declared (numbers count from 1).
const UNDECLARED: usize = 0;

/// Where the parts of a record stand and in what units.
pub(super) struct Layout {
    /// The delimiter; `None` for runs of blanks.
    pub delimiter: Option<u8>,
    /// Column of each part, from 1; 0 where there is none.
    pub numbers: [usize; Part::COUNT],
    /// The parts that each column holds, by its number: a bit for each.
    parts: Vec<u8>,
    /// Columns that are known by name until the header is read.
    named: Vec<(Part, String)>,
    pub time_unit: TimeUnit,
    pub response_unit: TimeUnit,
    /// Bytes per unit of address.
    pub address_bytes: u64,
    /// Bytes per unit of size.
    pub size_bytes: u64,
    /// Codes of the operation column.
    pub ops: Vec<(String, OpName)>,
    /// What a row has in the column that tells requests, where there is one.
    pub kept: Option<Vec<u8>>,
}

impl Layout {
    /// Checks the declaration.
    pub(super) fn new(columns: &GenericColumns) -> Result<Self, TraceError> {
        let mut layout = Self {
            delimiter: delimiter(&columns.delimiter)?,
            numbers: [UNDECLARED; Part::COUNT],
            parts: Vec::new(),
            named: Vec::new(),
            time_unit: columns.time_unit,
            response_unit: columns.response_unit.unwrap_or(columns.time_unit),
            address_bytes: unit_bytes("generic.address_unit", columns.address_unit)?,
            size_bytes: unit_bytes("generic.size_unit", columns.size_unit)?,
            kept: columns.keep_value.clone().map(String::into_bytes),
            ops: columns.ops.iter().map(|(code, op)| (code.clone(), *op)).collect(),
        };
        let refused = [
            (layout.ops.is_empty(), "generic.ops", "at least one code"),
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
        if let Some((_, key, allowed)) = refused.into_iter().find(|(is_refused, ..)| *is_refused) {
            return Err(TraceError::option(key, "", allowed));
        }
        let required = [&columns.time, &columns.address, &columns.size, &columns.op].map(Some);
        let optional =
            [&columns.stream, &columns.response, &columns.hint, &columns.keep_column].map(Option::as_ref);
        for ((part, _), reference) in Part::ALL.into_iter().zip(required.into_iter().chain(optional)) {
            if let Some(reference) = reference {
                layout.declare(part, reference, columns.header)?;
            }
        }
        layout.note_parts();
        Ok(layout)
    }

    fn note_parts(&mut self) {
        self.parts = vec![0; self.widest() + 1];
        for (part, &number) in self.numbers.iter().enumerate() {
            if number != UNDECLARED {
                self.parts[number] |= 1 << part;
            }
        }
    }

    /// The highest column declared.
    pub(super) fn widest(&self) -> usize {
        self.numbers.iter().copied().max().unwrap_or(UNDECLARED)
    }

    /// The places of the parts that column `number` holds.
    #[inline(always)]
    pub(super) fn parts_of(&self, number: usize) -> impl Iterator<Item = usize> {
        let mut left = self.parts.get(number).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(place)
        })
    }

    fn declare(&mut self, part: Part, reference: &ColumnReference, header: bool) -> Result<(), TraceError> {
        match reference {
            ColumnReference::Number(0) => {
                Err(TraceError::option("generic column", "0", "a column number from 1"))
            }
            ColumnReference::Number(number) if self.is_declared(part, *number) => {
                Err(TraceError::option("generic column", number, "a column declared only once"))
            }
            ColumnReference::Number(number) => {
                self.numbers[part as usize] = *number;
                Ok(())
            }
            ColumnReference::Name(name) if header => {
                self.named.push((part, name.clone()));
                Ok(())
            }
            ColumnReference::Name(name) => {
                Err(TraceError::option("generic column", name, "a number from 1, as header = false"))
            }
        }
    }

    /// Whether the column holds another part already.
    fn is_declared(&self, part: Part, number: usize) -> bool {
        part != Part::Keep && self.numbers[..Part::Keep as usize].contains(&number)
    }

    /// Finds the named columns in the header line; the number of columns.
    pub(super) fn read_header(&mut self, line: &[u8]) -> Result<usize, LineFault> {
        let names: Vec<&[u8]> = match self.delimiter {
            Some(delimiter) => line.split(|&byte| byte == delimiter).collect(),
            None => Words::new(line).collect(),
        };
        for (part, name) in std::mem::take(&mut self.named) {
            let mut places = (1..).zip(&names).filter(|(_, found)| found.trim_ascii() == name.as_bytes());
            let (first, second) = (places.next(), places.next());
            let (Some((number, _)), None) = (first, second) else {
                let expected = format!("a header that names column {} ({}) once", quoted(&name), part.name());
                return Err(LineFault::Unknown { text: line.to_vec(), expected });
            };
            if self.is_declared(part, number) {
                let expected = format!("column {number} declared only once");
                return Err(LineFault::Unknown { text: line.to_vec(), expected });
            }
            self.numbers[part as usize] = number;
        }
        self.note_parts();
        let widest = self.widest();
        if names.len() < widest {
            let expected = format!("at least {widest}, the highest column declared");
            return Err(LineFault::Columns { found: names.len(), expected, text: line.to_vec() });
        }
        Ok(names.len())
    }
}

fn delimiter(text: &str) -> Result<Option<u8>, TraceError> {
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
