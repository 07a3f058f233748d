//! The streaming reader: lines through a format's parser and the checks.

use crate::checker::Checker;
use crate::detect::detect_in;
use crate::error::{LineFault, TraceError};
use crate::formats::{self, Format, RecordParser};
use crate::lines::LineReader;
use crate::options::TraceOptions;
use crate::quote::first_binary_byte;
use crate::summary::TraceSummary;
use slcache_core::device::request::Request;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Opens a trace file, or standard input for the path `-`; the format is told
/// from the content unless the options name it.
pub fn open(path: &str, options: &TraceOptions) -> Result<TraceReader, TraceError> {
    Ok(TraceReader { machine: Machine::open(path, options)?, carried: None, failure: None, ended: false })
}

/// Reads a trace request by request, in batches.
pub struct TraceReader {
    machine: Machine,
    /// A request that did not fit the batch it was read for.
    carried: Option<Request>,
    failure: Option<TraceError>,
    ended: bool,
}

impl TraceReader {
    /// Clears `out` and appends up to `max` requests (at least one is asked
    /// for); `Ok(false)` at the end of the trace. Requests before a problem are
    /// always handed out before the error, which then stays.
    pub fn next_batch(&mut self, out: &mut Vec<Request>, max: usize) -> Result<bool, TraceError> {
        out.clear();
        out.extend(self.carried.take());
        let max = max.max(1);
        while out.len() < max && !self.ended {
            match self.machine.step(out) {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = true;
                    self.failure = self.machine.finish().err();
                }
                Err(error) => {
                    self.ended = true;
                    self.failure = Some(self.machine.list_volumes(error));
                }
            }
        }
        // One record gives at most two requests (a flush before a write).
        if out.len() > max {
            self.carried = out.pop();
        }
        self.machine.update_summary();
        match &self.failure {
            Some(failure) if out.is_empty() => Err(failure.clone()),
            _ => Ok(!out.is_empty()),
        }
    }

    /// Name of the format.
    pub fn format(&self) -> &'static str {
        self.machine.format.name
    }

    /// Stored (compressed) bytes consumed so far.
    pub fn bytes_read(&self) -> u64 {
        self.byte_counter().load(Ordering::Relaxed)
    }

    /// Stored bytes in all; `None` for standard input.
    pub fn bytes_total(&self) -> Option<u64> {
        self.machine.lines.input().bytes_total()
    }

    /// Counts so far; complete once [`Self::next_batch`] has said `Ok(false)`.
    pub fn summary(&self) -> &TraceSummary {
        self.machine.checker.summary()
    }

    /// The counter behind [`Self::bytes_read`], for another thread.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        self.machine.lines.input().byte_counter()
    }
}

/// Lines, parser and checks; goes on after a faulty line when stepped again.
pub(crate) struct Machine {
    lines: LineReader,
    parser: Box<dyn RecordParser>,
    checker: Checker,
    format: &'static Format,
    lines_ended: bool,
}

impl Machine {
    /// Opens the source and settles the format.
    pub(crate) fn open(path: &str, options: &TraceOptions) -> Result<Self, TraceError> {
        let mut lines = LineReader::open(path)?;
        let format = match &options.format {
            Some(name) => formats::named(name)?,
            None => detect_in(path, lines.sample()?)?,
        };
        if options.generic.is_some() && !format.takes_columns {
            return Err(TraceError::Option {
                key: "generic",
                value: format!("columns declared for format {}", format.name),
                allowed: "generic columns only with format = \"generic\"".to_owned(),
            });
        }
        let parser = (format.build)(options)?;
        let checker = Checker::new(format, options);
        Ok(Self { lines, parser, checker, format, lines_ended: false })
    }

    /// Takes one line, or at the end one request held back; `false` when
    /// nothing is left.
    #[inline]
    pub(crate) fn step(&mut self, out: &mut Vec<Request>) -> Result<bool, TraceError> {
        if self.lines_ended {
            let drained = self.checker.drain_one(out);
            return drained.map_err(|fault| self.lines.at_line(self.lines.line(), fault));
        }
        let Some(line) = self.lines.next_line()? else {
            self.lines_ended = true;
            return Ok(true);
        };
        let taken = match self.parser.record(line) {
            Ok(record) => self.checker.accept(record, out),
            Err(fault) => Err(describe(line, fault)),
        };
        match taken {
            Ok(()) => Ok(true),
            Err(fault) => Err(self.lines.at_line(self.lines.line(), fault)),
        }
    }

    /// Settles the figures at the end; an error when nothing was taken.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        self.update_summary();
        let sha256 = self.lines.input().sha256_hex();
        self.checker.complete(self.lines.unterminated(), sha256);
        let summary = self.checker.summary();
        let file = self.lines.file().to_owned();
        if let Some(volume) = self.checker.missing_volume() {
            let volume = volume.to_owned();
            return Err(TraceError::VolumeMissing { file, volume, listed: summary.volumes_text() });
        }
        if summary.requests() + summary.flushes + summary.trims == 0 {
            let skipped = summary.skipped_text();
            return Err(TraceError::NoRequests { file, lines: summary.lines, skipped });
        }
        Ok(())
    }

    /// On a second volume, reads to the end so that the error lists them all;
    /// other errors stay as they are.
    fn list_volumes(&mut self, error: TraceError) -> TraceError {
        let TraceError::Line { file, line, fault: LineFault::SecondVolume { .. } } = error else {
            return error;
        };
        let mut unused = Vec::new();
        while let Ok(true) | Err(TraceError::Line { .. }) = self.step(&mut unused) {
            unused.clear();
        }
        let summary = self.checker.summary();
        let count = summary.volumes.len();
        TraceError::SeveralVolumes { file, line, count, listed: summary.volumes_text() }
    }

    /// Brings line counts and the like up to date.
    pub(crate) fn update_summary(&mut self) {
        self.checker.update_summary(self.lines.line());
    }

    /// Counts so far.
    pub(crate) fn summary(&self) -> &TraceSummary {
        self.checker.summary()
    }

    /// Name of the format.
    pub(crate) fn format_name(&self) -> &'static str {
        self.format.name
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
