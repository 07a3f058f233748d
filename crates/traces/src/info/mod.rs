//! One pass over a trace for the figures that papers print about it.

mod collector;
mod footprint;
mod sizes;

use crate::error::TraceError;
use crate::options::TraceOptions;
use crate::reader::open;
use crate::summary::TraceSummary;
use serde::Serialize;

pub use sizes::SizeBucket;

/// Figures about a trace. "Requests" are reads and writes; flushes and trims
/// are counted apart. Pages are 4 KiB and those of this trace only: nothing is
/// taken as written before its first request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Path as given.
    pub file: String,
    /// Name of the format.
    pub format: &'static str,
    /// Reads and writes.
    pub requests: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Trims (discards).
    pub trims: u64,
    /// Writes among the requests, from 0 to 1.
    pub write_share: f64,
    /// Bytes written among the bytes requested, from 0 to 1.
    pub write_bytes_share: f64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Bytes trimmed, ranges trimmed again counted again.
    pub trim_bytes: u64,
    /// Mean size of a request in bytes.
    pub mean_request_bytes: f64,
    /// Mean size of a read in bytes.
    pub mean_read_bytes: f64,
    /// Mean size of a write in bytes.
    pub mean_write_bytes: f64,
    /// Size that half of the requests do not exceed, in bytes.
    pub p50_request_bytes: u64,
    /// Size that half of the reads do not exceed, in bytes.
    pub p50_read_bytes: u64,
    /// Size that half of the writes do not exceed, in bytes.
    pub p50_write_bytes: u64,
    /// Largest read in bytes.
    pub max_read_bytes: u64,
    /// Largest write in bytes.
    pub max_write_bytes: u64,
    /// Requests by size, in ranges up to powers of two.
    pub size_histogram: Vec<SizeBucket>,
    /// Requests whose start or length is not a multiple of 4 KiB.
    pub not_4kib_aligned_requests: u64,
    /// The same as a share of the requests, from 0 to 1.
    pub not_4kib_aligned_share: f64,
    /// Requests that start where the one before (of the same stream) ended, as
    /// a share of all, from 0 to 1.
    pub sequential_share: f64,
    /// Lowest byte requested.
    pub lowest_address_bytes: u64,
    /// First byte behind the highest byte requested.
    pub end_address_bytes: u64,
    /// From the lowest byte to behind the highest, in bytes.
    pub address_span_bytes: u64,
    /// Different 4 KiB pages written.
    pub written_4kib_pages: u64,
    /// Different 4 KiB pages read or written.
    pub touched_4kib_pages: u64,
    /// Page writes in all; a page covered in part counts as one.
    pub page_writes: u64,
    /// Page writes to a page written earlier in the trace.
    pub update_page_writes: u64,
    /// Update page writes among all page writes, from 0 to 1.
    pub update_ratio: f64,
    /// From the first request to the last, flushes and trims included, in seconds.
    pub duration_s: f64,
    /// Reads and writes per second over the duration.
    pub mean_iops: f64,
    /// Mean time between reads and writes in microseconds.
    pub mean_interarrival_us: f64,
    /// Times longer than 1 ms without a read or write arriving.
    pub gaps_over_1ms: u64,
    /// Times longer than 100 ms without a read or write arriving.
    pub gaps_over_100ms: u64,
    /// Times longer than 1 s without a read or write arriving.
    pub gaps_over_1s: u64,
    /// Longest time without a read or write arriving, in milliseconds.
    pub longest_gap_ms: f64,
    /// Everything taken and left out, with the volumes and the file's SHA-256.
    pub summary: TraceSummary,
}

/// Requests taken from the reader at a time.
const BATCH: usize = 4096;

/// Reads a whole trace once and computes its figures.
pub fn info(path: &str, options: &TraceOptions) -> Result<TraceInfo, TraceError> {
    let mut reader = open(path, options)?;
    let mut collector = collector::Collector::default();
    let mut requests = Vec::with_capacity(BATCH);
    while reader.next_batch(&mut requests, BATCH)? {
        for request in &requests {
            collector.add(request);
        }
    }
    Ok(collector.finish(path, reader.format(), reader.summary()))
}
