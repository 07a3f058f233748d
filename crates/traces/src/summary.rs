//! What a reader has seen: counts of everything taken and left out.

use crate::error::quote::{cut, listed};
use crate::error::{LineFault, TraceError};
use crate::records::parser::{SKIPPED_COMPLETION, SKIPPED_ISSUE};
use crate::times;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slcache_base::request::{HostOp, Request};
use std::borrow::Cow;

/// Counts of what a reader took and left out; complete at the end of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceSummary {
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Flush requests.
    pub flushes: u64,
    /// Trim (discard) requests.
    pub trims: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Bytes trimmed; the same range may be trimmed again and again.
    pub trim_bytes: u64,
    /// Time of the first request in nanoseconds, as given out.
    pub first_ns: Option<u64>,
    /// Time of the last request in nanoseconds, as given out.
    pub last_ns: Option<u64>,
    /// Nanoseconds taken off every time because time 0 is the first request; below 0 where that came before
    /// the time that the file counts from.
    pub rebased_by_ns: i128,
    /// Lines read.
    pub lines: u64,
    /// Whether the last line has no line end: perhaps a file cut short.
    pub last_line_unterminated: bool,
    /// Records left out on purpose, by reason.
    pub skipped: Vec<Skipped>,
    /// Requests put in order by the reorder window.
    pub reordered: u64,
    /// Requests whose time runs backwards, kept as given.
    pub kept_unsorted: u64,
    /// Requests widened to whole 512-byte sectors.
    pub rounded_to_sectors: u64,
    /// Requests moved inside their second, as the trace tells whole seconds.
    pub spread_inside_seconds: u64,
    /// Times rounded to whole nanoseconds.
    pub rounded_to_ns: u64,
    /// Writes that asked to be durable on completion (FUA), given out as plain writes.
    pub forced_unit_access_writes: u64,
    /// What the requests are where they are not a recording, such as
    /// `twin of ...`.
    pub label: Option<String>,
    /// Transformations that made the trace out of its source, in order, where
    /// the file says so.
    pub steps: Vec<String>,
    /// Volumes in order of first appearance.
    pub volumes: Vec<VolumeCount>,
    /// SHA-256 of the file as stored, in hex; set at the end of the trace.
    pub sha256: Option<String>,
}

/// Records left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// Why lines were left out.
    pub reason: Cow<'static, str>,
    /// How many lines were left out for it.
    pub count: u64,
}

/// A volume and how many records name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeCount {
    /// Its name; empty where the format has no volumes.
    pub name: String,
    /// Records that name it, flushes and trims included.
    pub requests: u64,
}

impl TraceSummary {
    pub fn requests(&self) -> u64 {
        self.reads + self.writes
    }

    /// What was read, with nothing taken of it yet.
    pub(crate) fn untaken(&self) -> Self {
        self.with_taken(&Self::default())
    }

    /// What was read, with what another one took of it.
    pub(crate) fn with_taken(&self, by: &Self) -> Self {
        Self {
            reads: by.reads,
            writes: by.writes,
            flushes: by.flushes,
            trims: by.trims,
            read_bytes: by.read_bytes,
            write_bytes: by.write_bytes,
            trim_bytes: by.trim_bytes,
            first_ns: by.first_ns,
            last_ns: by.last_ns,
            ..self.clone()
        }
    }

    /// Counts a record left out.
    pub(crate) fn skip(&mut self, reason: &'static str) {
        self.skip_all(reason, 1);
    }

    /// Counts records left out.
    pub(crate) fn skip_all(&mut self, reason: &'static str, count: u64) {
        match self.skipped.iter_mut().find(|entry| entry.reason == reason) {
            Some(entry) => entry.count += count,
            None => self.skipped.push(Skipped { reason: Cow::Borrowed(reason), count }),
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, request: &Request) -> Result<(), LineFault> {
        self.first_ns.get_or_insert(request.at_ns);
        self.last_ns = Some(request.at_ns);
        let (count, bytes) = match request.op {
            HostOp::Read => (&mut self.reads, &mut self.read_bytes),
            HostOp::Write => (&mut self.writes, &mut self.write_bytes),
            HostOp::Trim => (&mut self.trims, &mut self.trim_bytes),
            HostOp::Flush => {
                self.flushes += 1;
                return Ok(());
            }
        };
        let Some(total) = bytes.checked_add(request.bytes()) else {
            return Err(LineFault::TotalOverflow);
        };
        *bytes = total;
        *count += 1;
        Ok(())
    }

    /// Takes a request that was made, or says which of them cannot be taken.
    #[inline]
    pub(crate) fn take_row(&mut self, file: &str, request: &Request) -> Result<(), TraceError> {
        let taken = times::check(request.at_ns).and_then(|()| self.take(request));
        taken.map_err(|fault| {
            let row = self.requests() + self.flushes + self.trims + 1;
            TraceError::Row { file: file.to_owned(), row, fault }
        })
    }

    /// Events that tell of another time of the requests than the one chosen: they came, or were answered.
    pub(crate) fn other_events(&self) -> u64 {
        let others =
            self.skipped.iter().filter(|each| [SKIPPED_ISSUE, SKIPPED_COMPLETION].contains(&&*each.reason));
        others.map(|each| each.count).sum()
    }

    /// Reasons and counts of what was left out, for a message.
    pub(crate) fn skipped_text(&self) -> String {
        if self.skipped.is_empty() {
            return "none left out".to_owned();
        }
        let entry = |skipped: &Skipped| format!("{} left out: {}", skipped.count, skipped.reason);
        self.skipped.iter().map(entry).collect::<Vec<_>>().join("; ")
    }

    /// Volumes with their counts, the busiest first; of many the first few.
    pub(crate) fn volumes_text(&self) -> String {
        let mut sorted: Vec<&VolumeCount> = self.volumes.iter().collect();
        sorted.sort_by_key(|volume| std::cmp::Reverse(volume.requests));
        let entry = |volume: &VolumeCount| format!("{} ({} requests)", cut(&volume.name), volume.requests);
        listed(sorted.into_iter().map(entry))
    }
}
