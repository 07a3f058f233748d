//! Columns and units of a delimited trace as the user declares them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Columns, units and codes of a delimited trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenericColumns {
    /// One character, or `whitespace` for runs of spaces and tabs; default `,`.
    #[serde(default = "default_delimiter")]
    pub delimiter: String,
    /// Whether the first line names the columns; default no.
    #[serde(default)]
    pub header: bool,
    /// Lines above the header or the first record that are left out; default 0.
    #[serde(default)]
    pub skip_lines: u64,
    /// How a line begins that is a comment; default: none is.
    #[serde(default)]
    pub comment: Option<String>,
    /// Column whose value tells the rows that are requests, such as the event of
    /// a line; left out: all rows are.
    #[serde(default)]
    pub keep_column: Option<ColumnReference>,
    /// The value such a row has in that column.
    #[serde(default)]
    pub keep_value: Option<String>,
    /// Column of the arrival time.
    pub time: ColumnReference,
    /// Unit of the time column.
    pub time_unit: TimeUnit,
    /// Column of nanoseconds to add to the time, as of blkparse's `%T %t`; left
    /// out: none.
    #[serde(default)]
    pub nanoseconds: Option<ColumnReference>,
    /// Column of the address.
    pub address: ColumnReference,
    /// Unit of the address: `sector`, `byte` or bytes per unit (a page size).
    pub address_unit: UnitBytes,
    /// Column of the size.
    pub size: ColumnReference,
    /// Unit of the size: `sector`, `byte` or bytes per unit (a page size).
    pub size_unit: UnitBytes,
    /// Column of the operation.
    pub op: ColumnReference,
    /// What each code in the operation column means. Default: R, r, Read, read
    /// and READ are reads, W, w, Write, write and WRITE are writes, and RWBS of
    /// Linux (WS, RA, FN, DS) is what it says. Digits have no default, because
    /// published formats disagree about 0 and 1.
    #[serde(default = "default_ops")]
    pub ops: BTreeMap<String, OpName>,
    /// Column that tells volumes (streams) apart; left out: one volume.
    #[serde(default)]
    pub stream: Option<ColumnReference>,
    /// Column of the response time, where there is one; an empty field is none.
    #[serde(default)]
    pub response: Option<ColumnReference>,
    /// Column of a hint of the host, such as a write hint or a group: a number from 0
    /// (none) to 255; an empty field is none.
    #[serde(default)]
    pub hint: Option<ColumnReference>,
    /// Unit of the response time; default: that of the time column.
    #[serde(default)]
    pub response_unit: Option<TimeUnit>,
}

fn default_delimiter() -> String {
    ",".to_owned()
}

pub(crate) fn default_ops() -> BTreeMap<String, OpName> {
    let reads = ["R", "r", "Read", "read", "READ"].map(|code| (code.to_owned(), OpName::Read));
    let writes = ["W", "w", "Write", "write", "WRITE"].map(|code| (code.to_owned(), OpName::Write));
    reads.into_iter().chain(writes).collect()
}

/// A column: its number from 1, or its name in the header line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ColumnReference {
    /// Number of the column, from 1.
    Number(usize),
    /// Name of the column as the header line gives it.
    Name(String),
}

/// Unit of a time column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// Seconds; a decimal fraction is allowed.
    S,
    /// Milliseconds; a decimal fraction is allowed.
    Ms,
    /// Microseconds; a decimal fraction is allowed.
    Us,
    /// Nanoseconds; a decimal fraction is allowed.
    Ns,
    /// Windows file time: 100 ns ticks.
    Filetime,
}

impl TimeUnit {
    /// Nanoseconds in one unit.
    pub(crate) fn unit_ns(self) -> u64 {
        match self {
            Self::S => 1_000_000_000,
            Self::Ms => 1_000_000,
            Self::Us => 1_000,
            Self::Ns => 1,
            Self::Filetime => 100,
        }
    }
}

/// Bytes in one unit of an address or size column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum UnitBytes {
    /// A named unit.
    Named(NamedUnit),
    /// Bytes per unit, a multiple of 512: a page size.
    Bytes(u32),
}

/// The named units of an address or size column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NamedUnit {
    /// 512 bytes.
    Sector,
    /// One byte.
    Byte,
}

impl UnitBytes {
    /// A 512-byte sector.
    pub const SECTOR: Self = Self::Named(NamedUnit::Sector);
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Named(NamedUnit::Sector) => 512,
            Self::Named(NamedUnit::Byte) => 1,
            Self::Bytes(bytes) => u64::from(bytes),
        }
    }
}

/// What a code in the operation column means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpName {
    /// Read.
    Read,
    /// Write.
    Write,
    /// TRIM, discard, deallocate.
    Trim,
    /// Flush; its address and size are not looked at.
    Flush,
}
