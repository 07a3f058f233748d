//! The checksums of a file that is read out of order.

use crate::stored::raw_input::{RawInput, StoredBytes};
use crate::stored::shared_file::SharedFile;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Bytes read at a time.
const BLOCK_BYTES: usize = 1 << 18;

/// Reads a file once more from beginning to end, a row group ahead of what is
/// made of it, for its hash and for the checksums of the groups.
pub(super) struct Reread {
    file: RawInput,
    stored: StoredBytes,
    block: Box<[u8]>,
}

impl Reread {
    /// Of a file that others read as well; with its hash, if it `hashes`.
    pub(super) fn new(file: &SharedFile, hashes: bool) -> Self {
        let stored = if hashes { StoredBytes::hashed(Arc::default()) } else { StoredBytes::counted() };
        let block = vec![0; BLOCK_BYTES].into_boxed_slice();
        Self { file: RawInput::new(Box::new(file.reader(0)), stored.clone()), stored, block }
    }

    /// Reads on to byte `end`, or to the end of the file; the CRC-32 of what
    /// was read now.
    pub(super) fn advance(&mut self, end: u64) -> std::io::Result<u32> {
        let mut crc32 = crc32fast::Hasher::new();
        loop {
            let left = end.saturating_sub(self.byte_counter().load(Ordering::Relaxed));
            let room = left.min(BLOCK_BYTES as u64) as usize;
            let count = self.file.read(&mut self.block[..room])?;
            if count == 0 {
                return Ok(crc32.finalize());
            }
            crc32.update(&self.block[..count]);
        }
    }

    /// SHA-256 of what was read so far, in hex.
    pub(super) fn sha256_hex(&self) -> String {
        self.stored.sha256_hex().unwrap_or_default()
    }

    /// Bytes read so far; shared.
    pub(super) fn byte_counter(&self) -> Arc<AtomicU64> {
        self.stored.byte_counter()
    }
}
