//! Where the requests of a trace come from.

use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::format_names::{PARQUET, WORKLOAD};
use crate::formats::{looks_like_tar, BLKTRACE};
use crate::options::{TraceOptions, VolumeChoice};
use crate::origin::Origin;
use crate::parquet::{self, ParquetSource};
use crate::prepared::PreparedSource;
use crate::records::blocks::RecordReader;
use crate::sources::detect::detect_in;
use crate::sources::merged::MergedSource;
use crate::sources::part::Part;
use crate::sources::records::RecordSource;
use crate::sources::resampled::Resampled;
use crate::sources::workload::WorkloadSource;
use crate::stored::blktrace_files;
use crate::stored::opened::Opened;
use crate::stored::shared_file::SharedFile;
use crate::stored::trace_path::{TracePath, STDIN};
use crate::summary::TraceSummary;
use crate::workload::is_workload;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// The one source behind a reader.
pub(crate) enum Source {
    /// A file of lines or binary records.
    Records(Box<RecordSource>),
    /// A file in slcache's Parquet layout.
    Parquet(Box<ParquetSource>),
    /// Requests that are made while they are read.
    Workload(Box<WorkloadSource>),
    /// The files of a blktrace recording.
    Merged(Box<MergedSource>),
    /// What was made of a trace for many runs.
    Prepared(Box<PreparedSource>),
    /// Another source, and the part of it that is taken.
    Part(Box<PartSource>),
    /// Another source, and a draw of it.
    Resampled(Box<(Source, Resampled)>),
}

/// A source, the part of it that is taken, and what opens it once more for the next copy.
pub(crate) struct PartSource {
    inner: Source,
    part: Part,
    again: (TracePath, TraceOptions),
}

impl PartSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        let before = out.len();
        loop {
            let more = self.inner.step(out, max);
            self.part.keep(before, out)?;
            match more {
                Ok(true) if out.len() == before => {}
                Ok(false) if self.part.goes_on() => {
                    self.inner.finish()?;
                    self.inner = Source::open(&self.again.0, &self.again.1)?;
                }
                more => return more,
            }
        }
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.inner.finish()?;
        self.inner.update_summary();
        self.part.finish(self.inner.summary())
    }
}

impl Source {
    /// Opens what `path` names, once, and settles the format.
    pub(crate) fn open(path: &TracePath, options: &TraceOptions) -> Result<Self, TraceError> {
        if let Some(file) = path.prepared() {
            return Ok(Self::Prepared(Box::new(PreparedSource::open(file, options)?)));
        }
        let name = path.name();
        let is_workload = match &options.format {
            Some(name) => name == WORKLOAD,
            None => is_workload(name),
        };
        if let Some(draw) = options.resample.filter(|_| !is_workload) {
            let as_it_is = TraceOptions { resample: None, resample_block_ns: None, ..options.clone() };
            let inner = Self::open(path, &as_it_is)?;
            return Ok(Self::Resampled(Box::new((inner, Resampled::new(name, draw, options)))));
        }
        if let Some(mut part) = Part::of(options)? {
            // What gives its bytes only once is read once for each copy.
            let again = match options.copies {
                Some(_) => path.clone().rereadable(&mut |_, _, _| true)?,
                None => path.clone(),
            };
            let whole = Part::whole(options);
            let inner = Self::open(&again, &whole)?;
            part.begin(inner.summary());
            return Ok(Self::Part(Box::new(PartSource { inner, part, again: (again, whole) })));
        }
        if is_workload {
            return Ok(Self::Workload(Box::new(WorkloadSource::open(path, options)?)));
        }
        refuse_workload_options(options)?;
        let may_be_blktrace = options.format.as_deref().is_none_or(|name| name == BLKTRACE);
        if may_be_blktrace && name != STDIN {
            if let Some(files) = blktrace_files::files_of(name)? {
                return Ok(Self::Merged(Box::new(MergedSource::open(path, &files, options)?)));
            }
        }
        let mut opened = Opened::of(path)?;
        let by_name = options.format.as_deref() == Some(PARQUET);
        if by_name || (options.format.is_none() && opened.begins_with(parquet::MAGIC)?) {
            return Ok(Self::Parquet(Box::new(ParquetSource::open(opened, options)?)));
        }
        let mut records = RecordReader::open(opened)?;
        if may_be_blktrace && is_archive(name, records.sample()?, options)? {
            let (_, first, input) = records.into_parts();
            let archive = blktrace_files::unpack(name, first, input)?;
            return Ok(Self::Merged(Box::new(MergedSource::of_archive(name, archive, options)?)));
        }
        Ok(Self::Records(Box::new(RecordSource::new(records, options)?)))
    }

    /// The copy of the bytes that had to be made to read them.
    pub(crate) fn copy(&self) -> Option<&SharedFile> {
        match self {
            Self::Parquet(source) => Some(source.bytes()),
            Self::Part(source) => source.inner.copy(),
            Self::Resampled(source) => source.0.copy(),
            Self::Records(_) | Self::Workload(_) | Self::Merged(_) | Self::Prepared(_) => None,
        }
    }

    /// Appends some more requests, until `out` holds about `max` of them;
    /// `false` when nothing is left. May be called again after a fault in one
    /// record, and goes on behind it.
    #[inline]
    pub(crate) fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        match self {
            Self::Records(source) => source.step(out, max),
            Self::Parquet(source) => source.step(out, max),
            Self::Workload(source) => source.step(out, max),
            Self::Merged(source) => source.step(out),
            Self::Prepared(source) => source.step(out, max),
            Self::Part(source) => source.step(out, max),
            Self::Resampled(source) => source.0.draw(&mut source.1, out, max),
        }
    }

    /// Appends some more requests of a draw; reads to the end before the first.
    fn draw(
        &mut self,
        drawn: &mut Resampled,
        out: &mut Vec<TraceEntry>,
        max: usize,
    ) -> Result<bool, TraceError> {
        if !drawn.is_read() {
            let mut batch = Vec::new();
            while self.step(&mut batch, max).map_err(|error| self.final_error(error))? {
                drawn.add(&batch)?;
                batch.clear();
            }
            self.finish()?;
            drawn.begin(self.summary())?;
        }
        drawn.step(out, max)
    }

    /// Settles the figures at the end; an error when nothing was taken.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        match self {
            Self::Records(source) => source.finish(),
            Self::Parquet(source) => source.finish(),
            Self::Workload(source) => source.finish(),
            Self::Merged(source) => source.finish(),
            Self::Prepared(source) => source.finish(),
            Self::Part(source) => source.finish(),
            Self::Resampled(source) => source.1.finish(),
        }
    }

    /// The error as it is told when it ends the trace.
    pub(crate) fn final_error(&mut self, error: TraceError) -> TraceError {
        match self {
            Self::Records(source) => source.final_error(error),
            Self::Part(source) => source.inner.final_error(error),
            Self::Parquet(_) | Self::Workload(_) | Self::Prepared(_) | Self::Resampled(_) => error,
            Self::Merged(source) => source.list_volumes(error),
        }
    }

    /// Brings counts that are kept elsewhere up to date.
    pub(crate) fn update_summary(&mut self) {
        match self {
            Self::Records(source) => source.update_summary(),
            Self::Parquet(source) => source.update_summary(),
            Self::Workload(_) | Self::Prepared(_) | Self::Part(_) | Self::Resampled(_) => {}
            Self::Merged(source) => source.update_summary(),
        }
    }

    /// Counts so far.
    pub(crate) fn summary(&self) -> &TraceSummary {
        match self {
            Self::Records(source) => source.summary(),
            Self::Parquet(source) => source.summary(),
            Self::Workload(source) => source.summary(),
            Self::Merged(source) => source.summary(),
            Self::Prepared(source) => source.summary(),
            Self::Part(source) => source.part.summary(),
            Self::Resampled(source) => source.1.summary(),
        }
    }

    pub(crate) fn format_name(&self) -> &'static str {
        match self {
            Self::Records(source) => source.format_name(),
            Self::Merged(source) => source.format_name(),
            Self::Prepared(source) => source.format_name(),
            Self::Part(source) => source.inner.format_name(),
            Self::Resampled(source) => source.0.format_name(),
            Self::Parquet(_) => PARQUET,
            Self::Workload(_) => WORKLOAD,
        }
    }

    /// The names of the volumes by stream, as far as they have appeared; empty
    /// where all streams share one address space.
    pub(crate) fn stream_names(&self) -> Vec<String> {
        match self {
            Self::Records(source) => source.stream_names(),
            Self::Merged(source) => source.stream_names(),
            Self::Parquet(source) => source.stream_names(),
            Self::Prepared(source) => source.stream_names(),
            Self::Part(source) => source.inner.stream_names(),
            Self::Resampled(source) => source.0.stream_names(),
            // Its streams share one address space.
            Self::Workload(_) => Vec::new(),
        }
    }

    /// Whether the streams are volumes with addresses of their own.
    pub(crate) fn has_volumes(&self, options: &TraceOptions) -> bool {
        match self {
            Self::Parquet(source) => source.stream_names().len() > 1,
            Self::Workload(_) => false,
            Self::Prepared(source) => source.has_volumes(),
            Self::Part(source) => source.inner.has_volumes(options),
            Self::Resampled(source) => source.0.has_volumes(options),
            _ => options.volume == Some(VolumeChoice::Each),
        }
    }

    /// Where the requests come from, for a file made out of them; its hash is
    /// known at the end of the trace.
    pub(crate) fn origin(&self, path: &str) -> Origin {
        match self {
            Self::Parquet(source) => source.origin().clone(),
            Self::Workload(source) => source.origin(),
            Self::Prepared(source) => source.origin(path),
            Self::Part(source) => {
                let mut origin = source.inner.origin(path);
                origin.steps.push(source.part.step_text().to_owned());
                origin
            }
            Self::Resampled(source) => {
                Origin { label: self.summary().label.clone(), ..source.0.origin(path) }
            }
            Self::Records(_) | Self::Merged(_) => Origin {
                file: path.rsplit('/').next().unwrap_or(path).to_owned(),
                format: self.format_name().to_owned(),
                sha256: self.summary().sha256.clone(),
                label: None,
                steps: Vec::new(),
            },
        }
    }

    /// Stored (compressed) bytes consumed so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        match self {
            Self::Records(source) => source.input().byte_counter(),
            Self::Parquet(source) => source.byte_counter(),
            Self::Workload(_) => Arc::default(),
            Self::Merged(source) => source.byte_counter(),
            Self::Prepared(source) => source.byte_counter(),
            Self::Part(source) => source.inner.byte_counter(),
            Self::Resampled(source) => source.0.byte_counter(),
        }
    }

    /// Stored bytes in all, where known.
    pub(crate) fn bytes_total(&self) -> Option<u64> {
        match self {
            Self::Records(source) => source.input().bytes_total(),
            Self::Parquet(source) => Some(source.bytes_total()),
            Self::Workload(_) => None,
            Self::Merged(source) => source.bytes_total(),
            Self::Prepared(source) => Some(source.bytes_total()),
            Self::Part(source) => source.inner.bytes_total(),
            Self::Resampled(source) => source.0.bytes_total(),
        }
    }
}

/// A seed or a setting for what is no workload would be ignored, and a length without a draw.
fn refuse_workload_options(options: &TraceOptions) -> Result<(), TraceError> {
    let given = options.workload.keys().next().map(|key| ("workload", key.clone()));
    if let (Some(block_ns), None) = (options.resample_block_ns, options.resample) {
        let (key, value) = ("resample_block_ns", block_ns.to_string());
        return Err(TraceError::Option { key, value, allowed: "only with resample".to_owned() });
    }
    match given.or(options.seed.map(|seed| ("seed", seed.to_string()))) {
        None => Ok(()),
        Some((key, value)) => {
            let allowed = "only with a workload (a .toml file or a preset), not with a trace file".to_owned();
            Err(TraceError::Option { key, value, allowed })
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
