//! The checksums of a file that is read out of order.

use crate::stored::shared_file::{PlacedReader, SharedFile};
use crate::stored::stored_hash::StoredHash;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Bytes read at a time.
const BLOCK_BYTES: usize = 1 << 18;

/// Reads a file once more from beginning to end, a row group ahead of what is
/// made of it, for its hash and for the checksums of the groups.
pub(super) struct Reread {
    file: PlacedReader,
    /// Where somebody asks for it.
    hash: Option<StoredHash>,
    read: Arc<AtomicU64>,
    block: Box<[u8]>,
}

impl Reread {
    /// Of a file that others read as well; with its hash, if it `hashes`.
    pub(super) fn new(file: &SharedFile, hashes: bool) -> Self {
        let block = vec![0; BLOCK_BYTES].into_boxed_slice();
        Self { file: file.reader(0), hash: hashes.then(StoredHash::new), read: Arc::default(), block }
    }

    /// Reads on to byte `end`, or to the end of the file; the CRC-32 of what
    /// was read now.
    pub(super) fn advance(&mut self, end: u64) -> std::io::Result<u32> {
        let mut crc32 = crc32fast::Hasher::new();
        loop {
            let left = end.saturating_sub(self.read.load(Ordering::Relaxed));
            let room = left.min(BLOCK_BYTES as u64) as usize;
            let count = self.file.read(&mut self.block[..room])?;
            if count == 0 {
                return Ok(crc32.finalize());
            }
            crc32.update(&self.block[..count]);
            if let Some(hash) = &mut self.hash {
                hash.update(&self.block[..count]);
            }
            self.read.fetch_add(count as u64, Ordering::Relaxed);
        }
    }

    /// SHA-256 of what was read so far, in hex.
    pub(super) fn sha256_hex(&mut self) -> String {
        self.hash.as_mut().map(StoredHash::hex).unwrap_or_default()
    }

    /// Bytes read so far; shared.
    pub(super) fn byte_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }
}
