//! One pass over a trace for the figures that papers print about it.

mod address_map;
pub(crate) mod arrivals;
mod collector;
mod coupling;
mod gaps;
mod hot_set;
mod phases;
mod responses;
pub(crate) mod rewrites;
mod sizes;
mod streams;
mod timeline;

use crate::error::TraceError;
use crate::options::{event, TraceOptions};
use crate::request_source::Progress;
use crate::sources::reader::open;
use crate::summary::TraceSummary;
use schemars::JsonSchema;
use serde::Serialize;

pub use address_map::AddressMap;
pub use gaps::{GapClass, GapDecade, IdleTime, Interarrival};
pub use hot_set::{HotSet, HotShare};
pub use responses::ResponseTimes;
pub use sizes::SizeBucket;
pub use streams::{HintCount, StreamInfo};
pub use timeline::Timeline;

/// Figures about a trace. "Requests" are reads and writes; flushes and trims
/// are counted apart. Pages are 4 KiB and those of this trace only: nothing is
/// taken as written before its first request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct TraceInfo {
    /// Path as given.
    pub file: String,
    /// Name of the format.
    pub format: &'static str,
    /// Which event is the request, of formats that record several: `queue`, `issue` or
    /// `completion`.
    pub event: Option<&'static str>,
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
    /// Size that 99 in a hundred requests do not exceed, in bytes.
    pub p99_request_bytes: u64,
    /// Size that half of the reads do not exceed, in bytes.
    pub p50_read_bytes: u64,
    /// Size that 99 in a hundred reads do not exceed, in bytes.
    pub p99_read_bytes: u64,
    /// Size that half of the writes do not exceed, in bytes.
    pub p50_write_bytes: u64,
    /// Size that 99 in a hundred writes do not exceed, in bytes.
    pub p99_write_bytes: u64,
    /// Largest read in bytes.
    pub max_read_bytes: u64,
    /// Largest write in bytes.
    pub max_write_bytes: u64,
    /// Requests by size, in ranges up to powers of two.
    pub size_histogram: Vec<SizeBucket>,
    /// Share of the requests whose start or length is not a multiple of 4 KiB, from 0 to 1.
    pub not_4kib_aligned_share: f64,
    /// Requests that start where the one before (of the same stream) ended, as
    /// a share of all, from 0 to 1.
    pub sequential_share: f64,
    /// Mean length of a run of requests of a stream that each start where the
    /// one before ended.
    pub mean_run_requests: f64,
    /// First byte behind the highest byte requested.
    pub end_address_bytes: u64,
    /// Different 4 KiB pages written.
    pub written_4kib_pages: u64,
    /// Different 4 KiB pages read or written.
    pub touched_4kib_pages: u64,
    /// Share of the pages touched whose first access is a read, from 0 to 1.
    pub read_first_share: f64,
    /// Update page writes among all page writes, from 0 to 1.
    pub update_ratio: f64,
    /// Writes that cover, at least in part, a page written earlier in the trace.
    pub update_writes: u64,
    /// Share of the update writes that are not larger than 4 KiB, from 0 to 1.
    pub update_writes_up_to_4kib_share: f64,
    /// Writes whose 4 KiB pages were all written earlier in the trace.
    pub overwriting_writes: u64,
    /// Those of them with the start and the length of an earlier write, as a
    /// share, from 0 to 1.
    pub repeated_extent_share: f64,
    /// 1 when every write was looked at for that share; N when only one of N
    /// starts was, chosen by a hash because all would not fit in memory.
    pub extents_sampled_one_in: u64,
    /// Write requests that wrote some sector of a 16 KiB page last, mean over
    /// the pages written; writes above 1 GiB are left out.
    pub writers_per_16kib_page: f64,
    /// 1 when every page was looked at for that mean; N when one of N was.
    pub writers_sampled_one_in: u64,
    /// Writes among the requests that follow a write, from 0 to 1.
    pub write_after_write_share: f64,
    /// From the first request to the last, flushes and trims included, in seconds.
    pub duration_s: f64,
    /// Reads and writes per second over the duration.
    pub mean_iops: f64,
    /// Times between reads and writes by length: up to 10 us, 100 us, 1 ms,
    /// 10 ms, 100 ms, 1 s and longer. Empty with fewer than two requests.
    pub gap_classes: Vec<GapClass>,
    /// Gaps up to 1 ms among those that follow a gap up to 1 ms, from 0 to 1.
    pub short_gap_runs: f64,
    /// Gaps up to 10 us among those that follow a gap up to 10 us, from 0 to 1.
    pub tight_gap_runs: f64,
    /// Mean number of requests in a burst: between them gaps are up to 1 ms.
    pub mean_burst_requests: f64,
    /// Length of burst that half of the requests lie in bursts up to.
    pub median_burst_requests: u64,
    /// Pauses up to 100 ms among those that follow a pause up to 100 ms, from 0
    /// to 1; gaps longer than 1 ms are pauses.
    pub short_pause_runs: f64,
    /// Cramér's V of the gap before a request and its size, from 0 (independent)
    /// to 1: gaps in the classes of `gap_classes`, sizes in powers of two.
    pub gap_size_coupling: f64,
    /// Cramér's V of the gap before a request and its operation.
    pub gap_op_coupling: f64,
    /// Cramér's V of a request's size and its operation.
    pub size_op_coupling: f64,
    /// What a burst writes, in bytes: half of the bytes written are in bursts up
    /// to this. At most 1/16 too large.
    pub median_burst_write_bytes: u64,
    /// Bytes written between two writes of a 4 KiB page: half of the rewrites
    /// come within this. At most 1/16 too large.
    pub rewrite_distance_p50_bytes: u64,
    /// Bytes within which 90 in a hundred rewrites come. At most 1/16 too large.
    pub rewrite_distance_p90_bytes: u64,
    /// Standard deviation of the share of writes over 16 to 32 parts of the trace.
    pub phase_write_share_spread: f64,
    /// Standard deviation of the update ratio over these parts.
    pub phase_update_ratio_spread: f64,
    /// Times between reads and writes in full.
    pub interarrival: Interarrival,
    /// How accesses concentrate on pages.
    pub hot_set: HotSet,
    /// Writes by the hint they come with, where some have one; 0 is none.
    pub hints: Vec<HintCount>,
    /// Response times; `None` where the trace has none. Of recordings of issues and
    /// completions, the time from the one to the other.
    pub response: Option<ResponseTimes>,
    /// Why a recording of both events gives no response times: what is wrong with the other event, or why
    /// they are not looked for.
    pub response_unknown: Option<String>,
    /// Figures of each stream: of each volume where they lie side by side.
    pub streams: Vec<StreamInfo>,
    /// Requests and bytes over time.
    pub timeline: Timeline,
    /// Requests by time and address.
    pub address_map: AddressMap,
    /// Everything taken and left out, with the volumes and the file's SHA-256.
    pub summary: TraceSummary,
}

/// Requests taken from the reader at a time.
const BATCH: usize = 4096;

/// Reads a whole trace once and computes its figures.
pub fn info(path: &str, options: &TraceOptions) -> Result<TraceInfo, TraceError> {
    info_telling(path, options, &mut |_, _, _| true)
}

/// Like [`info`], telling how far it is.
pub fn info_telling(
    path: &str,
    options: &TraceOptions,
    progress: &mut Progress<'_>,
) -> Result<TraceInfo, TraceError> {
    let mut reader = open(path, options)?;
    let mut collector = collector::Collector::default();
    let mut entries = Vec::with_capacity(BATCH);
    while reader.next_entries(&mut entries, BATCH)? {
        entries.iter().for_each(|entry| collector.add(entry));
        reader.tell("info", progress)?;
    }
    let mut unknown = None;
    if reader.summary().other_events() > 0 {
        match responses::responses(path, options, progress) {
            Ok(found) => collector.responses = found,
            Err(TraceError::Cancelled) => return Err(TraceError::Cancelled),
            Err(error) => unknown = Some(error.to_string()),
        }
    }
    let mut info = collector.finish(path, reader.format(), reader.summary(), &reader.stream_names());
    info.event = event(options, info.format);
    info.response_unknown = unknown;
    Ok(info)
}

/// `part / whole`, 0 where there is nothing to divide by.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 {
        0.0
    } else {
        part / whole
    }
}
