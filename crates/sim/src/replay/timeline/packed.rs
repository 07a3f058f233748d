//! A file that is written as it is, or compressed.

use flate2::write::GzEncoder;
use flate2::Compression;
use std::fs::File;
use std::io::{Result, Write};
use std::path::Path;

/// How hard it is compressed: above, half as much time again saves a tenth of the bytes.
const LEVEL: u32 = 4;

/// Where bytes go.
pub enum Packed {
    Plain(File),
    Gzip(Box<GzEncoder<File>>),
}

impl Packed {
    /// Into `file`; compressed where `path` ends in `.gz`.
    pub fn new(file: File, path: &Path) -> Self {
        if path.extension().is_some_and(|name| name == "gz") {
            return Self::Gzip(Box::new(GzEncoder::new(file, Compression::new(LEVEL))));
        }
        Self::Plain(file)
    }

    pub fn finish(self) -> Result<File> {
        match self {
            Self::Plain(file) => Ok(file),
            Self::Gzip(encoder) => encoder.finish(),
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
