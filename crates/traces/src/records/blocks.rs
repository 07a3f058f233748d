//! Complete records, lines or binary, out of large blocks without a copy each.

use crate::error::{FileFault, LineFault, TraceError};
use crate::records::parser::{RecordParser, RECORD_BYTES_MAX};
use crate::stored::input::Input;
use crate::stored::opened::Opened;
use std::io::{ErrorKind, Read};
use std::sync::Arc;

/// Bytes in a block, and so the longest record taken.
const BLOCK_BYTES: usize = 256 * 1024;
/// Bytes looked at to tell the format.
const SAMPLE_BYTES: usize = 64 * 1024;

/// What some editors and spreadsheets put in front of a text: it is in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Hands out the records of a trace one after the other.
pub(crate) struct RecordReader {
    file: String,
    input: Input,
    block: Vec<u8>,
    /// Start of the next record in the block.
    start: usize,
    /// End of what the block holds.
    filled: usize,
    record: u64,
    /// Bytes of the blocks before this one.
    bytes_before: u64,
    /// Whether faults are told by line, not by record and byte.
    text: bool,
    ended: bool,
    /// A failed read, kept back until the records before it are handed out, so
    /// that problems come in trace order.
    failed_read: Option<std::io::Error>,
    /// That failure, once it was told.
    failure: Option<TraceError>,
    unterminated: bool,
}

impl RecordReader {
    pub(crate) fn open(opened: Opened) -> Result<Self, TraceError> {
        Ok(Self::new(opened.name().to_owned(), Input::new(opened, Arc::default())?))
    }

    /// Reads what was unpacked already; `file` is its name in messages.
    pub(crate) fn new(file: String, input: Input) -> Self {
        Self {
            file,
            input,
            block: vec![0; BLOCK_BYTES],
            start: 0,
            filled: 0,
            record: 0,
            bytes_before: 0,
            text: true,
            ended: false,
            failed_read: None,
            failure: None,
            unterminated: false,
        }
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
        self.record += 1;
        let line = &self.block[start..start + length];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// What is at hand from the next line on, mostly with the ends of many lines.
    #[inline]
    pub(crate) fn pending(&self) -> &[u8] {
        &self.block[self.start..self.filled]
    }

    /// Passes over so many lines of [`Self::pending`], behind which `left` bytes of it are left.
    #[inline]
    pub(crate) fn pass_lines(&mut self, lines: u64, left: usize) {
        self.start = self.filled - left;
        self.record += lines;
    }

    /// The next binary record, as long as the parser says; `None` at the end.
    #[inline]
    pub(crate) fn next_framed<P: RecordParser + ?Sized>(
        &mut self,
        parser: &mut P,
    ) -> Result<Option<&[u8]>, TraceError> {
        let Some(length) = self.frame(parser)? else {
            return Ok(None);
        };
        let start = self.start;
        self.start += length;
        self.record += 1;
        parser.normalise(&mut self.block[start..self.start]);
        Ok(Some(&self.block[start..self.start]))
    }

    /// Like [`Self::next_framed`], but the record stays the next one.
    pub(crate) fn peek_framed(
        &mut self,
        parser: &mut (impl RecordParser + ?Sized),
    ) -> Result<Option<&[u8]>, TraceError> {
        let Some(length) = self.frame(parser)? else {
            return Ok(None);
        };
        let record = &mut self.block[self.start..self.start + length];
        parser.normalise(record);
        Ok(Some(record))
    }

    /// Reads on until the block holds the next binary record; its length.
    #[inline]
    fn frame<P: RecordParser + ?Sized>(&mut self, parser: &mut P) -> Result<Option<usize>, TraceError> {
        loop {
            let pending = &self.block[self.start..self.filled];
            if pending.is_empty() && self.ended {
                return self.end_of_records();
            }
            let available = pending.len();
            let length = match parser.frame(pending) {
                Ok(length) => length,
                Err(fault) => return Err(self.unframed(fault)),
            };
            debug_assert!((1..=RECORD_BYTES_MAX).contains(&length));
            if length <= available {
                return Ok(Some(length));
            }
            if self.ended {
                return self.cut_short();
            }
            self.refill();
        }
    }

    /// A fault behind which no record can be found ends the trace.
    #[cold]
    fn unframed(&mut self, fault: LineFault) -> TraceError {
        let error = self.at_record(self.record + 1, fault);
        self.start = self.filled;
        self.ended = true;
        error
    }

    #[cold]
    fn end_of_records(&mut self) -> Result<Option<usize>, TraceError> {
        match self.failure() {
            Some(failure) => Err(failure),
            None if self.bytes_before == 0 && self.filled == 0 => Err(TraceError::empty(&self.file)),
            None => Ok(None),
        }
    }

    /// The source ended inside a record, as where the recorder was killed.
    #[cold]
    fn cut_short(&mut self) -> Result<Option<usize>, TraceError> {
        self.start = self.filled;
        self.unterminated = true;
        self.failure().map_or(Ok(None), Err)
    }

    /// The failed read, if there was one, when all before it is handed out.
    #[cold]
    fn failure(&mut self) -> Option<TraceError> {
        if let Some(error) = self.failed_read.take() {
            let unit = if self.text { "line" } else { "record" };
            self.failure = Some(self.input.explain(&self.file, (unit, self.record), error));
        }
        self.failure.clone()
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
                return Err(self.at_record(self.record + 1, fault));
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
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        if left > 0 {
            self.unterminated = true;
            return Ok(Some(left));
        }
        if self.record == 0 {
            return Err(TraceError::empty(&self.file));
        }
        Ok(None)
    }

    /// Moves the unfinished record to the front and reads once.
    fn refill(&mut self) {
        self.block.copy_within(self.start..self.filled, 0);
        self.bytes_before += self.start as u64;
        self.filled -= self.start;
        self.start = 0;
        match self.input.read(&mut self.block[self.filled..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                self.failed_read = Some(error);
                self.ended = true;
            }
        }
    }

    /// The beginning of the text, not consumed; only before the first line.
    pub(crate) fn sample(&mut self) -> Result<&[u8], TraceError> {
        while self.filled < SAMPLE_BYTES && !self.ended {
            self.refill();
        }
        if self.filled == 0 {
            return Err(self.failure().unwrap_or_else(|| TraceError::empty(&self.file)));
        }
        Ok(&self.block[..self.filled])
    }

    /// Passes over a byte order mark in front of the text; only before the first line.
    pub(crate) fn pass_mark(&mut self) {
        while self.filled < BYTE_ORDER_MARK.len() && !self.ended {
            self.refill();
        }
        if self.pending().starts_with(BYTE_ORDER_MARK) {
            self.start += BYTE_ORDER_MARK.len();
        }
    }

    /// What was read ahead and what is still to read; only before the first record.
    pub(crate) fn into_parts(mut self) -> (String, Vec<u8>, Input) {
        self.block.truncate(self.filled);
        (self.file, self.block, self.input)
    }

    /// Says whether faults are told by line (`true`, at first) or by record and byte.
    pub(crate) fn set_text(&mut self, text: bool) {
        self.text = text;
    }

    /// Whether faults are told by line.
    pub(crate) fn is_text(&self) -> bool {
        self.text
    }

    /// Number of the last record handed out, from 1.
    pub(crate) fn record(&self) -> u64 {
        self.record
    }

    /// Whether the last line, or binary record, had no end.
    pub(crate) fn unterminated(&self) -> bool {
        self.unterminated
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Where the bytes come from.
    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// An error in what was read, or that the compressed data is damaged, where its checksums tell so
    /// further on: what was unpacked of it until then may be anything.
    #[cold]
    pub(crate) fn blame(&mut self, error: TraceError) -> TraceError {
        let failed = self.failed_read.take().or_else(|| self.input.damage());
        let unit = if self.text { "line" } else { "record" };
        let before = self.record.saturating_sub(1);
        match failed.map(|failed| self.input.explain(&self.file, (unit, before), failed)) {
            Some(damaged @ TraceError::File { fault: FileFault::Damaged, .. }) => damaged,
            _ => error,
        }
    }

    pub(crate) fn at_record(&self, record: u64, fault: LineFault) -> TraceError {
        let file = self.file.clone();
        match self.text {
            true => TraceError::Line { file, line: record, fault },
            false => {
                TraceError::Record { file, record, end_byte: self.bytes_before + self.start as u64, fault }
            }
        }
    }
}
