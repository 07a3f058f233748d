//! A trace in the Parquet layout through the checks that every trace goes through.

use super::columns::Columns;
use super::metadata::{Metadata, Totals};
use super::reread::Reread;
use super::row_groups::{plain, RowGroups};
use crate::entry::TraceEntry;
use crate::error::quote::{cut, listed};
use crate::error::{LineFault, TraceError};
use crate::format_names::PARQUET;
use crate::options::foreign::refuse_foreign;
use crate::options::{TraceOptions, VolumeChoice};
use crate::origin::Origin;
use crate::records::checker::{Checker, OTHER_VOLUME};
use crate::stored::opened::Opened;
use crate::stored::shared_file::SharedFile;
use crate::summary::{TraceSummary, VolumeCount};
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// Rows and checks; goes on behind a faulty row when stepped again.
pub(crate) struct ParquetSource {
    file: String,
    groups: RowGroups,
    metadata: Metadata,
    columns: Columns,
    /// Next row of the columns, and next of their response times.
    row: usize,
    response: usize,
    rows_taken: u64,
    totals: Totals,
    choice: Choice,
    checker: Checker,
    rows_ended: bool,
    bytes: SharedFile,
    stored: Reread,
}

/// Which streams are taken, and as which.
enum Choice {
    AsStored,
    Merged,
    Only(u16),
}

impl ParquetSource {
    /// Reads what was opened; a pipe is copied, as the footer comes last.
    pub(crate) fn open(opened: Opened, options: &TraceOptions) -> Result<Self, TraceError> {
        let file = opened.name().to_owned();
        let bytes = opened.into_shared(&mut |_, _, _| true)?;
        if bytes.bytes() == 0 {
            return Err(TraceError::Empty { file });
        }
        let (groups, metadata) = RowGroups::open(bytes.clone())
            .map_err(|message| TraceError::Parquet { file: file.clone(), message })?;
        let choice = choose(&file, &metadata.volumes, options)?;
        let mut checker = Checker::of_streams(options);
        let summary = checker.summary_mut();
        let volume = |name: &String| VolumeCount { name: name.clone(), requests: 0 };
        summary.volumes = metadata.volumes.iter().map(volume).collect();
        summary.label.clone_from(&metadata.origin.label);
        summary.steps.clone_from(&metadata.origin.steps);
        Ok(Self {
            file,
            groups,
            metadata,
            columns: Columns::default(),
            row: 0,
            response: 0,
            rows_taken: 0,
            totals: Totals::default(),
            choice,
            checker,
            rows_ended: false,
            stored: Reread::new(&bytes),
            bytes,
        })
    }

    /// Takes rows until `out` holds `max` requests, or at the end one request held back; `false` when
    /// nothing is left.
    pub(crate) fn step(&mut self, out: &mut Vec<TraceEntry>, max: usize) -> Result<bool, TraceError> {
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

    #[cold]
    fn damaged(&self, reason: &str) -> TraceError {
        let message = format!("the file is damaged behind row {}: {reason}", self.rows_taken);
        TraceError::Parquet { file: self.file.clone(), message }
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
            Choice::AsStored => {}
            Choice::Only(chosen) if chosen != stream => {
                self.checker.summary_mut().skip(OTHER_VOLUME);
                return Ok(());
            }
            Choice::Only(_) | Choice::Merged => entry.request.stream = 0,
        }
        self.checker.accept_entry(entry, out)
    }

    #[cold]
    fn fault(&self, fault: LineFault) -> TraceError {
        TraceError::Row { file: self.file.clone(), row: self.rows_taken, fault }
    }

    #[cold]
    fn unreadable(&self, source: std::io::Error) -> TraceError {
        TraceError::Read {
            file: self.file.clone(),
            unit: "row",
            line: self.rows_taken,
            source: Arc::new(source),
        }
    }

    /// Settles the figures at the end; an error when the rows are not those
    /// that were written, or none was taken.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        self.update_summary();
        let advanced = self.stored.advance(u64::MAX);
        advanced.map_err(|source| self.unreadable(source))?;
        self.checker.complete(false, self.stored.sha256_hex());
        let file = self.file.clone();
        let (found, expected) = (self.totals.counts(), &self.metadata.counts);
        if found != *expected {
            let message = format!(
                "the file was changed: its rows do not have the counts or the digest of its footer ({found:?}; expected {expected:?})"
            );
            return Err(TraceError::Parquet { file, message });
        }
        let summary = self.checker.summary();
        if summary.requests() + summary.flushes + summary.trims == 0 {
            let skipped = summary.skipped_text();
            return Err(TraceError::NoRequests { file, lines: self.rows_taken, skipped });
        }
        Ok(())
    }

    /// Brings counts that are kept elsewhere up to date.
    pub(crate) fn update_summary(&mut self) {
        self.checker.update_summary(self.rows_taken);
    }

    /// Counts so far.
    pub(crate) fn summary(&self) -> &TraceSummary {
        self.checker.summary()
    }

    /// The names of the volumes by stream; empty where the streams are not volumes.
    pub(crate) fn stream_names(&self) -> Vec<String> {
        let volumes = &self.metadata.volumes;
        match self.choice {
            Choice::AsStored => volumes.clone(),
            Choice::Merged => Vec::new(),
            Choice::Only(stream) => vec![volumes[usize::from(stream)].clone()],
        }
    }

    pub(crate) fn bytes(&self) -> &SharedFile {
        &self.bytes
    }

    /// Where the rows come from, before this file.
    pub(crate) fn origin(&self) -> &Origin {
        &self.metadata.origin
    }

    /// Stored bytes looked at so far; shared.
    pub(crate) fn byte_counter(&self) -> Arc<AtomicU64> {
        self.stored.byte_counter()
    }

    /// Stored bytes in all.
    pub(crate) fn bytes_total(&self) -> u64 {
        self.stored.total()
    }
}

/// What the volume option means for the volumes of the file; without one they
/// are taken as they were stored.
fn choose(path: &str, volumes: &[String], options: &TraceOptions) -> Result<Choice, TraceError> {
    let file = || path.to_owned();
    if options.generic.is_some() {
        return Err(TraceError::Option {
            key: "generic",
            value: format!("columns declared for format {PARQUET}"),
            allowed: "generic columns only with format = \"generic\"".to_owned(),
        });
    }
    refuse_foreign(options, PARQUET)?;
    let listed = || listed(volumes.iter().map(|volume| cut(volume)));
    match &options.volume {
        None | Some(VolumeChoice::Each) => Ok(Choice::AsStored),
        Some(VolumeChoice::Merge) => Ok(Choice::Merged),
        Some(VolumeChoice::Error) if volumes.len() < 2 => Ok(Choice::AsStored),
        Some(VolumeChoice::Error) => {
            Err(TraceError::SeveralVolumes { file: file(), line: 1, count: volumes.len(), listed: listed() })
        }
        Some(VolumeChoice::Named(name)) => match volumes.iter().position(|volume| volume == name) {
            // There are at most as many volumes as stream numbers.
            Some(stream) => Ok(Choice::Only(stream as u16)),
            None => Err(TraceError::VolumeMissing { file: file(), volume: name.clone(), listed: listed() }),
        },
    }
}
