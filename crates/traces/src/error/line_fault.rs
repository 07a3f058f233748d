//! What can be wrong with one record of a trace.

use crate::error::quote::quoted;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// A field holds something else than its column allows.
    #[error("column {column} ({name}): {} is not {allowed}", quoted(.value))]
    Field {
        /// Column, from 1.
        column: usize,
        /// The column's name in the format.
        name: String,
        /// The field as it stands in the file.
        value: Vec<u8>,
        allowed: String,
    },
    /// The line has too few or too many columns.
    #[error("{found} columns where {expected} are expected: {}", quoted(.text))]
    Columns {
        found: usize,
        /// Columns expected, with their names where known.
        expected: String,
        /// The line as it stands in the file.
        text: Vec<u8>,
    },
    /// The line is none of those the format knows.
    #[error("not a line of this format: {}; expected {expected}", quoted(.text))]
    Unknown {
        /// The line as it stands in the file.
        text: Vec<u8>,
        expected: String,
    },
    #[error("the line is empty; expected a record")]
    EmptyLine,
    /// The line holds bytes that no text has.
    #[error("binary data (byte {byte:#04x} in column {column} of the line); expected text")]
    Binary {
        /// First byte that no text has.
        byte: u8,
        /// Its place in the line, in bytes from 1.
        column: usize,
    },
    /// The line does not end within the reader's block.
    #[error("the line is longer than {limit_bytes} bytes; this is not a text trace")]
    LineTooLong {
        /// Longest line taken.
        limit_bytes: usize,
    },
    /// A read or write (or trim) of no bytes.
    #[error("column {column} ({name}): a request of size 0; expected a positive size (zero_size = \"skip\" leaves such requests out and counts them)")]
    ZeroSize {
        /// Column, from 1.
        column: usize,
        /// The column's name in the format.
        name: String,
    },
    /// Bytes that are not whole 512-byte sectors.
    #[error("column {column} ({name}): {value} bytes is not a multiple of 512 (sub_sector = \"round\" widens such requests to whole sectors and counts them)")]
    SubSector {
        /// Column, from 1.
        column: usize,
        /// The column's name in the format.
        name: String,
        /// The value in bytes.
        value: u64,
    },
    /// Time runs backwards.
    #[error("time runs backwards: {at_ns} ns after {previous_ns} ns (as in the file, in nanoseconds; unsorted = \"sort:N\" reorders within N requests, \"keep\" takes times as given)")]
    Backwards {
        /// Time of this record in nanoseconds, before rebasing.
        at_ns: u64,
        /// Time of the record before it in nanoseconds, before rebasing.
        previous_ns: u64,
    },
    /// Out of order by more than the reorder window.
    #[error("time runs backwards by more than the reorder window: {at_ns} ns, but {previous_ns} ns was already given out (unsorted = \"sort:{window}\"; take a wider window or \"keep\")")]
    OutsideWindow {
        /// Time of this record in nanoseconds, before rebasing.
        at_ns: u64,
        /// Time of the last record given out in nanoseconds, before rebasing.
        previous_ns: u64,
        /// Requests in the window.
        window: usize,
    },
    /// Earlier than the record that is time 0.
    #[error("{at_ns} ns lies before the first record ({first_ns} ns), which is time 0; take unsorted = \"sort:N\" or rebase = false")]
    BeforeFirst {
        /// Time of this record in nanoseconds, before rebasing.
        at_ns: u64,
        /// Time of the first record in nanoseconds.
        first_ns: u64,
    },
    /// A time that is not a whole second where seconds are to be spread.
    #[error("{at_ns} ns is not a whole second; coarse_time = \"spread\" is for traces that tell whole seconds (up to 18446744072)")]
    NotWholeSecond {
        /// Time of this record in nanoseconds, before rebasing.
        at_ns: u64,
    },
    /// More requests in one second than are spread.
    #[error("more than {limit} requests at {at_ns} ns; coarse_time = \"spread\" holds at most that many of one second")]
    CrowdedSecond {
        /// The second in nanoseconds, before rebasing.
        at_ns: u64,
        /// Most requests of one second.
        limit: usize,
    },
    /// A second volume where one is expected.
    #[error("volume {} is a second volume in this file (volume = \"NAME\", \"each\" or \"merge\" says what to do)", quoted(.volume))]
    SecondVolume { volume: Vec<u8> },
    /// More volumes than streams can be numbered.
    #[error("more than {limit} volumes; volume = \"each\" numbers at most that many")]
    TooManyVolumes { limit: usize },
    /// The request reaches past the last byte that can be addressed.
    #[error("the request at sector {sector} of {sectors} sectors ends past the last byte a 64-bit address can name")]
    PastEnd {
        /// First sector (512 B).
        sector: u64,
        /// Length in sectors.
        sectors: u64,
    },
    /// The request comes behind all times there are.
    #[error("the request comes at {at_ns} ns; allowed: times below 2^62 ns, 146 years (rebase = true counts from the first request; rebase = false keeps such times where nothing is run)")]
    TooLate {
        /// Its time as given out, in nanoseconds.
        at_ns: u64,
    },
    /// Perhaps a file cut short: what is left of the last line may mean something else.
    #[error("the last line or record has no end: the file may have been cut short inside it, and its last number with it")]
    NoLineEnd,
    /// The bytes of the trace add up to more than 64 bits hold.
    #[error("the bytes requested so far add up to more than 2^64")]
    TotalOverflow,
}

impl LineFault {
    /// The fault with the times of the file, to which the reader had added so much.
    #[cold]
    pub(crate) fn earlier_by(mut self, added_ns: u64) -> Self {
        if let Self::Backwards { at_ns, previous_ns }
        | Self::OutsideWindow { at_ns, previous_ns, .. }
        | Self::BeforeFirst { at_ns, first_ns: previous_ns } = &mut self
        {
            (*at_ns, *previous_ns) = (at_ns.saturating_sub(added_ns), previous_ns.saturating_sub(added_ns));
        }
        self
    }

    /// A short name of the kind of fault, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Field { .. } => "field",
            Self::Columns { .. } => "columns",
            Self::Unknown { .. } => "unknown line",
            Self::EmptyLine => "empty line",
            Self::Binary { .. } => "binary data",
            Self::LineTooLong { .. } => "line too long",
            Self::ZeroSize { .. } => "zero size",
            Self::SubSector { .. } => "not whole sectors",
            Self::Backwards { .. } => "time backwards",
            Self::OutsideWindow { .. } => "outside the reorder window",
            Self::BeforeFirst { .. } => "before the first record",
            Self::NotWholeSecond { .. } => "not a whole second",
            Self::CrowdedSecond { .. } => "crowded second",
            Self::SecondVolume { .. } => "second volume",
            Self::TooManyVolumes { .. } => "too many volumes",
            Self::PastEnd { .. } => "past the last address",
            Self::TooLate { .. } => "too late",
            Self::NoLineEnd => "no line end",
            Self::TotalOverflow => "total overflow",
        }
    }

    /// A field fault; `column` counts from 1.
    pub(crate) fn field(column: usize, name: &str, value: &[u8], allowed: impl Into<String>) -> Self {
        Self::Field { column, name: name.to_owned(), value: value.to_vec(), allowed: allowed.into() }
    }

    /// A line of too few or too many columns.
    #[cold]
    pub(crate) fn columns(line: &[u8], found: usize, expected: impl Into<String>) -> Self {
        Self::Columns { found, expected: expected.into(), text: line.to_vec() }
    }
}
