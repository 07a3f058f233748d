//! The output with a running checksum.

use crc32fast::Hasher;
use std::io::Write;

/// Passes bytes on and sums them up.
pub(super) struct Checked<W> {
    pub inner: W,
    hasher: Hasher,
}

impl<W: Write> Checked<W> {
    /// Nothing summed up yet.
    pub(super) fn new(inner: W) -> Self {
        Self { inner, hasher: Hasher::new() }
    }

    /// The checksum of the bytes since the last call.
    pub(super) fn take_crc32(&mut self) -> u32 {
        std::mem::take(&mut self.hasher).finalize()
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
