//! A blktrace recording in several files, merged by time.

use crate::error::{FileFault, LineFault, TraceError};
use crate::formats::{self, merge_key, MergeKey, BLKTRACE};
use crate::options::{refuse_foreign, TraceOptions};
use crate::records::batch::RowParser;
use crate::records::blocks::RecordReader;
use crate::records::checker::Checker;
use crate::records::parser::SKIPPED_CUT;
use crate::request_source::{several_volumes, Facts, RequestSource, TraceEntry};
use crate::stored::blktrace_files::Archive;
use crate::stored::input::Input;
use crate::stored::opened::Opened;
use crate::stored::stored_hash::StoredHash;
use crate::stored::trace_path::TracePath;
use crate::summary::TraceSummary;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

const SKIPPED_MEMBER: &str = "file in the archive that is not of the recording";

/// The files, the next record of each, and the checks on the merged records.
pub(crate) struct MergedSource {
    file: String,
    members: Vec<MergedMember>,
    /// What comes next of each file that has more; file 0 first where equal.
    next: BinaryHeap<Reverse<(MergeKey, usize)>>,
    /// Faults met in looking ahead, told at the next steps.
    due: VecDeque<TraceError>,
    checker: Checker,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
    /// The archive the files were taken from, if they were.
    archive: Option<Input>,
    records_ended: bool,
}

struct MergedMember {
    records: RecordReader,
    parser: Box<dyn RowParser>,
}

impl MergedSource {
    /// Opens the files of a recording; `path` is its name in messages.
    pub(crate) fn open(
        path: &TracePath,
        files: &[String],
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let bytes_read = Arc::<AtomicU64>::default();
        let open = |file: &String| {
            // Of one of them there may be a copy.
            let path = if file == path.name() { path.clone() } else { TracePath::new(file) };
            Ok((file.clone(), Input::new(Opened::of(&path)?, Arc::clone(&bytes_read))?))
        };
        let inputs: Vec<(String, Input)> = files.iter().map(open).collect::<Result<_, TraceError>>()?;
        let bytes_total = inputs.iter().map(|(_, input)| input.bytes_total()).sum();
        Self::new(path.name(), inputs, (bytes_read, bytes_total), options)
    }

    /// Reads the files of an archive.
    pub(crate) fn of_archive(
        path: &str,
        archive: Archive,
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let bytes = (archive.input.byte_counter(), archive.input.bytes_total());
        let inputs = archive.members.into_iter().map(|member| (member.name, member.input)).collect();
        let mut source = Self::new(path, inputs, bytes, options)?;
        for _ in 0..archive.others {
            source.checker.skip(SKIPPED_MEMBER);
        }
        source.archive = Some(archive.input);
        Ok(source)
    }

    fn new(
        path: &str,
        inputs: Vec<(String, Input)>,
        (bytes_read, bytes_total): (Arc<AtomicU64>, Option<u64>),
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let format = formats::named(BLKTRACE)?;
        refuse_foreign(options, BLKTRACE)?;
        let mut source = Self {
            file: path.to_owned(),
            members: Vec::with_capacity(inputs.len()),
            next: BinaryHeap::with_capacity(inputs.len()),
            due: VecDeque::new(),
            checker: format.checker(options),
            bytes_read,
            bytes_total,
            archive: None,
            records_ended: false,
        };
        for (file, input) in inputs {
            let mut records = RecordReader::new(file, input);
            records.set_text(false);
            source.members.push(MergedMember { records, parser: (format.build)(options)? });
            source.look_ahead(source.members.len() - 1);
        }
        Ok(source)
    }

    /// Puts the next record of a file among those that wait. A file may be
    /// empty: blktrace makes one for a CPU that had nothing to say.
    fn look_ahead(&mut self, place: usize) {
        let member = &mut self.members[place];
        match member.records.peek_framed(member.parser.as_mut()) {
            Ok(Some(record)) => self.next.push(Reverse((merge_key(record), place))),
            Ok(None) | Err(TraceError::File { fault: FileFault::Empty, .. }) => {}
            Err(error) => self.due.push_back(error),
        }
        // Nothing comes behind it, so that this is its only time.
        if self.members[place].records.unterminated() {
            self.checker.skip(SKIPPED_CUT);
        }
    }

    fn take(&mut self, place: usize, out: &mut Vec<TraceEntry>) -> Result<(), TraceError> {
        let MergedMember { records, parser } = &mut self.members[place];
        let Some(bytes) = records.next_framed(parser.as_mut())? else {
            return Ok(());
        };
        let taken = match parser.record(bytes) {
            Ok(record) => self.checker.accept(record, out),
            Err(fault) => Err(fault),
        };
        taken.map_err(|fault| self.fault(place, fault))
    }

    #[cold]
    fn fault(&self, place: usize, fault: LineFault) -> TraceError {
        let records = &self.members[place].records;
        records.at_record(records.record(), fault)
    }

    /// SHA-256 of the archive; of a single file; of several, SHA-256 of the
    /// lines with the SHA-256 of each in hex, in order of CPUs.
    fn sha256_hex(&self) -> String {
        let of = |input: &Input| input.sha256_hex().unwrap_or_default();
        match (&self.archive, self.members.as_slice()) {
            (Some(archive), _) => of(archive),
            (None, [member]) => of(member.records.input()),
            (None, members) => {
                let lines = members.iter().map(|member| of(member.records.input()) + "\n");
                StoredHash::of_text(&lines.collect::<String>())
            }
        }
    }
}

impl RequestSource for MergedSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, _: usize) -> Result<bool, TraceError> {
        if let Some(error) = self.due.pop_front() {
            return Err(error);
        }
        if self.records_ended {
            let drained = self.checker.drain_one(out);
            return drained.map_err(|fault| self.fault(self.members.len() - 1, fault));
        }
        let Some(Reverse((_, place))) = self.next.pop() else {
            self.records_ended = true;
            return Ok(true);
        };
        let taken = self.take(place, out);
        self.look_ahead(place);
        taken.map(|()| true)
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.update_summary();
        let sha256 = self.sha256_hex();
        let unterminated = self.members.iter().any(|member| member.records.unterminated());
        self.checker.complete(unterminated, sha256);
        self.checker.settle(&self.file)
    }

    fn final_error(&mut self, error: TraceError) -> TraceError {
        match error {
            TraceError::Record { file, record, fault: LineFault::SecondVolume { .. }, .. } => {
                several_volumes(self, file, record)
            }
            other => other,
        }
    }

    fn update_summary(&mut self) {
        let records = self.members.iter().map(|member| member.records.record()).sum();
        self.checker.update_summary(records);
    }

    fn summary(&self) -> &TraceSummary {
        self.checker.summary()
    }

    fn stream_names(&self) -> Vec<String> {
        self.checker.stream_names()
    }

    fn facts(&self) -> Facts<'_> {
        let (done, total) = (Arc::clone(&self.bytes_read), self.bytes_total);
        Facts { format: BLKTRACE, has_volumes: None, done, total, copy: None }
    }
}
