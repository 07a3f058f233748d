//! A file that is written as it is, or compressed.

use flate2::write::GzEncoder;
use flate2::Compression;
use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Result, Write};
use std::path::Path;

/// Bytes that are handed on together.
const BUFFER_BYTES: usize = 1 << 16;

/// Where bytes go.
pub enum Packed {
    Plain(BufWriter<File>),
    Gzip(Box<BufWriter<GzEncoder<File>>>),
}

impl Packed {
    /// Into `file`; compressed where `path` ends in `.gz`.
    pub fn new(file: File, path: &Path) -> Self {
        if path.extension().is_some_and(|name| name == "gz") {
            let encoder = GzEncoder::new(file, Compression::default());
            return Self::Gzip(Box::new(BufWriter::with_capacity(BUFFER_BYTES, encoder)));
        }
        Self::Plain(BufWriter::with_capacity(BUFFER_BYTES, file))
    }

    /// Writes what is left.
    pub fn finish(self) -> Result<File> {
        match self {
            Self::Plain(buffered) => buffered.into_inner().map_err(IntoInnerError::into_error),
            Self::Gzip(buffered) => buffered.into_inner().map_err(IntoInnerError::into_error)?.finish(),
        }
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::Plain(to) => to.write(bytes),
            Self::Gzip(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Gzip(to) => to.flush(),
        }
    }
}
