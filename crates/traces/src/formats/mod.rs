//! The registry of trace formats: one file per format, one line each below.

use crate::batch::Batch;
use crate::error::{LineFault, TraceError};
use crate::format_names::{PARQUET, WORKLOAD};
use crate::options::{SubSector, TraceOptions, ZeroSize};
use serde::Serialize;
use slcache_core::device::request::HostOp;

/// Declares the formats: each name is a file in this folder that holds a
/// constant `FORMAT`.
macro_rules! formats {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+
        /// Every format, in the order of declaration.
        pub(crate) static FORMATS: &[Format] = &[$($name::FORMAT),+];
    };
}

formats! {
    msr,
    spc,
    systor17,
    alicloud,
    tencent,
    fiu,
    k5cloud,
    mobileblockio,
    blkparse,
    fio,
    mqsim,
    ssdsim,
    disksim,
    vscsi,
    blktrace,
    oracle_general,
    oracle_general_op_ns,
    lcs,
    generic,
}

/// Which records belong to which file of a blktrace recording in several.
pub(crate) use blktrace::{looks_like_tar, merge_key, MergeKey, BLKTRACE};

mod device_line;
mod objects;

/// One trace format.
pub(crate) struct Format {
    /// Name, as the user gives it.
    pub name: &'static str,
    /// One line on what it is, with units and source.
    pub about: &'static str,
    /// A line of such a file.
    pub example: &'static str,
    /// Usual endings of file names, without compression.
    pub extensions: &'static [&'static str],
    /// Whether time 0 is the first record unless the user says otherwise.
    pub rebases: bool,
    /// Whether volumes are merged unless the user says otherwise.
    pub merges_volumes: bool,
    /// Whether the user has to declare the columns.
    pub takes_columns: bool,
    /// Whether records are lines of text, not binary.
    pub text: bool,
    /// Turns the bytes that name a volume into its name.
    pub volume_name: fn(&[u8]) -> String,
    /// Whether the beginning of a file looks like this format.
    pub detect: fn(&Sample<'_>) -> Fit,
    /// Makes a parser.
    pub build: fn(&TraceOptions) -> Result<Box<dyn RecordParser>, TraceError>,
}

/// The beginning of a file, for telling its format.
pub(crate) struct Sample<'a> {
    /// The first bytes behind the compression.
    pub bytes: &'a [u8],
    /// The first whole lines among them, without line ends.
    pub lines: Vec<&'a [u8]>,
}

/// How well the beginning of a file fits a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// They do not.
    No,
    /// They do, and nothing has to be guessed.
    Yes,
    /// They may, but the meaning of a column would have to be guessed, so the
    /// user must name the format.
    MustBeNamed,
}

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

    /// Takes many records in a row; `false` when there are no more.
    fn take(&mut self, batch: Batch<'_>) -> Result<bool, TraceError> {
        batch.through(self)
    }

    /// At the end of a trace of so many records, what its header says against it.
    fn end(&self, _records: u64) -> Result<(), LineFault> {
        Ok(())
    }
}

/// Most bytes a binary record may take.
pub(crate) const RECORD_BYTES_MAX: usize = 1 << 17;

/// What one record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// A request.
    Request(RawRequest<'a>),
    /// Something left out on purpose, and why.
    Skipped(&'static str),
}

/// Why zero-size requests are left out when the user asks for it.
pub(crate) const SKIPPED_ZERO_SIZE: &str = "size 0";

/// A request as its file gives it, in common units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawRequest<'a> {
    /// Time in nanoseconds from whatever the format counts from.
    pub at_ns: u64,
    /// First sector (512 B).
    pub sector: u64,
    /// Length in sectors; 0 only for a flush.
    pub sectors: u32,
    /// What is asked.
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
}

impl<'a> RawRequest<'a> {
    /// A request without any of the notes.
    #[inline]
    pub(crate) fn plain(at_ns: u64, extent: (u64, u32), op: HostOp, volume: &'a [u8]) -> Self {
        Self {
            at_ns,
            sector: extent.0,
            sectors: extent.1,
            op,
            volume,
            flush_before: false,
            forced_unit_access: false,
            rounded_to_sectors: false,
            rounded_to_ns: false,
            response_ns: None,
        }
    }
}

/// A format as shown to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FormatDescription {
    /// Name, as `format` in the trace options takes it.
    pub name: &'static str,
    /// One line on what it is, with units and source.
    pub about: &'static str,
    /// A line of such a file.
    pub example: &'static str,
    /// Usual endings of file names, without compression.
    pub extensions: &'static [&'static str],
}

/// Every format this crate reads.
pub fn formats() -> impl Iterator<Item = FormatDescription> {
    FORMATS.iter().map(|format| FormatDescription {
        name: format.name,
        about: format.about,
        example: format.example,
        extensions: format.extensions,
    })
}

/// The names of all formats, for messages.
pub(crate) fn names() -> String {
    let beside = [PARQUET, WORKLOAD];
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).chain(beside).collect();
    names.join(", ")
}

/// The format of that name.
pub(crate) fn named(name: &str) -> Result<&'static Format, TraceError> {
    let found = FORMATS.iter().find(|format| format.name == name);
    found.ok_or_else(|| TraceError::Option { key: "format", value: name.to_owned(), allowed: names() })
}

/// [`Fit::Yes`] when the beginning of a file is mostly lines of the format.
pub(crate) fn certain_if_most_parse(format: &Format, sample: &Sample<'_>) -> Fit {
    match parses_most(format, &sample.lines) {
        true => Fit::Yes,
        false => Fit::No,
    }
}

/// [`Fit::MustBeNamed`] when the beginning of a file is mostly lines of the
/// format, of which other formats make something else.
pub(crate) fn named_if_most_parse(format: &Format, sample: &Sample<'_>) -> Fit {
    match parses_most(format, &sample.lines) {
        true => Fit::MustBeNamed,
        false => Fit::No,
    }
}

/// Whether at least half of the lines parse: one bad line must not hide the
/// format, since it is then reported by its line number. Sizes that only a
/// choice of the user lets through count as parsed.
pub(crate) fn parses_most(format: &Format, lines: &[&[u8]]) -> bool {
    let options =
        TraceOptions { zero_size: ZeroSize::Skip, sub_sector: SubSector::Round, ..TraceOptions::default() };
    let Ok(mut parser) = (format.build)(&options) else {
        return false;
    };
    let parsed = lines.iter().filter(|line| parser.record(line).is_ok()).count();
    parsed > 0 && parsed * 2 >= lines.len()
}
