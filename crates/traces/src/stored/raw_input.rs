//! The bytes of a trace as stored, counted and hashed while they pass.

use crate::stored::stored_hash::StoredHash;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
