//! What many runs of a trace share: what tells its bytes from others, and a file that is read without parsing.

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::parquet::{ParquetWriter, Reading};
use crate::request_source::{Progress, TraceEntry};
use crate::sources::reader::open;
use crate::sources::workload::WorkloadSource;
use crate::stored::blktrace_files::input_files;
use crate::stored::opened::Opened;
use crate::stored::stored_hash::StoredHash;
use crate::stored::trace_path::TracePath;
use slcache_files::Outputs;
use std::io::Read;
use std::path::Path;

const BLOCK_BYTES: usize = 1 << 20;

/// SHA-256, in hex, of a trace's file as stored, of the hashes of its files if it has several, or of
/// a workload's resolved specification and seed.
pub fn fingerprint(
    path: impl Into<TracePath>,
    options: &TraceOptions,
    progress: &mut Progress<'_>,
) -> Result<String, TraceError> {
    let path = path.into();
    if WorkloadSource::is_meant(path.name(), options) {
        return Ok(WorkloadSource::open(&path, options)?.sha256().to_owned());
    }
    let files = input_files(path.name());
    if path.copy().is_some() || files.len() == 1 {
        return hash(&path, progress);
    }
    let mut whole = StoredHash::new();
    for file in files {
        let path = TracePath::new(&file.to_string_lossy());
        // The directory or name that stands for several files is none of them.
        if file.is_file() {
            whole.update(hash(&path, progress)?.as_bytes());
        }
    }
    Ok(whole.hex())
}

fn hash(path: &TracePath, progress: &mut Progress<'_>) -> Result<String, TraceError> {
    let (mut reader, total) = Opened::of(path)?.into_reader();
    let (mut whole, mut block, mut done) = (StoredHash::new(), vec![0; BLOCK_BYTES], 0);
    loop {
        let read = reader.read(&mut block).map_err(|source| TraceError::open(path.name(), source))?;
        if read == 0 {
            return Ok(whole.hex());
        }
        whole.update(&block[..read]);
        done += read as u64;
        if !progress("hash", done, total.unwrap_or(0)) {
            return Err(TraceError::Cancelled);
        }
    }
}

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
    let mut writer = ParquetWriter::new(outputs.create(output)?).map_err(failed)?;
    let mut reader = open(path, options)?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch, BATCH)? {
        // No run asks for response times.
        let entries: Vec<TraceEntry> =
            batch.iter().map(|&request| TraceEntry { request, response_ns: None }).collect();
        writer.write(&entries).map_err(failed)?;
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
    file.map_err(failed)?.sync_all().map_err(failed)?;
    Ok(outputs.publish()?)
}
