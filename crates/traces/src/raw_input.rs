//! The bytes of a trace as stored, counted and hashed while they pass.

use ring::digest::{Context, SHA256};
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// A file or standard input, counting and hashing what is read from it.
pub(crate) struct RawInput {
    inner: Box<dyn Read + Send>,
    hash: Context,
    bytes: Arc<AtomicU64>,
}

impl RawInput {
    /// Wraps a source.
    pub(crate) fn new(inner: Box<dyn Read + Send>) -> Self {
        Self { inner, hash: Context::new(&SHA256), bytes: Arc::new(AtomicU64::new(0)) }
    }

    /// Bytes read so far; shared, so that another thread can show progress.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// SHA-256 of the bytes read so far, in hex.
    pub(crate) fn sha256_hex(&self) -> String {
        let digest = self.hash.clone().finish();
        digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Read for RawInput {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
