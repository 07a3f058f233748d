//! An opened trace, counted and hashed while it passes, unpacked by its first bytes.

use crate::error::{FileFault, TraceError};
use crate::stored::compression::{Compression, MAGIC_BYTES};
use crate::stored::opened::Opened;
use crate::stored::stored_hash::StoredHash;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The content of a trace behind whatever compression it is stored with.
pub(crate) struct Input {
    content: Box<dyn Read + Send>,
    compression: Compression,
    stored: StoredBytes,
    bytes_total: Option<u64>,
}

impl Input {
    /// Reads what was opened; the stored bytes are added to a counter that may
    /// be that of several files.
    pub(crate) fn new(opened: Opened, bytes_read: Arc<AtomicU64>) -> Result<Self, TraceError> {
        let file = opened.name().to_owned();
        let (reader, bytes_total) = opened.into_reader();
        Self::from_source(reader, bytes_total, StoredBytes::hashed(bytes_read))
            .map_err(|source| TraceError::open(&file, source))
    }

    /// A copy of something that is hashed elsewhere.
    pub(crate) fn of_copy(path: &str, file: File) -> Result<Self, TraceError> {
        Self::from_source(Box::new(file), None, StoredBytes::counted())
            .map_err(|source| TraceError::open(path, source))
    }

    fn from_source(
        source: Box<dyn Read + Send>,
        bytes_total: Option<u64>,
        stored: StoredBytes,
    ) -> std::io::Result<Self> {
        let mut raw = RawInput::new(source, stored.clone());
        let mut first = Vec::with_capacity(MAGIC_BYTES);
        raw.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut first)?;
        let compression = Compression::of(&first);
        let content = compression.decoder(Cursor::new(first).chain(raw))?;
        Ok(Self { content, compression, stored, bytes_total })
    }

    /// Stored (compressed) bytes consumed so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        self.stored.byte_counter()
    }

    /// Stored bytes in all, where the source is a file.
    pub(crate) fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    /// SHA-256 of the stored bytes read so far, in hex; `None` for a copy.
    pub(crate) fn sha256_hex(&self) -> Option<String> {
        self.stored.sha256_hex()
    }

    /// Reads what is left of a compressed stream; what its checksums say against it.
    pub(crate) fn damage(&mut self) -> Option<std::io::Error> {
        self.compression.name()?;
        std::io::copy(&mut self.content, &mut std::io::sink()).err()
    }

    /// Turns a read error behind so many whole lines or records into one that
    /// says whose fault it is: the operating system's, a stream that ends
    /// early, one that needs too much memory, or damaged data.
    pub(crate) fn explain(
        &self,
        file: &str,
        (unit, line): (&'static str, u64),
        source: std::io::Error,
    ) -> TraceError {
        let Some(compression) = self.compression.name().filter(|_| source.raw_os_error().is_none()) else {
            let reason = format!("reading failed after {unit} {line}: {source}");
            return TraceError::file(file, FileFault::Read, reason);
        };
        if let Some(allowed) = self.compression.memory_limit(&source) {
            let reason =
                format!("unpacking the {compression} data takes too much memory; allowed: {allowed}");
            return TraceError::file(file, FileFault::Read, reason);
        }
        match source.kind() {
            ErrorKind::UnexpectedEof => {
                let reason = format!("the {compression} data is truncated: it ends inside the compressed stream, after {unit} {line}");
                TraceError::file(file, FileFault::Truncated, reason)
            }
            _ => {
                let reason = format!("the {compression} data is damaged after {unit} {line}: {source}");
                TraceError::file(file, FileFault::Damaged, reason)
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.content.read(buffer)
    }
}

/// What is known about the stored bytes; shared between who reads them and who
/// asks.
#[derive(Clone)]
pub(crate) struct StoredBytes {
    bytes: Arc<AtomicU64>,
    hash: Option<Arc<Mutex<StoredHash>>>,
}

impl StoredBytes {
    pub(crate) fn hashed(bytes: Arc<AtomicU64>) -> Self {
        Self { bytes, hash: Some(Arc::new(Mutex::new(StoredHash::new()))) }
    }

    /// Only counts: for copies of what is hashed elsewhere.
    pub(crate) fn counted() -> Self {
        Self { bytes: Arc::default(), hash: None }
    }

    /// Bytes read so far; shared, so that another thread can show progress.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// SHA-256 of the bytes read so far, in hex; `None` where they are only counted.
    pub(crate) fn sha256_hex(&self) -> Option<String> {
        let hash = self.hash.as_ref()?;
        Some(hash.lock().unwrap_or_else(PoisonError::into_inner).hex())
    }

    fn take(&self, bytes: &[u8]) {
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if let Some(hash) = &self.hash {
            hash.lock().unwrap_or_else(PoisonError::into_inner).update(bytes);
        }
    }
}

/// A file or standard input, telling [`StoredBytes`] what is read from it.
pub(crate) struct RawInput {
    inner: Box<dyn Read + Send>,
    stored: StoredBytes,
}

impl RawInput {
    /// Wraps a source.
    pub(crate) fn new(inner: Box<dyn Read + Send>, stored: StoredBytes) -> Self {
        Self { inner, stored }
    }
}

impl Read for RawInput {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.stored.take(&buffer[..count]);
        Ok(count)
    }
}
