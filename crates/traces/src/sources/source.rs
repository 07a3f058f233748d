//! Where the requests of a trace come from, and copies of what can be read only once.

use crate::catalogue::PARQUET;
use crate::error::{LineFault, TraceError};
use crate::formats::{self, looks_like_tar, BLKTRACE};
use crate::options::TraceOptions;
use crate::parquet::{self, ParquetSource};
use crate::records::blocks::RecordReader;
use crate::request_source::{Progress, RequestSource};
use crate::sources::detect::detect_in;
use crate::sources::merger::MergedSource;
use crate::sources::part::{Part, PartSource};
use crate::sources::records::RecordSource;
use crate::sources::resampling::Resampled;
use crate::sources::workload::WorkloadSource;
use crate::stored::blktrace_files;
use crate::stored::compression::Compression;
use crate::stored::opened::Opened;
use crate::stored::trace_path::{TracePath, STDIN};

/// Opens what `path` names, once, and settles the format.
pub(crate) fn source(path: &TracePath, options: &TraceOptions) -> Result<Box<dyn RequestSource>, TraceError> {
    if let Some(file) = path.prepared() {
        return Ok(Box::new(ParquetSource::in_place(file, options)?));
    }
    let name = path.name();
    let is_workload = WorkloadSource::is_meant(name, options);
    if let Some(draw) = options.resample.filter(|_| !is_workload) {
        let as_it_is = TraceOptions { resample: None, resample_block_ns: None, ..options.clone() };
        return Ok(Box::new(Resampled::new(source(path, &as_it_is)?, name, draw, options)));
    }
    if let Some(part) = Part::of(options)? {
        return Ok(Box::new(PartSource::open(part, path, options)?));
    }
    if is_workload {
        return Ok(Box::new(WorkloadSource::open(path, options)?));
    }
    refuse_workload_options(options)?;
    let may_be_blktrace = options.format.as_deref().is_none_or(|name| name == BLKTRACE);
    if may_be_blktrace && name != STDIN {
        if let Some(files) = blktrace_files::files_of(name)? {
            return Ok(Box::new(MergedSource::open(path, &files, options)?));
        }
    }
    let mut opened = Opened::of(path)?;
    let by_name = options.format.as_deref() == Some(PARQUET);
    if by_name || (options.format.is_none() && opened.begins_with(parquet::MAGIC)?) {
        return Ok(Box::new(ParquetSource::open(opened, options)?));
    }
    let mut records = RecordReader::open(opened)?;
    if may_be_blktrace && is_archive(name, records.sample()?, options)? {
        let (_, first, input) = records.into_parts();
        let archive = blktrace_files::unpack(name, first, input)?;
        return Ok(Box::new(MergedSource::of_archive(name, archive, options)?));
    }
    Ok(Box::new(RecordSource::new(records, options)?))
}

/// A seed or a setting for what is no workload would be ignored, and a length without a draw.
fn refuse_workload_options(options: &TraceOptions) -> Result<(), TraceError> {
    let given = options.workload.keys().next().map(|key| ("workload", key.clone()));
    if let (Some(block_ns), None) = (options.resample_block_ns, options.resample) {
        return Err(TraceError::option("resample_block_ns", block_ns, "only with resample"));
    }
    match given.or(options.seed.map(|seed| ("seed", seed.to_string()))) {
        None => Ok(()),
        Some((key, value)) => {
            let allowed = "only with a workload (a .toml file or a preset), not with a trace file";
            Err(TraceError::option(key, value, allowed))
        }
    }
}

/// Whether a file that begins so is an archive of a blktrace recording.
fn is_archive(path: &str, sample: &[u8], options: &TraceOptions) -> Result<bool, TraceError> {
    if !looks_like_tar(sample) {
        return Ok(false);
    }
    Ok(options.format.is_some() || detect_in(path, sample)?.name == BLKTRACE)
}

/// Bytes in which a text has the end of a line.
const BEGINNING_BYTES: usize = 256 * 1024;

impl TracePath {
    /// This trace, to be read as often as needed: what gives its bytes only
    /// once is copied to a temporary file without a name, which is gone with
    /// the process, however that ends. What cannot be a trace is not copied.
    pub fn rereadable(self, progress: &mut Progress<'_>) -> Result<Self, TraceError> {
        if !self.is_read_once() {
            return Ok(self);
        }
        let mut opened = Opened::of(&self)?;
        let first = opened.beginning(BEGINNING_BYTES as u64)?;
        if first.len() == BEGINNING_BYTES && !may_begin(first) {
            let fault = LineFault::LineTooLong { limit_bytes: BEGINNING_BYTES };
            return Err(TraceError::Line { file: self.name().to_owned(), line: 1, fault });
        }
        let copy = opened.into_shared(progress)?;
        Ok(Self::with_copy(self.name(), copy))
    }
}

/// Whether a trace may begin so: it has the end of a line, or is in a format that needs none.
fn may_begin(first: &[u8]) -> bool {
    let binary = || first.starts_with(b"PAR1") || Compression::of(first) != Compression::Plain;
    first.contains(&b'\n') || binary() || formats::fits_any(first)
}
