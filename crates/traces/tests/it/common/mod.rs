//! Helpers of the integration tests.

#[path = "../../../../core/tests/it/common/few.rs"]
mod few;

pub use few::few;
// What most tests name.
pub use slcache_traces::workload::Workload;
pub use slcache_traces::{
    detect, info, lint, open, CoarseTime, Conversion, FileFault, HostOp, Request, TraceEntry, TraceError,
    TraceOptions, TraceOrigin, TraceSummary, TraceWriter, Unsorted, VolumeChoice, WriteOptions, TIME_END_NS,
};
pub use std::collections::BTreeMap;
pub use std::io::Write;
pub use std::path::{Path, PathBuf};
pub use tempfile::TempDir;

/// A real trace under the folder that `SLCACHE_SHARED` names (`../shared` next
/// to the workspace when unset); `None`, with a message, when it is not there.
pub fn shared(path: &str) -> Option<String> {
    let root = std::env::var_os("SLCACHE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let file = root.join("traces").join(path);
    if !file.is_file() {
        eprintln!("SKIPPED: {path} is not there; set SLCACHE_SHARED to the folder with traces/");
        return None;
    }
    Some(file.to_str().expect("a path in UTF-8").to_owned())
}

/// A file with the given bytes, removed when dropped.
pub fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

pub fn path(file: &tempfile::NamedTempFile) -> &str {
    file.path().to_str().unwrap()
}

/// Everything up to the end or the first error.
pub struct Outcome {
    pub requests: Vec<Request>,
    pub error: Option<TraceError>,
    pub summary: TraceSummary,
}

/// Reads a whole trace in batches of `batch`.
pub fn read_path(path: &str, options: &TraceOptions, batch: usize) -> Outcome {
    let mut outcome = Outcome { requests: Vec::new(), error: None, summary: TraceSummary::default() };
    let mut reader = match open(path, options) {
        Ok(reader) => reader,
        Err(error) => {
            outcome.error = Some(error);
            return outcome;
        }
    };
    let mut requests = Vec::new();
    loop {
        match reader.next_batch(&mut requests, batch) {
            Ok(true) => {
                assert!(!requests.is_empty() && requests.len() <= batch);
                outcome.requests.extend_from_slice(&requests);
            }
            Ok(false) => break,
            Err(error) => {
                let again = reader.next_batch(&mut requests, batch).unwrap_err();
                assert_eq!(again.to_string(), error.to_string(), "an error stays");
                outcome.error = Some(error);
                break;
            }
        }
    }
    outcome.summary = reader.summary().clone();
    outcome
}

pub fn read(bytes: &[u8], options: &TraceOptions) -> Outcome {
    let file = file(bytes);
    read_path(path(&file), options, 100)
}

/// The message of the first error, with the file's path left off.
pub fn message(bytes: &[u8], options: &TraceOptions) -> String {
    let file = file(bytes);
    let outcome = read_path(path(&file), options, 100);
    let error = outcome.error.expect("an error").to_string();
    match error.strip_prefix(path(&file)) {
        Some(rest) => rest.to_owned(),
        None => error,
    }
}

pub fn mqsim() -> TraceOptions {
    TraceOptions::with_format("mqsim")
}

pub fn msr() -> TraceOptions {
    TraceOptions::with_format("msr")
}

/// Some MSR lines, the first at `seed` ticks.
pub fn msr_lines(count: u64) -> String {
    (0..count)
        .map(|place| {
            let op = if place % 3 == 0 { "Read" } else { "Write" };
            format!("{},hm,0,{op},{},4096,100\n", 128_166_385_295_514_663 + place * 10, place * 4096)
        })
        .collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar archive of files by name.
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

pub fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All requests of a trace with their response times.
#[track_caller]
pub fn read_entries(path: &str, options: &TraceOptions) -> Vec<TraceEntry> {
    let mut reader = open(path, options).unwrap_or_else(|error| panic!("{error}"));
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_entries(&mut batch, 1000).unwrap_or_else(|error| panic!("{error}")) {
        assert!(!batch.is_empty() && batch.len() <= 1000);
        all.extend_from_slice(&batch);
    }
    all
}
