//! Reads a trace to its end and keeps it as columns.

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::prepared::{encode, Header, BLOCK_ROWS, MAGIC};
use crate::progress::Progress;
use crate::sources::reader::open;
use crate::stored::blktrace_files::input_files;
use crate::stored::trace_path::TracePath;
use slcache_files::Outputs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Writes the prepared form of a trace to `output`, whole or not at all.
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
    let mut file = outputs.create(output)?;
    let failed = |source| TraceError::Write { file: output.display().to_string(), source: Arc::new(source) };
    let mut reader = open(path, options)?;
    file.write_all(MAGIC).map_err(failed)?;
    let (mut batch, mut bytes, mut rows) = (Vec::new(), Vec::new(), 0);
    while reader.next_batch(&mut batch, BLOCK_ROWS)? {
        bytes.clear();
        encode(&batch, &mut bytes);
        file.write_all(&bytes).map_err(failed)?;
        rows += batch.len() as u64;
        if !progress("prepare", reader.bytes_read(), reader.bytes_total().unwrap_or(0)) {
            return Err(TraceError::Cancelled);
        }
    }
    let header = Header {
        format: reader.format().to_owned(),
        options: options.clone(),
        has_volumes: reader.has_volumes(),
        stream_names: reader.stream_names(),
        summary: reader.summary().clone(),
        rows,
    };
    let ending = header.encode().map_err(|error| failed(error.into()))?;
    file.write_all(&ending).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(outputs.publish()?)
}
