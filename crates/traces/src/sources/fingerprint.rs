//! What tells the bytes behind a trace from others, without parsing them.

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::request_source::Progress;
use crate::sources::part::Part;
use crate::sources::workload::WorkloadSource;
use crate::stored::blktrace_files::input_files;
use crate::stored::opened::Opened;
use crate::stored::stored_hash::StoredHash;
use crate::stored::trace_path::TracePath;
use std::io::Read;

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
        return Ok(WorkloadSource::open(&path, &Part::whole(options))?.sha256().to_owned());
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
