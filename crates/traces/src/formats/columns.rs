//! The table of a format's columns: what each holds and what may stand in it. Readers, writers and the
//! texts of errors come from it.

use crate::error::LineFault;
use crate::fields::sectors;
use crate::formats::volume_names::VolumeNames;
use slcache_base::request::HostOp;

pub(super) const COLUMNS_MAX: usize = 8;

pub(crate) struct Columns {
    /// How they are told apart.
    pub split: Split,
    /// Whether lines name the columns.
    pub header: Header,
    /// What address and size count.
    pub units: Units,
    pub volumes: VolumeNames,
    /// One after the other.
    pub columns: &'static [Column],
}

/// Whether lines name the columns.
pub(crate) enum Header {
    Never,
    /// Some files have such a line.
    Maybe,
    /// Files have one; with the spellings beside the names of the columns, by column.
    Usual(&'static [(usize, &'static str)]),
}

/// How columns are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// At commas, with blanks around them or not.
    Commas,
    /// At commas, and blanks count.
    BareCommas,
    /// At commas, and there may be further columns.
    CommasOrMore,
    /// At commas, counted from the end: the first column may hold commas.
    CommasFromEnd,
    /// At runs of spaces and tabs.
    Blanks,
}

/// What address and size of a request count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    /// Both bytes.
    Bytes,
    /// Both sectors.
    Sectors,
    /// The address sectors and the size bytes.
    SectorAndBytes,
}

pub(crate) struct Column {
    /// Its name in headers and messages.
    pub name: &'static str,
    pub holds: Holds,
    pub allowed: &'static str,
}

#[derive(Clone, Copy)]
pub(crate) enum Holds {
    /// Text that no request needs; what stands there where a trace is written.
    Unused(&'static str),
    /// Text that begins the name of a volume, of which the next column is the rest.
    VolumeText,
    /// A number that names a volume, or ends its name.
    Volume,
    /// An operation, by its code.
    Op(Codes),
    /// Hexadecimal flags: with this bit a read, without it a write.
    Flags(u32),
    /// Where the request begins.
    Address,
    /// How long it is.
    Size,
    /// A time in whole units of so many nanoseconds.
    Ticks(u64),
    /// A time in seconds, with a fraction or without.
    Seconds,
    /// A time in milliseconds, with a fraction or without.
    Milliseconds,
    /// A response time in whole units of so many nanoseconds.
    ResponseTicks(u64),
    /// A response time in seconds, or blank.
    ResponseSeconds,
}

/// What stands for each operation.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    pub reads: &'static [&'static str],
    pub writes: &'static [&'static str],
}

pub(crate) const LETTERS: Codes = Codes { reads: &["R"], writes: &["W"] };
/// The codes of simulators' formats.
pub(crate) const ONE_IS_READ: Codes = Codes { reads: &["1"], writes: &["0"] };

impl Codes {
    /// The operation of a field.
    #[inline(always)]
    pub(crate) fn op(self, field: &[u8]) -> Option<HostOp> {
        let among = |codes: &[&str]| codes.iter().any(|code| code.as_bytes() == field);
        if among(self.reads) {
            Some(HostOp::Read)
        } else {
            among(self.writes).then_some(HostOp::Write)
        }
    }
}

/// The operation in hexadecimal flags, which may have `0x` in front.
#[inline]
pub(super) fn op_of_flags(field: &[u8], read: u32) -> Option<HostOp> {
    let digits = field.strip_prefix(b"0x").unwrap_or(field);
    if !(1..=8).contains(&digits.len()) {
        return None;
    }
    let hexadecimal = |flags: u32, &digit: &u8| Some(flags << 4 | char::from(digit).to_digit(16)?);
    let flags = digits.iter().try_fold(0, hexadecimal)?;
    Some(if flags & read == 0 { HostOp::Write } else { HostOp::Read })
}

/// A column of a table.
pub(crate) const fn column(name: &'static str, holds: Holds, allowed: &'static str) -> Column {
    Column { name, holds, allowed }
}

impl Columns {
    pub(crate) const fn address(&self) -> sectors::NamedColumn<'static> {
        let mut place = 0;
        while !matches!(self.columns[place].holds, Holds::Address) {
            place += 1;
        }
        self.place(place)
    }

    pub(crate) const fn size(&self) -> sectors::NamedColumn<'static> {
        let mut place = 0;
        while !matches!(self.columns[place].holds, Holds::Size) {
            place += 1;
        }
        self.place(place)
    }

    const fn place(&self, place: usize) -> sectors::NamedColumn<'static> {
        sectors::NamedColumn { number: place + 1, name: self.columns[place].name }
    }

    /// A field that may not stand in its column, counted from 1.
    #[cold]
    pub(crate) fn fault(&self, column: usize, field: &[u8]) -> LineFault {
        let Column { name, allowed, .. } = self.columns[column - 1];
        LineFault::field(column, name, field, allowed)
    }

    /// A line of so many fields instead of one for each column.
    #[cold]
    pub(super) fn count_fault(&self, line: &[u8], found: usize) -> LineFault {
        let or_more = if self.split == Split::CommasOrMore { "at least " } else { "" };
        LineFault::columns(line, found, format!("{or_more}{} ({})", self.columns.len(), self.names()))
    }

    /// The names of the columns as a line.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        names.join(self.delimiter())
    }

    /// What stands between two columns.
    pub(crate) const fn delimiter(&self) -> &'static str {
        match self.split {
            Split::Blanks => " ",
            _ => ",",
        }
    }
}
