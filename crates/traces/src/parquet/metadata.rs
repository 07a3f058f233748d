//! What the footer says about the requests.

use super::columns::Digest;
use crate::options::TraceOptions;
use crate::request_source::{Origin, TraceEntry};
use crate::summary::TraceSummary;
use serde::{Deserialize, Serialize};
use slcache_base::request::HostOp;

/// The footer's key.
pub(super) const KEY: &str = "slcache.trace";
/// Version of the layout that this program writes; it reads the one before too, which has no hints.
const LAYOUT_VERSION: u32 = 2;

/// Everything the footer says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    pub layout_version: u32,
    pub written_by: String,
    pub origin: Origin,
    /// Names of the volumes by stream; empty where all streams share one address space.
    pub volumes: Vec<String>,
    pub counts: StoredCounts,
    pub row_groups: Vec<StoredGroup>,
    /// How the trace was read, in files that stand in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

/// What a reader said of a trace beside its requests, so that a file can stand in its place: the
/// requests are those that came out, streams and times settled.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reading {
    /// Format it was read as.
    pub format: String,
    pub options: TraceOptions,
    /// Whether its streams are volumes with addresses of their own.
    pub has_volumes: bool,
    /// The names of the volumes by stream.
    pub stream_names: Vec<String>,
    pub summary: TraceSummary,
}

/// The bytes of a row group, which follow those of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredGroup {
    /// Byte of the file behind it.
    pub end_byte: u64,
    /// CRC-32 of its bytes, the first group's with the magic number in front.
    pub crc32: u32,
}

/// What the rows add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    reads: u64,
    writes: u64,
    trims: u64,
    flushes: u64,
    sectors: u128,
    digest: Digest,
}

/// [`Totals`] as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredCounts {
    pub reads: u64,
    pub writes: u64,
    pub trims: u64,
    pub flushes: u64,
    /// Sectors of all requests, in decimal.
    pub sectors: String,
    /// Digest over all columns in order, in hex.
    pub digest: String,
}

impl Totals {
    #[inline]
    pub(super) fn add(&mut self, entry: &TraceEntry) {
        match entry.request.op {
            HostOp::Read => self.reads += 1,
            HostOp::Write => self.writes += 1,
            HostOp::Trim => self.trims += 1,
            HostOp::Flush => self.flushes += 1,
        }
        self.sectors += u128::from(entry.request.sectors);
        self.digest.add(entry);
    }

    /// As written.
    pub(super) fn counts(&self) -> StoredCounts {
        StoredCounts {
            reads: self.reads,
            writes: self.writes,
            trims: self.trims,
            flushes: self.flushes,
            sectors: self.sectors.to_string(),
            digest: self.digest.hex(),
        }
    }
}

impl Metadata {
    /// What this program writes.
    pub(super) fn new(
        origin: Origin,
        volumes: Vec<String>,
        counts: StoredCounts,
        row_groups: Vec<StoredGroup>,
        reading: Option<Reading>,
    ) -> Self {
        let written_by = format!("slcache {}", env!("CARGO_PKG_VERSION"));
        Self { layout_version: LAYOUT_VERSION, written_by, origin, volumes, counts, row_groups, reading }
    }

    /// Reads the footer's text; an error says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            layout_version: u32,
        }
        let damaged = |error: serde_json::Error| format!("the footer's {KEY} cannot be understood: {error}");
        let version: Version = serde_json::from_str(text).map_err(damaged)?;
        if !(1..=LAYOUT_VERSION).contains(&version.layout_version) {
            return Err(format!(
                "written in version {} of slcache's Parquet layout; this program reads versions 1 to {LAYOUT_VERSION}",
                version.layout_version
            ));
        }
        serde_json::from_str(text).map_err(damaged)
    }

    /// Rows by the counts, if they do not add up to nonsense.
    pub(super) fn rows(&self) -> Option<u64> {
        let StoredCounts { reads, writes, trims, flushes, .. } = self.counts;
        reads.checked_add(writes)?.checked_add(trims)?.checked_add(flushes)
    }
}
