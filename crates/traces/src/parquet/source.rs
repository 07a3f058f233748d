//! A trace in the Parquet layout through the checks that every trace goes through.

use super::columns::RequestColumns;
use super::metadata::{Metadata, Totals};
use super::row_groups::{plain, RowGroups};
use crate::catalogue::{PARQUET, WORKLOAD};
use crate::error::quote::{cut, listed};
use crate::error::{FileFault, LineFault, TraceError};
use crate::formats;
use crate::options::{foreign_columns, refuse_foreign, TraceOptions, VolumeChoice};
use crate::records::checker::{Checker, OTHER_VOLUME};
use crate::request_source::{Facts, Origin, RequestSource, TraceEntry};
use crate::stored::input::{RawInput, StoredBytes};
use crate::stored::opened::{Opened, SharedFile};
use crate::stored::trace_path::TracePath;
use crate::summary::{TraceSummary, VolumeCount};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Rows and checks; goes on behind a faulty row when stepped again.
pub(crate) struct ParquetSource {
    file: String,
    groups: RowGroups,
    metadata: Metadata,
    columns: RequestColumns,
    /// Next row of the columns, and next of their response times.
    row: usize,
    response: usize,
    rows_taken: u64,
    totals: Totals,
    choice: StreamChoice,
    /// Name of the format that the trace was read as which this file stands for.
    format: &'static str,
    checker: Checker,
    rows_ended: bool,
    bytes: SharedFile,
    stored: Reread,
}

/// Which streams are taken, and as which.
enum StreamChoice {
    AsStored,
    Merged,
    Only(u16),
}

impl ParquetSource {
    /// Reads what was opened; a pipe is copied, as the footer comes last.
    pub(crate) fn open(opened: Opened, options: &TraceOptions) -> Result<Self, TraceError> {
        let mut source = Self::of(opened, options)?;
        source.choice = choose(&source.file, &source.metadata.volumes, options)?;
        let summary = source.checker.summary_mut();
        let volume = |name: &String| VolumeCount { name: name.clone(), requests: 0 };
        summary.volumes = source.metadata.volumes.iter().map(volume).collect();
        summary.label.clone_from(&source.metadata.origin.label);
        summary.steps.clone_from(&source.metadata.origin.steps);
        // A file by itself is what it holds.
        source.metadata.reading = None;
        Ok(source)
    }

    /// Reads a file in the place of the trace that it was made of, which must have been read as asked now.
    pub(crate) fn in_place(file: &Path, options: &TraceOptions) -> Result<Self, TraceError> {
        let file = file.display().to_string();
        let opened = Opened::of(&TracePath::new(&file))?;
        let mut source = Self::of(opened, &TraceOptions::default()).map_err(|error| damaged(&file, error))?;
        source.stored = Reread::new(&source.bytes, false);
        let damaged = |what: &str| prepared(&file, what);
        let reading = source.metadata.reading.as_ref().ok_or_else(|| damaged("it stands for no trace"))?;
        if reading.options != *options {
            return Err(damaged("it was made with other options of the trace's reader"));
        }
        source.format = match reading.format.as_str() {
            PARQUET => PARQUET,
            WORKLOAD => WORKLOAD,
            name => formats::named(name).map_err(|error| self::damaged(&file, error))?.name,
        };
        Ok(source)
    }

    fn of(opened: Opened, options: &TraceOptions) -> Result<Self, TraceError> {
        let file = opened.name().to_owned();
        let bytes = opened.into_shared(&mut |_, _, _| true)?;
        if bytes.bytes() == 0 {
            return Err(TraceError::empty(&file));
        }
        let (groups, metadata) = RowGroups::open(bytes.clone())
            .map_err(|message| TraceError::file(file.as_str(), FileFault::Damaged, message))?;
        Ok(Self {
            file,
            groups,
            metadata,
            columns: RequestColumns::default(),
            row: 0,
            response: 0,
            rows_taken: 0,
            totals: Totals::default(),
            choice: StreamChoice::AsStored,
            format: PARQUET,
            checker: Checker::of_streams(options),
            rows_ended: false,
            stored: Reread::new(&bytes, true),
            bytes,
        })
    }

    #[inline]
    fn take(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        if self.rows_ended {
            return self.checker.drain_one(out).map_err(|fault| self.fault(fault));
        }
        if self.row == self.columns.len() && !self.next_columns()? {
            self.rows_ended = true;
            return Ok(true);
        }
        while self.row < self.columns.len() && out.len() < max {
            let row = self.row;
            self.row += 1;
            self.rows_taken += 1;
            let taken = self.columns.entry(row, &mut self.response).and_then(|entry| {
                // In the place of another trace all was settled when it was made.
                if self.metadata.reading.is_some() {
                    out.push(entry);
                    return Ok(());
                }
                self.totals.add(&entry);
                self.accept(entry, out)
            });
            taken.map_err(|fault| self.fault(fault))?;
        }
        Ok(true)
    }

    /// Decodes the next rows; the bytes of a row group are checked first.
    fn next_columns(&mut self) -> Result<bool, TraceError> {
        (self.row, self.response) = (0, 0);
        if let Some(place) = self.groups.group_to_open() {
            let group = self.metadata.row_groups[place];
            let crc32 = self.stored.advance(group.end_byte).map_err(|source| self.unreadable(source))?;
            if crc32 != group.crc32 {
                return Err(self.damaged("its bytes do not have the checksum of the footer"));
            }
        }
        self.groups.next(&mut self.columns).map_err(|error| self.damaged(&plain(&error)))
    }

    /// The error, told of a file that can be made anew where it is one.
    #[cold]
    fn told(&self, error: TraceError) -> TraceError {
        match self.metadata.reading {
            Some(_) => damaged(&self.file, error),
            None => error,
        }
    }

    #[cold]
    fn damaged(&self, reason: &str) -> TraceError {
        let reason = format!("the file is damaged behind row {}: {reason}", self.rows_taken);
        TraceError::file(self.file.as_str(), FileFault::Damaged, reason)
    }

    #[inline]
    fn accept(&mut self, mut entry: TraceEntry, out: &mut Vec<TraceEntry>) -> Result<(), LineFault> {
        let stream = entry.request.stream;
        if !self.metadata.volumes.is_empty() {
            let volumes = &mut self.checker.summary_mut().volumes;
            let Some(volume) = volumes.get_mut(usize::from(stream)) else {
                let allowed = "the number of a volume of the file";
                return Err(LineFault::field(5, "stream", stream.to_string().as_bytes(), allowed));
            };
            volume.requests += 1;
        }
        match self.choice {
            StreamChoice::AsStored => {}
            StreamChoice::Only(chosen) if chosen != stream => {
                self.checker.summary_mut().skip(OTHER_VOLUME);
                return Ok(());
            }
            StreamChoice::Only(_) | StreamChoice::Merged => entry.request.stream = 0,
        }
        self.checker.accept_entry(entry, out)
    }

    #[cold]
    fn fault(&self, fault: LineFault) -> TraceError {
        TraceError::Row { file: self.file.clone(), row: self.rows_taken, fault }
    }

    #[cold]
    fn unreadable(&self, source: std::io::Error) -> TraceError {
        let reason = format!("reading failed after row {}: {source}", self.rows_taken);
        TraceError::file(self.file.as_str(), FileFault::Read, reason)
    }

    fn settle(&mut self) -> Result<(), TraceError> {
        self.update_summary();
        let advanced = self.stored.advance(u64::MAX);
        advanced.map_err(|source| self.unreadable(source))?;
        self.checker.complete(false, self.stored.sha256_hex());
        let (found, expected) = (self.totals.counts(), &self.metadata.counts);
        if found != *expected {
            let reason = format!(
                "the file was changed: its rows do not have the counts or the digest of its footer ({found:?}; expected {expected:?})"
            );
            return Err(TraceError::file(self.file.as_str(), FileFault::Damaged, reason));
        }
        let summary = self.checker.summary();
        if summary.requests() + summary.flushes + summary.trims == 0 {
            return Err(TraceError::no_requests(&self.file, self.rows_taken, &summary.skipped_text()));
        }
        Ok(())
    }
}

impl RequestSource for ParquetSource {
    fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
        self.take(out, max).map_err(|error| self.told(error))
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        match &self.metadata.reading {
            Some(reading) => *self.checker.summary_mut() = reading.summary.clone(),
            None => self.settle()?,
        }
        Ok(())
    }

    fn update_summary(&mut self) {
        // Where it stands for another trace, the counts are that one's.
        if self.metadata.reading.is_none() {
            self.checker.update_summary(self.rows_taken);
        }
    }

    fn summary(&self) -> &TraceSummary {
        self.checker.summary()
    }

    fn stream_names(&self) -> Vec<String> {
        if let Some(reading) = &self.metadata.reading {
            return reading.stream_names.clone();
        }
        let volumes = &self.metadata.volumes;
        match self.choice {
            StreamChoice::AsStored => volumes.clone(),
            StreamChoice::Merged => Vec::new(),
            StreamChoice::Only(stream) => vec![volumes[usize::from(stream)].clone()],
        }
    }

    fn facts(&self) -> Facts<'_> {
        let reading = self.metadata.reading.as_ref();
        Facts {
            format: self.format,
            has_volumes: Some(reading.map_or(self.stream_names().len() > 1, |reading| reading.has_volumes)),
            done: self.stored.byte_counter(),
            total: Some(self.bytes.bytes()),
            // In the place of another trace its bytes alone would be read as a trace of their own.
            copy: reading.is_none().then_some(&self.bytes),
        }
    }

    fn origin(&self, _: &str) -> Origin {
        self.metadata.origin.clone()
    }
}

/// The error of a file that stands for a trace.
fn damaged(file: &str, error: TraceError) -> TraceError {
    match error {
        TraceError::File { reason, .. } => prepared(file, &reason),
        other => prepared(file, &other.to_string()),
    }
}

fn prepared(file: &str, what: &str) -> TraceError {
    let reason = format!("no prepared trace, or a damaged one: {what}; remove it, and it is made anew");
    TraceError::file(file, FileFault::Damaged, reason)
}

/// What the volume option means for the volumes of the file; without one they
/// are taken as they were stored.
fn choose(path: &str, volumes: &[String], options: &TraceOptions) -> Result<StreamChoice, TraceError> {
    let file = || path.to_owned();
    if options.generic.is_some() {
        return Err(foreign_columns(PARQUET));
    }
    refuse_foreign(options, PARQUET)?;
    let listed = || listed(volumes.iter().map(|volume| cut(volume)));
    match &options.volume {
        None | Some(VolumeChoice::Each) => Ok(StreamChoice::AsStored),
        Some(VolumeChoice::Merge) => Ok(StreamChoice::Merged),
        Some(VolumeChoice::Error) if volumes.len() < 2 => Ok(StreamChoice::AsStored),
        Some(VolumeChoice::Error) => {
            Err(TraceError::SeveralVolumes { file: file(), line: 1, count: volumes.len(), listed: listed() })
        }
        Some(VolumeChoice::Named(name)) => match volumes.iter().position(|volume| volume == name) {
            // There are at most as many volumes as stream numbers.
            Some(stream) => Ok(StreamChoice::Only(stream as u16)),
            None => Err(TraceError::VolumeMissing { file: file(), volume: name.clone(), listed: listed() }),
        },
    }
}

/// Bytes read at a time.
const BLOCK_BYTES: usize = 1 << 18;

/// Reads a file once more from beginning to end, a row group ahead of what is
/// made of it, for its hash and for the checksums of the groups.
pub(super) struct Reread {
    file: RawInput,
    stored: StoredBytes,
    block: Box<[u8]>,
}

impl Reread {
    /// Of a file that others read as well; with its hash, if it `hashes`.
    pub(super) fn new(file: &SharedFile, hashes: bool) -> Self {
        let stored = if hashes { StoredBytes::hashed(Arc::default()) } else { StoredBytes::counted() };
        let block = vec![0; BLOCK_BYTES].into_boxed_slice();
        Self { file: RawInput::new(Box::new(file.reader(0)), stored.clone()), stored, block }
    }

    /// Reads on to byte `end`, or to the end of the file; the CRC-32 of what
    /// was read now.
    pub(super) fn advance(&mut self, end: u64) -> std::io::Result<u32> {
        let mut crc32 = crc32fast::Hasher::new();
        loop {
            let left = end.saturating_sub(self.byte_counter().load(Ordering::Relaxed));
            let room = left.min(BLOCK_BYTES as u64) as usize;
            let count = self.file.read(&mut self.block[..room])?;
            if count == 0 {
                return Ok(crc32.finalize());
            }
            crc32.update(&self.block[..count]);
        }
    }

    /// SHA-256 of what was read so far, in hex.
    pub(super) fn sha256_hex(&self) -> String {
        self.stored.sha256_hex().unwrap_or_default()
    }

    /// Bytes read so far; shared.
    pub(super) fn byte_counter(&self) -> Arc<AtomicU64> {
        self.stored.byte_counter()
    }
}
