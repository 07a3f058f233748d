//! Many records in a row through a format's parser and the checks.

use crate::error::quote::first_binary_byte;
use crate::error::{LineFault, TraceError};
use crate::records::blocks::RecordReader;
use crate::records::checker::Checker;
use crate::records::parser::{RecordParser, SKIPPED_CUT};
use crate::request_source::TraceEntry;

/// What a parser takes records from and where their requests go.
pub(crate) struct Batch<'a> {
    /// The records, from the next one on.
    pub records: &'a mut RecordReader,
    /// The checks between a record and its requests.
    pub checker: &'a mut Checker,
    /// Where requests are appended.
    pub out: &'a mut Vec<TraceEntry>,
    /// No record is taken once `out` holds as many requests.
    pub max: usize,
    /// Most records still taken.
    pub left: usize,
}

/// A parser of records in a row. Built once for every format, so that parser and checks become one loop
/// without a call through a table for each line.
pub(crate) trait RowParser: RecordParser {
    /// Takes many records; `false` when there are no more.
    fn take(&mut self, batch: Batch<'_>) -> Result<bool, TraceError>;
}

impl<P: RecordParser> RowParser for P {
    fn take(&mut self, batch: Batch<'_>) -> Result<bool, TraceError> {
        batch.through(self)
    }
}

impl Batch<'_> {
    /// Takes the records; `false` when there are no more.
    #[inline]
    fn through<P: RecordParser>(mut self, parser: &mut P) -> Result<bool, TraceError> {
        let text = self.records.is_text();
        while !self.is_full() {
            if text {
                self.quick_lines(parser)?;
                if self.is_full() {
                    break;
                }
            }
            if !self.one(parser, text)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.left == 0 || self.out.len() >= self.max
    }

    /// Takes lines as long as none needs a closer look.
    #[inline(always)]
    fn quick_lines<P: RecordParser>(&mut self, parser: &P) -> Result<(), TraceError> {
        let mut pending = self.records.pending();
        let (mut lines, mut fault) = (0, None);
        while lines < self.left && self.out.len() < self.max {
            let Some((record, behind)) = parser.quick(pending) else {
                break;
            };
            pending = behind;
            lines += 1;
            if let Err(wrong) = self.checker.accept(record, self.out) {
                fault = Some(wrong);
                break;
            }
        }
        let left = pending.len();
        self.left -= lines;
        self.records.pass_lines(lines as u64, left);
        match fault {
            None => Ok(()),
            Some(fault) => Err(self.records.at_record(self.records.record(), fault)),
        }
    }

    /// Takes one record; `false` when there is none.
    fn one<P: RecordParser>(&mut self, parser: &mut P, text: bool) -> Result<bool, TraceError> {
        let next = match text {
            true => self.records.next_line()?,
            false => self.records.next_framed(parser)?,
        };
        let Some(bytes) = next else {
            if !text && self.records.unterminated() {
                self.checker.skip(SKIPPED_CUT);
            }
            return Ok(false);
        };
        self.left -= 1;
        let (taken, parsed) = match parser.record(bytes) {
            Ok(record) => (self.checker.accept(record, self.out), true),
            Err(fault) if text => (Err(describe(bytes, fault)), false),
            Err(fault) => (Err(fault), false),
        };
        match taken {
            Ok(()) => Ok(true),
            Err(_) if !parsed && self.records.unterminated() => {
                self.checker.skip(SKIPPED_CUT);
                Ok(true)
            }
            Err(fault) => Err(self.records.at_record(self.records.record(), fault)),
        }
    }
}

/// A fault on a line of junk is told as junk, not by its first odd field.
#[cold]
fn describe(line: &[u8], fault: LineFault) -> LineFault {
    match first_binary_byte(line) {
        Some((column, byte)) => LineFault::Binary { byte, column },
        None if line.is_empty() => LineFault::EmptyLine,
        None => fault,
    }
}

#[cfg(test)]
mod tests;
