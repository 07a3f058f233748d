//! Everything that can be wrong with a trace, each naming where and what.

mod line_fault;
pub(crate) mod place;
pub(crate) mod quote;
pub(crate) mod workload_problem;

pub use line_fault::LineFault;

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
        file: String,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// Reading the file failed part-way.
    #[error("{file}: reading failed after {unit} {line}: {source}")]
    Read {
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
    Prepared { file: String, what: String },
    /// Unpacking needs more memory than is allowed.
    #[error("{file}: unpacking the {compression} data takes too much memory; allowed: {allowed}")]
    NeedsMemory {
        file: String,
        /// Name of the compression, such as `xz`.
        compression: &'static str,
        /// What keeps within the limit.
        allowed: &'static str,
    },
    /// What is counted of the trace needs more memory than there is.
    #[error("{file}: there is no memory for {what}")]
    OutOfMemory {
        file: String,
        /// What there is no memory for, and what is allowed.
        what: String,
    },
    /// The archive ends early.
    #[error("{file}: the tar archive is truncated: it ends {place}")]
    ArchiveTruncated {
        file: String,
        /// Where it ends.
        place: String,
    },
    /// The archive does not hold one blktrace recording, or is damaged.
    #[error("{file}: {message}")]
    Archive {
        file: String,
        /// What is wrong with it, and what is expected.
        message: String,
    },
    /// A file of the recording is missing.
    #[error("{file}: {missing} is missing beside it; the files of a recording number its CPUs from 0 (if that CPU was offline, make an empty file of this name)")]
    MemberMissing {
        file: String,
        /// The file that is expected.
        missing: String,
    },
    /// The file holds no bytes, or none behind its compression.
    #[error("{file}: the file is empty; a trace holds at least one request")]
    Empty { file: String },
    /// The file was read to its end and no request came out of it.
    #[error("{file}: no request among its {lines} lines ({skipped}); a trace holds at least one request")]
    NoRequests {
        file: String,
        /// Lines read.
        lines: u64,
        /// What was left out, by reason.
        skipped: String,
    },
    /// One line is not what the format allows.
    #[error("{file}:{line}: {fault}")]
    Line {
        file: String,
        /// Line number, from 1.
        line: u64,
        fault: LineFault,
    },
    /// One record of a binary trace is not what the format allows.
    #[error("{file}: record {record} (up to byte {end_byte}): {fault}")]
    Record {
        file: String,
        /// Record number, from 1.
        record: u64,
        /// Byte behind the record (decompressed), or where it begins when its end is not known.
        end_byte: u64,
        fault: LineFault,
    },
    /// Several volumes in one file and no word on what to do with them.
    #[error("{file}:{line}: a second volume appears; the file holds {count} volumes: {listed}. Allowed: volume = \"NAME\" (one of them), \"each\" (side by side as streams) or \"merge\" (one address space, addresses as they are)")]
    SeveralVolumes {
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
        file: String,
        volume: String,
        /// The volumes of the file with request counts, the busiest first.
        listed: String,
    },
    /// An option holds a value that is not allowed.
    #[error("trace option {key}: {} is not allowed; allowed: {allowed}", quoted(.value.as_bytes()))]
    Option { key: &'static str, value: String, allowed: String },
    /// The format cannot be told from the content.
    #[error("{file}: {reason}")]
    Undetected {
        file: String,
        /// Why, with the candidates and what to pass.
        reason: String,
    },
    /// What can be read only once cannot be copied to a temporary file.
    #[error("{file}: can be read only once, and its copy in a temporary file (in the folder that TMPDIR names) cannot be written: {source}")]
    Spool {
        file: String,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// A pipe holds more than is copied to a temporary file.
    #[error("{file}: can be read only once, and more than the {limit_bytes} bytes that are copied to a temporary file came out of it; save it as a file")]
    SpoolLimit {
        file: String,
        /// Most bytes copied.
        limit_bytes: u64,
    },
    /// A pipe where a file is needed.
    #[error("{file}: is a pipe or a device, which can be read only once, and {reason}")]
    ReadOnce {
        file: String,
        /// Why that is not enough, and what to do.
        reason: &'static str,
    },
    /// A Parquet file that is no trace of slcache's layout, or a damaged one.
    #[error("{file}: {message}")]
    Parquet {
        file: String,
        /// What is wrong with it, and what is expected.
        message: String,
    },
    /// One row of a Parquet trace is not what the layout allows.
    #[error("{file}: row {row}: {fault}")]
    Row {
        file: String,
        /// Row number, from 1.
        row: u64,
        fault: LineFault,
    },
    /// An output cannot be written.
    #[error("{file}: cannot be written: {source}")]
    Write {
        file: String,
        /// What the operating system said.
        source: Arc<std::io::Error>,
    },
    /// An output cannot be made as asked.
    #[error("{file}: {reason}")]
    Output {
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
        format: &'static str,
        /// Number of the request in the output, from 1.
        request: u64,
        reason: String,
    },
    /// Something cannot be done with a trace as asked.
    #[error("{what}: {reason}")]
    Refused {
        what: &'static str,
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
    ReaderStopped { file: String },
}

impl TraceError {
    pub(crate) fn refused(what: &'static str, reason: impl Into<String>) -> Self {
        Self::Refused { what, reason: reason.into() }
    }
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
