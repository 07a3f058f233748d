//! An open file that several readers read without disturbing each other.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// A file by its handle, never by its name: each reader has a place of its own,
/// and what the name stands for later does not matter.
#[derive(Clone, Debug)]
pub(crate) struct SharedFile {
    file: Arc<File>,
    bytes: u64,
}

impl SharedFile {
    /// Of an open file that can be read at any place.
    pub(crate) fn new(file: File) -> std::io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), bytes })
    }

    /// Bytes of the file when it was opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A reader from byte `start` on.
    pub(crate) fn reader(&self, start: u64) -> PlacedReader {
        PlacedReader { file: Arc::clone(&self.file), place: start }
    }
}

pub(crate) struct PlacedReader {
    file: Arc<File>,
    place: u64,
}

impl Read for PlacedReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(buffer, self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}
