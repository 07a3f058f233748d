//! The registry of trace formats: rows of columns, and a file for each that is more than that.

use crate::catalogue::{PARQUET, WORKLOAD};
use crate::error::TraceError;
use crate::options::{SubSector, TraceOptions, Unsorted, ZeroSize};
use crate::records::batch::RowParser;
use crate::records::checker::Checker;
pub(crate) use crate::records::parser::*;
use crate::records::volumes::plain_name;
pub(crate) use blktrace::{looks_like_tar, merge_key, MergeKey, BLKTRACE};
use columns::Columns;

/// Lists the formats by their files and their names there.
macro_rules! formats {
    ($($file:ident $name:ident,)+) => {
        /// Every format, in the order in which they are tried and listed.
        pub(crate) static FORMATS: &[Format] = &[$($file::$name),+];
    };
}

formats! {
    rows MSR,
    rows SPC,
    systor17 FORMAT,
    rows ALICLOUD,
    rows TENCENT,
    fiu FORMAT,
    rows K5CLOUD,
    rows MOBILEBLOCKIO,
    blkparse FORMAT,
    fio FORMAT,
    ftrace FORMAT,
    blkreplay FORMAT,
    biosnoop FORMAT,
    xperf FORMAT,
    mqsim FORMAT,
    rows SSDSIM,
    rows DISKSIM,
    vscsi FORMAT,
    blktrace FORMAT,
    oracle_general FORMAT,
    generic FORMAT,
}

mod biosnoop;
mod blkparse;
mod blkreplay;
mod blktrace;
pub(crate) mod columns;
mod fio;
mod fiu;
mod ftrace;
mod generic;
mod layout;
mod lines;
mod mqsim;
mod oracle_general;
mod rows;
mod rwbs;
mod systor17;
mod table;
pub(crate) mod volume_names;
mod vscsi;
mod xperf;

/// Requests among which those that completed later may have been issued earlier: far more than are
/// ever in flight.
const COMPLETIONS_WINDOW: usize = 1 << 16;

/// Why a line of dots is left out, as in a copy of a recording.
pub(crate) const SKIPPED_ELLIPSIS: &str = "ellipsis: lines were left out here";

pub(crate) fn is_ellipsis(line: &[u8]) -> bool {
    matches!(line.trim_ascii(), b"..." | b"[...]")
}

/// A line without the `^C` of somebody who stopped its tool.
pub(crate) fn uninterrupted(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"^C").unwrap_or(line)
}

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
    /// Whether records stand in the order of completions, so that a window puts them in order unless
    /// the user says otherwise.
    pub reorders: bool,
    /// Options of the user that it has a use for and most formats do not.
    pub options: &'static [&'static str],
    /// Whether the user has to declare the columns.
    pub takes_columns: bool,
    /// Whether records are lines of text, not binary.
    pub text: bool,
    /// Turns the bytes that name a volume into its name.
    pub volume_name: fn(&[u8]) -> String,
    /// How it is told from the beginning of a file.
    pub detection: Detection,
    /// Its columns, where it has such: then it can be written too.
    pub columns: Option<&'static Columns>,
    pub build: fn(&TraceOptions) -> Result<Box<dyn RowParser>, TraceError>,
}

/// How a format is told from the beginning of a file.
pub(crate) enum Detection {
    /// By lines that parse.
    ByLines,
    /// In the same way, but other formats make something else of such lines.
    MustBeNamed,
    Never,
    By(fn(&Sample<'_>) -> Fit),
}

impl Format {
    /// A format of text with a parser of its own, as most are; its name and the rest are to be said.
    const fn of(build: fn(&TraceOptions) -> Result<Box<dyn RowParser>, TraceError>) -> Self {
        Self {
            name: "",
            about: "",
            example: "",
            extensions: &[],
            rebases: true,
            merges_volumes: false,
            reorders: false,
            options: &[],
            takes_columns: false,
            text: true,
            volume_name: plain_name,
            detection: Detection::ByLines,
            columns: None,
            build,
        }
    }

    /// Whether the beginning of a file looks like this format.
    pub(crate) fn detect(&self, sample: &Sample<'_>) -> Fit {
        match self.detection {
            Detection::Never => Fit::No,
            Detection::By(detect) => detect(sample),
            Detection::MustBeNamed if !parses_most(self, &sample.lines) => Fit::No,
            Detection::ByLines => Fit::certain(parses_most(self, &sample.lines)),
            Detection::MustBeNamed => Fit::MustBeNamed,
        }
    }

    /// The checks with the user's choices, or the format's where there are none.
    pub(crate) fn checker(&self, options: &TraceOptions) -> Checker {
        let unsorted = match options.unsorted {
            Unsorted::Error if self.reorders => Unsorted::Sort(COMPLETIONS_WINDOW),
            chosen => chosen,
        };
        let options = &TraceOptions { unsorted, ..options.clone() };
        let shift_ns = if self.reorders { table::shift_ns(options) } else { 0 };
        Checker::new(options, self.merges_volumes, (self.rebases, shift_ns), self.volume_name)
    }
}

/// The beginning of a file, for telling its format.
pub(crate) struct Sample<'a> {
    /// The first bytes behind the compression.
    pub bytes: &'a [u8],
    /// The first whole lines among them, without line ends.
    pub lines: Vec<&'a [u8]>,
}

/// Whether a file of one line, or none, can be in any format that is told from its beginning.
pub(crate) fn fits_any(bytes: &[u8]) -> bool {
    let sample = Sample { bytes, lines: vec![bytes] };
    FORMATS.iter().any(|format| format.detect(&sample) != Fit::No)
}

/// How well the beginning of a file fits a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    No,
    /// They do, and nothing has to be guessed.
    Yes,
    /// They may, but the meaning of a column would have to be guessed, so the
    /// user must name the format.
    MustBeNamed,
}

impl Fit {
    pub(crate) fn certain(fits: bool) -> Self {
        if fits {
            Self::Yes
        } else {
            Self::No
        }
    }
}

pub(crate) fn names() -> String {
    let beside = [PARQUET, WORKLOAD];
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).chain(beside).collect();
    names.join(", ")
}

pub(crate) fn named(name: &str) -> Result<&'static Format, TraceError> {
    let found = FORMATS.iter().find(|format| format.name == name);
    found.ok_or_else(|| TraceError::option("format", name, names()))
}

/// Whether at least half of the lines parse: one bad line must not hide the
/// format, since it is then reported by its line number. Sizes that only a
/// choice of the user lets through count as parsed; what may be anything
/// counts for nothing.
pub(crate) fn parses_most(format: &Format, lines: &[&[u8]]) -> bool {
    let options = TraceOptions {
        zero_size: ZeroSize::Skip,
        sub_sector: SubSector::Round,
        ufs_lba_bytes: Some(4096),
        ..TraceOptions::default()
    };
    let Ok(mut parser) = (format.build)(&options) else {
        return false;
    };
    let (mut parsed, mut faults) = (0, 0);
    for line in lines {
        match parser.record(line) {
            Ok(Record::Skipped(SKIPPED_NOTE | SKIPPED_EMPTY | SKIPPED_ELLIPSIS)) => {}
            Ok(_) => parsed += 1,
            Err(_) => faults += 1,
        }
    }
    parsed > 0 && parsed >= faults
}
