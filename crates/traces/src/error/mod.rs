//! Everything that can be wrong with a trace, each naming where and what.

pub(crate) mod listed;
pub(crate) mod place;
pub(crate) mod quote;
pub(crate) mod workload_problem;

use crate::error::quote::quoted;
use crate::error::workload_problem::WorkloadProblems;
use slcache_files::OutputError;
use std::sync::Arc;

/// A trace that cannot be read as asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be opened.
    #[error("{file}: cannot be opened: {source}")]
    Open {
        /// Path as given.
        file: String,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// Reading the file failed part-way.
    #[error("{file}: reading failed after {unit} {line}: {source}")]
    Read {
        /// Path as given.
        file: String,
        /// What is counted: `line` or `record`.
        unit: &'static str,
        /// Last line or record that was read in full (0 = none).
        line: u64,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// The compressed stream ends early.
    #[error("{file}: the {compression} data is truncated: it ends inside the compressed stream, after {unit} {line}")]
    Truncated {
        /// Path as given.
        file: String,
        /// Name of the compression, such as `gzip`.
        compression: &'static str,
        /// What is counted: `line` or `record`.
        unit: &'static str,
        /// Last line or record that was read in full (0 = none).
        line: u64,
    },
    /// The compressed stream is damaged.
    #[error("{file}: the {compression} data is damaged after {unit} {line}: {message}")]
    Damaged {
        /// Path as given.
        file: String,
        /// Name of the compression, such as `gzip`.
        compression: &'static str,
        /// What is counted: `line` or `record`.
        unit: &'static str,
        /// Last line or record that was read in full (0 = none).
        line: u64,
        /// What the decompressor said.
        message: String,
    },
    /// The prepared form of a trace is something else, damaged, or of another trace.
    #[error("{file}: no prepared trace, or a damaged one: {what}; remove it, and it is made anew")]
    Prepared {
        /// The prepared file.
        file: String,
        /// How that shows.
        what: String,
    },
    /// Unpacking needs more memory than is allowed.
    #[error("{file}: unpacking the {compression} data takes too much memory; allowed: {allowed}")]
    NeedsMemory {
        /// Path as given.
        file: String,
        /// Name of the compression, such as `xz`.
        compression: &'static str,
        /// What keeps within the limit.
        allowed: &'static str,
    },
    /// The archive ends early.
    #[error("{file}: the tar archive is truncated: it ends {place}")]
    ArchiveTruncated {
        /// Path as given.
        file: String,
        /// Where it ends.
        place: String,
    },
    /// The archive does not hold one blktrace recording, or is damaged.
    #[error("{file}: {message}")]
    Archive {
        /// Path as given.
        file: String,
        /// What is wrong with it, and what is expected.
        message: String,
    },
    /// A file of the recording is missing.
    #[error("{file}: {missing} is missing beside it; the files of a recording number its CPUs from 0 (if that CPU was offline, make an empty file of this name)")]
    MemberMissing {
        /// Path as given.
        file: String,
        /// The file that is expected.
        missing: String,
    },
    /// The file holds no bytes, or none behind its compression.
    #[error("{file}: the file is empty; a trace holds at least one request")]
    Empty {
        /// Path as given.
        file: String,
    },
    /// The file was read to its end and no request came out of it.
    #[error("{file}: no request among its {lines} lines ({skipped}); a trace holds at least one request")]
    NoRequests {
        /// Path as given.
        file: String,
        /// Lines read.
        lines: u64,
        /// What was left out, by reason.
        skipped: String,
    },
    /// One line is not what the format allows.
    #[error("{file}:{line}: {fault}")]
    Line {
        /// Path as given.
        file: String,
        /// Line number, from 1.
        line: u64,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// One record of a binary trace is not what the format allows.
    #[error("{file}: record {record} (up to byte {end_byte}): {fault}")]
    Record {
        /// Path as given.
        file: String,
        /// Record number, from 1.
        record: u64,
        /// Byte behind the record (decompressed), or where it begins when its end is not known.
        end_byte: u64,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// Several volumes in one file and no word on what to do with them.
    #[error("{file}:{line}: a second volume appears; the file holds {count} volumes: {listed}. Allowed: volume = \"NAME\" (one of them), \"each\" (side by side as streams) or \"merge\" (one address space, addresses as they are)")]
    SeveralVolumes {
        /// Path as given.
        file: String,
        /// Line on which the second volume appears.
        line: u64,
        /// How many volumes the file holds.
        count: usize,
        /// Their names with request counts, the busiest first.
        listed: String,
    },
    /// The chosen volume is not in the file.
    #[error("{file}: volume = {} is not in the file; it holds: {listed}", quoted(.volume.as_bytes()))]
    VolumeMissing {
        /// Path as given.
        file: String,
        /// The volume asked for.
        volume: String,
        /// The volumes of the file with request counts, the busiest first.
        listed: String,
    },
    /// An option holds a value that is not allowed.
    #[error("trace option {key}: {} is not allowed; allowed: {allowed}", quoted(.value.as_bytes()))]
    Option {
        /// The option's name.
        key: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// The format cannot be told from the content.
    #[error("{file}: {reason}")]
    Undetected {
        /// Path as given.
        file: String,
        /// Why, with the candidates and what to pass.
        reason: String,
    },
    /// What can be read only once cannot be copied to a temporary file.
    #[error("{file}: can be read only once, and its copy in a temporary file (in the folder that TMPDIR names) cannot be written: {source}")]
    Spool {
        /// Path as given.
        file: String,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// A pipe holds more than is copied to a temporary file.
    #[error("{file}: can be read only once, and more than the {limit_bytes} bytes that are copied to a temporary file came out of it; save it as a file")]
    SpoolLimit {
        /// Path as given.
        file: String,
        /// Most bytes copied.
        limit_bytes: u64,
    },
    /// A pipe where a file is needed.
    #[error("{file}: is a pipe or a device, which can be read only once, and {reason}")]
    ReadOnce {
        /// Path as given.
        file: String,
        /// Why that is not enough, and what to do.
        reason: &'static str,
    },
    /// A Parquet file that is no trace of slcache's layout, or a damaged one.
    #[error("{file}: {message}")]
    Parquet {
        /// Path as given.
        file: String,
        /// What is wrong with it, and what is expected.
        message: String,
    },
    /// One row of a Parquet trace is not what the layout allows.
    #[error("{file}: row {row}: {fault}")]
    Row {
        /// Path as given.
        file: String,
        /// Row number, from 1.
        row: u64,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// An output cannot be written.
    #[error("{file}: cannot be written: {source}")]
    Write {
        /// Path as given.
        file: String,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// An output cannot be made as asked.
    #[error("{file}: {reason}")]
    Output {
        /// Path as given.
        file: String,
        /// Why, and what is allowed.
        reason: String,
    },
    /// An output would take the place of an input or of another output.
    #[error("{0}")]
    OutputTaken(String),
    /// The format of an output has no place for what a request says.
    #[error("{file}: request {request} does not fit the format {format}: {reasons}; lossy = \"{losses}\" writes it all the same and counts it")]
    DoesNotFit {
        /// Path of the output as given.
        file: String,
        /// Name of the format.
        format: &'static str,
        /// Number of the request in the output, from 1.
        request: u64,
        /// What has no place, and why.
        reasons: String,
        /// The losses to name, separated by commas.
        losses: String,
    },
    /// A request that the format cannot hold whatever is left out.
    #[error("{file}: request {request} cannot be written as {format}: {reason}")]
    Impossible {
        /// Path of the output as given.
        file: String,
        /// Name of the format.
        format: &'static str,
        /// Number of the request in the output, from 1.
        request: u64,
        /// Why.
        reason: String,
    },
    /// A transformation cannot be done as asked.
    #[error("{kind}: {reason}")]
    Transform {
        /// Name of the transformation.
        kind: &'static str,
        /// Why, and what is allowed.
        reason: String,
    },
    /// A workload without end where one with an end is needed.
    #[error("{file}: the workload has no end; bound it by an override such as requests=1000000 or duration_ns=10s")]
    Endless {
        /// Path or preset as given.
        file: String,
    },
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
    /// A workload file is not what it has to be; every problem is listed.
    #[error("{0}")]
    Workload(WorkloadProblems),
    /// The background reader stopped without a result.
    #[error("{file}: the background reader stopped without a result")]
    ReaderStopped {
        /// Path as given.
        file: String,
    },
}

/// What is wrong with one line.
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
        /// What is allowed.
        allowed: String,
    },
    /// The line has too few or too many columns.
    #[error("{found} columns where {expected} are expected: {}", quoted(.text))]
    Columns {
        /// Columns found.
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
        /// What is expected.
        expected: String,
    },
    /// The line is empty.
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
    /// The file ends inside a binary record.
    #[error("the file ends inside a record: {found} bytes of at least {needed}")]
    CutShort {
        /// Bytes left.
        found: usize,
        /// Bytes the record takes.
        needed: usize,
    },
    /// The records do not say what is asked, and neither does the user.
    #[error("the records carry no operation; op_default = \"read\" or \"write\" says what all of them are")]
    NoOperation,
    /// The file holds another number of records than its header states.
    #[error(
        "the file holds {found} records, but its header states {stated}; it is cut short or was added to"
    )]
    RecordCount {
        /// Records found.
        found: u64,
        /// Records stated.
        stated: u64,
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
    SecondVolume {
        /// The volume's name.
        volume: Vec<u8>,
    },
    /// More volumes than streams can be numbered.
    #[error("more than {limit} volumes; volume = \"each\" numbers at most that many")]
    TooManyVolumes {
        /// Most volumes taken.
        limit: usize,
    },
    /// The request reaches past the last byte that can be addressed.
    #[error("the request at sector {sector} of {sectors} sectors ends past the last byte a 64-bit address can name")]
    PastEnd {
        /// First sector (512 B).
        sector: u64,
        /// Length in sectors.
        sectors: u64,
    },
    /// The request comes behind all times there are.
    #[error("the request comes at {at_ns} ns; allowed: times below 2^62 ns, 146 years (rebase = true counts from the first request; rebase = false keeps such times for a transformation, and none is run)")]
    TooLate {
        /// Its time as given out, in nanoseconds.
        at_ns: u64,
    },
    /// Perhaps a file cut short: what is left of the last line may mean something else.
    #[error("the last line has no line end: the file may have been cut short inside it, and its last number with it")]
    NoLineEnd,
    /// The bytes of the trace add up to more than 64 bits hold.
    #[error("the bytes requested so far add up to more than 2^64")]
    TotalOverflow,
}

impl From<OutputError> for TraceError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Io { path, source } => {
                Self::Write { file: path.display().to_string(), source: Arc::new(source) }
            }
            OutputError::IsInput { .. } | OutputError::Twice { .. } => Self::OutputTaken(error.to_string()),
        }
    }
}

impl LineFault {
    /// A short name of the kind of fault, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Field { .. } => "field",
            Self::Columns { .. } => "columns",
            Self::Unknown { .. } => "unknown line",
            Self::EmptyLine => "empty line",
            Self::Binary { .. } => "binary data",
            Self::LineTooLong { .. } => "line too long",
            Self::CutShort { .. } => "cut short",
            Self::NoOperation => "no operation",
            Self::RecordCount { .. } => "record count",
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
