//! Traces that can be read only once, copied so that they can be read again.

use crate::error::{LineFault, TraceError};
use crate::formats;
use crate::progress::Progress;
use crate::stored::compression::Compression;
use crate::stored::opened::Opened;
use crate::stored::trace_path::TracePath;

/// Bytes in which a text has the end of a line.
const BEGINNING_BYTES: usize = 256 * 1024;

impl TracePath {
    /// This trace, to be read as often as needed: what gives its bytes only
    /// once is copied to a temporary file without a name, which is gone with
    /// the process, however that ends. What cannot be a trace is not copied.
    pub fn rereadable(self, progress: &mut Progress<'_>) -> Result<Self, TraceError> {
        if !self.is_read_once() {
            return Ok(self);
        }
        let mut opened = Opened::of(&self)?;
        let first = opened.beginning(BEGINNING_BYTES as u64)?;
        if first.len() == BEGINNING_BYTES && !may_begin(first) {
            let fault = LineFault::LineTooLong { limit_bytes: BEGINNING_BYTES };
            return Err(TraceError::Line { file: self.name().to_owned(), line: 1, fault });
        }
        let copy = opened.into_shared(progress)?;
        Ok(Self::with_copy(self.name(), copy))
    }
}

/// Whether a trace may begin so: it has the end of a line, or is in a format that needs none.
fn may_begin(first: &[u8]) -> bool {
    let binary = || first.starts_with(b"PAR1") || Compression::of(first) != Compression::Plain;
    first.contains(&b'\n') || binary() || formats::fits_any(first)
}
