//! Where the requests of a trace come from.

use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::format_names::{PARQUET, WORKLOAD};
use crate::formats::{looks_like_tar, BLKTRACE};
use crate::options::TraceOptions;
use crate::origin::Origin;
use crate::parquet::{self, ParquetSource};
use crate::records::blocks::RecordReader;
use crate::request_source::{Facts, RequestSource};
use crate::sources::detect::detect_in;
use crate::sources::merged::MergedSource;
use crate::sources::part::Part;
use crate::sources::records::RecordSource;
use crate::sources::resampled::Resampled;
use crate::sources::workload::WorkloadSource;
use crate::stored::blktrace_files;
use crate::stored::opened::Opened;
use crate::stored::trace_path::{TracePath, STDIN};
use crate::summary::TraceSummary;
use crate::workload::is_workload;

/// Opens what `path` names, once, and settles the format.
pub(crate) fn source(path: &TracePath, options: &TraceOptions) -> Result<Box<dyn RequestSource>, TraceError> {
    if let Some(file) = path.prepared() {
        return Ok(Box::new(ParquetSource::in_place(file, options)?));
    }
    let name = path.name();
    let is_workload = match &options.format {
        Some(name) => name == WORKLOAD,
        None => is_workload(name),
    };
    if let Some(draw) = options.resample.filter(|_| !is_workload) {
        let as_it_is = TraceOptions { resample: None, resample_block_ns: None, ..options.clone() };
        let inner = source(path, &as_it_is)?;
        return Ok(Box::new(DrawnSource { inner, drawn: Resampled::new(name, draw, options) }));
    }
    if let Some(mut part) = Part::of(options)? {
        // What gives its bytes only once is read once for each copy.
        let again = match options.copies {
            Some(_) => path.clone().rereadable(&mut |_, _, _| true)?,
            None => path.clone(),
        };
        let whole = Part::whole(options);
        let inner = source(&again, &whole)?;
        part.begin(inner.summary());
        return Ok(Box::new(PartSource { inner, part, again: (again, whole) }));
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

/// A source, the part of it that is taken, and what opens it once more for the next copy.
struct PartSource {
    inner: Box<dyn RequestSource>,
    part: Part,
    again: (TracePath, TraceOptions),
}

impl RequestSource for PartSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        let before = out.len();
        loop {
            let more = self.inner.step(out, max);
            self.part.keep(before, out)?;
            match more {
                Ok(true) if out.len() == before => {}
                Ok(false) if self.part.goes_on() => {
                    self.inner.finish()?;
                    self.inner = source(&self.again.0, &self.again.1)?;
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

    fn final_error(&mut self, error: TraceError) -> TraceError {
        self.inner.final_error(error)
    }

    fn summary(&self) -> &TraceSummary {
        self.part.summary()
    }

    fn facts(&self) -> Facts<'_> {
        self.inner.facts()
    }

    fn stream_names(&self) -> Vec<String> {
        self.inner.stream_names()
    }

    fn origin(&self, path: &str) -> Origin {
        let mut origin = self.inner.origin(path);
        origin.steps.push(self.part.step_text().to_owned());
        origin
    }
}

/// A source, and a draw of it.
struct DrawnSource {
    inner: Box<dyn RequestSource>,
    drawn: Resampled,
}

impl RequestSource for DrawnSource {
    /// Reads to the end before the first request.
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        let Self { inner, drawn } = self;
        if !drawn.is_read() {
            let mut batch = Vec::new();
            while inner.step(&mut batch, max).map_err(|error| inner.final_error(error))? {
                drawn.add(&batch)?;
                batch.clear();
            }
            inner.finish()?;
            drawn.begin(inner.summary())?;
        }
        drawn.step(out, max)
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.drawn.finish()
    }

    fn summary(&self) -> &TraceSummary {
        self.drawn.summary()
    }

    fn facts(&self) -> Facts<'_> {
        self.inner.facts()
    }

    fn stream_names(&self) -> Vec<String> {
        self.inner.stream_names()
    }

    fn origin(&self, path: &str) -> Origin {
        Origin { label: self.summary().label.clone(), ..self.inner.origin(path) }
    }
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
