//! A trace file as records through a format's parser and the checks.

use crate::error::{LineFault, TraceError};
use crate::formats::{self, Format};
use crate::options::{foreign_columns, refuse_foreign, TraceOptions};
use crate::records::batch::{Batch, RowParser};
use crate::records::blocks::RecordReader;
use crate::records::checker::Checker;
use crate::request_source::{several_volumes, Facts, RequestSource, TraceEntry};
use crate::sources::detect::detect_in;
use crate::summary::TraceSummary;

/// Records, parser and checks; goes on after a faulty record when stepped again.
pub(crate) struct RecordSource {
    records: RecordReader,
    parser: Box<dyn RowParser>,
    checker: Checker,
    format: &'static Format,
    records_ended: bool,
}

impl RecordSource {
    /// Settles the format of what was opened.
    pub(crate) fn new(mut records: RecordReader, options: &TraceOptions) -> Result<Self, TraceError> {
        let format = match &options.format {
            Some(name) => formats::named(name)?,
            None => {
                let file = records.file().to_owned();
                match detect_in(&file, records.sample()?) {
                    Ok(format) => format,
                    Err(error) => return Err(records.blame(error)),
                }
            }
        };
        records.set_text(format.text);
        if options.generic.is_some() && !format.takes_columns {
            return Err(foreign_columns(format.name));
        }
        refuse_foreign(options, format.name)?;
        let parser = (format.build)(options)?;
        if format.text {
            records.pass_mark();
        } else {
            // A parser that tells a version by its records has to see several,
            // however few bytes a pipe gives at a time.
            records.sample()?;
        }
        let checker = format.checker(options);
        Ok(Self { records, parser, checker, format, records_ended: false })
    }

    #[cold]
    fn fault(&self, fault: LineFault) -> TraceError {
        self.records.at_record(self.records.record(), fault)
    }
}

impl RequestSource for RecordSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        if self.records_ended {
            let drained = self.checker.drain_one(out);
            return drained.map_err(|fault| self.fault(fault));
        }
        let batch = Batch { records: &mut self.records, checker: &mut self.checker, out, max, left: max };
        if self.parser.take(batch)? {
            return Ok(true);
        }
        self.records_ended = true;
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.update_summary();
        let sha256 = self.records.input().sha256_hex().unwrap_or_default();
        self.checker.complete(self.records.unterminated(), sha256);
        self.checker.settle(self.records.file())
    }

    fn final_error(&mut self, error: TraceError) -> TraceError {
        match error {
            TraceError::Line { file, line, fault: LineFault::SecondVolume { .. } } => {
                several_volumes(self, file, line)
            }
            TraceError::Record { file, record, fault: LineFault::SecondVolume { .. }, .. } => {
                several_volumes(self, file, record)
            }
            faulty @ (TraceError::Line { .. } | TraceError::Record { .. }) => self.records.blame(faulty),
            other => other,
        }
    }

    fn update_summary(&mut self) {
        self.checker.update_summary(self.records.record());
    }

    fn summary(&self) -> &TraceSummary {
        self.checker.summary()
    }

    fn stream_names(&self) -> Vec<String> {
        self.checker.stream_names()
    }

    fn facts(&self) -> Facts<'_> {
        let input = self.records.input();
        let (done, total) = (input.byte_counter(), input.bytes_total());
        Facts { format: self.format.name, has_volumes: None, done, total, copy: None }
    }
}
