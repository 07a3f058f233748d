//! Complete lines out of large blocks, without a copy per line.

use crate::error::{LineFault, TraceError};
use crate::input::Input;
use std::io::{ErrorKind, Read};

/// Bytes in a block, and so the longest line taken.
const BLOCK_BYTES: usize = 256 * 1024;
/// Bytes looked at to tell the format.
const SAMPLE_BYTES: usize = 64 * 1024;

/// Hands out the lines of a trace one after the other.
pub(crate) struct LineReader {
    file: String,
    input: Input,
    block: Vec<u8>,
    /// Start of the next line in the block.
    start: usize,
    /// End of what the block holds.
    filled: usize,
    line: u64,
    ended: bool,
    /// A failed read, kept back until the lines before it are handed out, so
    /// that problems come in trace order.
    failure: Option<TraceError>,
    unterminated: bool,
}

impl LineReader {
    /// Opens a path, or standard input for `-`.
    pub(crate) fn open(path: &str) -> Result<Self, TraceError> {
        Ok(Self {
            file: path.to_owned(),
            input: Input::open(path)?,
            block: vec![0; BLOCK_BYTES],
            start: 0,
            filled: 0,
            line: 0,
            ended: false,
            failure: None,
            unterminated: false,
        })
    }

    /// The next line without its line end; `None` at the end of the file.
    #[inline]
    pub(crate) fn next_line(&mut self) -> Result<Option<&[u8]>, TraceError> {
        let pending = &self.block[self.start..self.filled];
        let length = match memchr::memchr(b'\n', pending) {
            Some(length) => length,
            None => match self.fill_until_line()? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        let start = self.start;
        self.start = (start + length + 1).min(self.filled);
        self.line += 1;
        let line = &self.block[start..start + length];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Reads on until the block holds a whole line; its length.
    #[cold]
    fn fill_until_line(&mut self) -> Result<Option<usize>, TraceError> {
        loop {
            let searched = self.filled - self.start;
            if self.ended {
                return self.last_line(searched);
            }
            if searched == self.block.len() {
                self.ended = true;
                self.start = self.filled;
                let fault = LineFault::LineTooLong { limit_bytes: BLOCK_BYTES };
                return Err(self.at_line(self.line + 1, fault));
            }
            self.refill();
            let fresh = &self.block[self.start + searched..self.filled];
            if let Some(place) = memchr::memchr(b'\n', fresh) {
                return Ok(Some(searched + place));
            }
        }
    }

    /// What is left when the source has ended: an error kept back, a last line
    /// without a line end, or nothing.
    fn last_line(&mut self, left: usize) -> Result<Option<usize>, TraceError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if left > 0 {
            self.unterminated = true;
            return Ok(Some(left));
        }
        if self.line == 0 {
            return Err(TraceError::Empty { file: self.file.clone() });
        }
        Ok(None)
    }

    /// Moves the unfinished line to the front and reads once.
    fn refill(&mut self) {
        self.block.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        match self.input.read(&mut self.block[self.filled..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                let lines = memchr::memchr_iter(b'\n', &self.block[..self.filled]).count();
                let line = self.line + lines as u64;
                self.failure = Some(self.input.explain(&self.file, line, error));
                self.ended = true;
            }
        }
    }

    /// The beginning of the text, not consumed; only before the first line.
    pub(crate) fn sample(&mut self) -> Result<&[u8], TraceError> {
        while self.filled < SAMPLE_BYTES && !self.ended {
            self.refill();
        }
        match (&self.failure, self.filled) {
            (Some(failure), 0) => Err(failure.clone()),
            (None, 0) => Err(TraceError::Empty { file: self.file.clone() }),
            _ => Ok(&self.block[..self.filled]),
        }
    }

    /// Number of the last line handed out, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the last line had no line end.
    pub(crate) fn unterminated(&self) -> bool {
        self.unterminated
    }

    /// Path as given.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Where the bytes come from.
    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// A fault on the given line.
    pub(crate) fn at_line(&self, line: u64, fault: LineFault) -> TraceError {
        TraceError::Line { file: self.file.clone(), line, fault }
    }
}
