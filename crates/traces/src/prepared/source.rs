//! A prepared trace as a source of requests.

use super::block::{self, Columns, PREFIX_BYTES, ROW_BYTES};
use super::header::Header;
use super::{damaged, BLOCK_ROWS, MAGIC};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::format_names::{PARQUET, WORKLOAD};
use crate::formats;
use crate::options::TraceOptions;
use crate::origin::Origin;
use crate::summary::TraceSummary;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Reads the blocks one after the other; each is checked before a request of it is given out.
pub(crate) struct PreparedSource {
    path: PathBuf,
    file: File,
    header: Header,
    format: &'static str,
    /// Nothing before the end, as the counts are those of the whole trace.
    summary: TraceSummary,
    /// Byte at which the header begins.
    end: u64,
    rows: u64,
    /// The columns of the block at hand, and the next row of them.
    columns: Vec<u8>,
    row: usize,
    bytes_read: Arc<AtomicU64>,
}

impl PreparedSource {
    /// Opens a prepared trace, which must have been read as asked now.
    pub(crate) fn open(path: &Path, options: &TraceOptions) -> Result<Self, TraceError> {
        let opened = File::open(path);
        let mut file = opened.map_err(|source| TraceError::Open {
            file: path.display().to_string(),
            source: Arc::new(source),
        })?;
        let (header, end) = Header::read(&file, path)?;
        if header.options != *options {
            return Err(damaged(path, "it was made with other options of the trace's reader"));
        }
        let format = match header.format.as_str() {
            PARQUET => PARQUET,
            WORKLOAD => WORKLOAD,
            name => formats::named(name)?.name,
        };
        file.read_exact(&mut [0; MAGIC.len()]).map_err(|error| damaged(path, &error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            format,
            summary: TraceSummary::default(),
            end,
            rows: 0,
            columns: Vec::new(),
            row: 0,
            bytes_read: Arc::new(AtomicU64::new(MAGIC.len() as u64)),
        })
    }

    /// Appends requests until `out` holds `max`; `false` at the end.
    #[inline]
    pub(crate) fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        if self.row * ROW_BYTES == self.columns.len() && !self.next_block()? {
            return Ok(false);
        }
        let rows = self.columns.len() / ROW_BYTES;
        let last = rows.min(self.row + max.saturating_sub(out.len()).max(1));
        for request in Columns::of(&self.columns).requests(self.row..last) {
            let request = request.ok_or_else(|| damaged(&self.path, "an operation that is none"))?;
            out.push(TraceEntry { request, response_ns: None });
        }
        self.row = last;
        Ok(true)
    }

    fn next_block(&mut self) -> Result<bool, TraceError> {
        let at = self.bytes_read.load(Ordering::Relaxed);
        if at == self.end {
            return Ok(false);
        }
        let mut prefix = [0; PREFIX_BYTES];
        self.read_exact(&mut prefix)?;
        let (rows, crc) = block::prefix(prefix);
        let bytes = rows * ROW_BYTES;
        if rows == 0 || rows > BLOCK_ROWS || at + (PREFIX_BYTES + bytes) as u64 > self.end {
            return Err(damaged(&self.path, "a block of an impossible size"));
        }
        let mut columns = std::mem::take(&mut self.columns);
        columns.resize(bytes, 0);
        self.read_exact(&mut columns)?;
        if crc32fast::hash(&columns) != crc {
            return Err(damaged(&self.path, "the checksum of a block does not match"));
        }
        self.columns = columns;
        self.row = 0;
        self.rows += rows as u64;
        self.bytes_read.store(at + (PREFIX_BYTES + bytes) as u64, Ordering::Relaxed);
        Ok(true)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), TraceError> {
        self.file.read_exact(bytes).map_err(|error| damaged(&self.path, &error.to_string()))
    }

    /// At the end: the counts of the trace it was made of.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        if self.rows != self.header.rows {
            return Err(damaged(&self.path, "blocks are missing"));
        }
        self.summary = self.header.summary.clone();
        Ok(())
    }

    /// Counts; complete at the end.
    pub(crate) fn summary(&self) -> &TraceSummary {
        &self.summary
    }

    /// Name of the format of the trace it was made of.
    pub(crate) fn format_name(&self) -> &'static str {
        self.format
    }

    /// The names of the volumes by stream.
    pub(crate) fn stream_names(&self) -> Vec<String> {
        self.header.stream_names.clone()
    }

    /// Whether the streams are volumes with addresses of their own.
    pub(crate) fn has_volumes(&self) -> bool {
        self.header.has_volumes
    }

    /// Where the requests come from.
    pub(crate) fn origin(&self, path: &str) -> Origin {
        let TraceSummary { sha256, label, steps, .. } = self.header.summary.clone();
        let file = path.rsplit('/').next().unwrap_or(path).to_owned();
        Origin { file, format: self.format.to_owned(), sha256, label, steps }
    }

    /// Bytes consumed so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    pub(crate) fn bytes_total(&self) -> u64 {
        self.end
    }
}
