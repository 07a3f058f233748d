//! Traces as files, written and read in every format.

use slcache_traces::{
    open, Losses, TraceEntry, TraceError, TraceOptions, TraceOrigin, TraceWriter, WriteOptions, Written,
};

/// Requests handed over at a time.
const BATCH: usize = 4096;

/// Writes a file in a format; what it cannot hold may be lost. How it is read back lies beside it.
pub fn write(format: &str, path: &str, entries: &[TraceEntry]) -> Result<Written, String> {
    let written = encode(format, path, entries).map_err(|error| error.to_string())?;
    let options = serde_json::json!(written.read_back).to_string();
    std::fs::write(options_of(path), options).map_err(|error| error.to_string())?;
    Ok(written)
}

fn encode(format: &str, path: &str, entries: &[TraceEntry]) -> Result<Written, TraceError> {
    let lossy = Losses::parse("time,flush,trim,volume,response,label")?;
    let options = WriteOptions { format: Some(format.to_owned()), lossy };
    let mut writer = TraceWriter::create(path, &options, None)?;
    for batch in entries.chunks(BATCH) {
        writer.write(batch, &[])?;
    }
    writer.finish(&TraceOrigin::default(), &[])
}

/// Reads a file that `write` has written.
pub fn read(path: &str) -> Result<(), String> {
    let options = std::fs::read(options_of(path)).map_err(|error| error.to_string())?;
    let options: TraceOptions = serde_json::from_slice(&options).map_err(|error| error.to_string())?;
    let mut reader = open(path, &options).map_err(|error| error.to_string())?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch, BATCH).map_err(|error| error.to_string())? {
        std::hint::black_box(&batch);
    }
    Ok(())
}

fn options_of(path: &str) -> String {
    format!("{path}.options")
}
