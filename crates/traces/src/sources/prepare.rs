//! Reads a trace to its end and keeps it as a file that is read in its place, without parsing.

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::parquet::{ParquetWriter, Reading};
use crate::request_source::{Progress, TraceEntry};
use crate::sources::reader::open;
use crate::stored::blktrace_files::input_files;
use crate::stored::trace_path::TracePath;
use slcache_files::Outputs;
use std::path::Path;

/// Requests taken from the reader at a time.
const BATCH: usize = 1 << 16;

/// Writes the prepared form of a trace, in the Parquet layout, to `output`, whole or not at all.
///
/// # Errors
/// What is wrong with the trace anywhere, and what keeps the file from being written.
pub fn prepare(
    path: impl Into<TracePath>,
    options: &TraceOptions,
    output: &Path,
    progress: &mut Progress<'_>,
) -> Result<(), TraceError> {
    let path = path.into();
    let mut outputs = Outputs::new(input_files(path.name()));
    let failed = |source: std::io::Error| TraceError::write(&output.display().to_string(), source);
    let mut writer = ParquetWriter::new(outputs.create(output)?).map_err(|error| failed(error.into()))?;
    let mut reader = open(path, options)?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch, BATCH)? {
        // No run asks for response times.
        let entries: Vec<TraceEntry> =
            batch.iter().map(|&request| TraceEntry { request, response_ns: None }).collect();
        writer.write(&entries).map_err(|error| failed(error.into()))?;
        reader.tell("prepare", progress)?;
    }
    let reading = Reading {
        format: reader.format().to_owned(),
        options: options.clone(),
        has_volumes: reader.has_volumes(),
        stream_names: reader.stream_names(),
        summary: reader.summary().clone(),
    };
    let file = writer.finish(reader.origin(), Vec::new(), Some(reading));
    file.map_err(|error| failed(error.into()))?.sync_all().map_err(failed)?;
    Ok(outputs.publish()?)
}
