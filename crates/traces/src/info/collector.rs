//! Gathers the figures of [`TraceInfo`](super::TraceInfo) request by request.

use super::footprint::PageSet;
use super::sizes::{histogram, Sizes};
use super::TraceInfo;
use crate::summary::TraceSummary;
use rustc_hash::FxHashMap;
use slcache_core::device::request::{HostOp, Request, SECTOR_BYTES};

/// Sectors in a 4 KiB page.
const PAGE_SECTORS: u64 = 8;
const MS_NS: u64 = 1_000_000;
const S_NS: u64 = 1_000_000_000;

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Collector {
    reads: Sizes,
    writes: Sizes,
    unaligned: u64,
    sequential: u64,
    /// End of the previous request, by stream.
    previous_end: FxHashMap<u16, u64>,
    /// Lowest and end sector of reads and writes.
    span: Option<(u64, u64)>,
    written: PageSet,
    touched: PageSet,
    page_writes: u64,
    update_page_writes: u64,
    /// Earliest and latest time of any request.
    times_ns: Option<(u64, u64)>,
    /// Time of the previous read or write.
    previous_ns: Option<u64>,
    gaps: Gaps,
}

/// Times without a request arriving.
#[derive(Default)]
struct Gaps {
    total_ns: u128,
    over_1ms: u64,
    over_100ms: u64,
    over_1s: u64,
    longest_ns: u64,
}

impl Gaps {
    fn add(&mut self, gap_ns: u64) {
        self.total_ns += u128::from(gap_ns);
        self.over_1ms += u64::from(gap_ns > MS_NS);
        self.over_100ms += u64::from(gap_ns > 100 * MS_NS);
        self.over_1s += u64::from(gap_ns > S_NS);
        self.longest_ns = self.longest_ns.max(gap_ns);
    }
}

impl Collector {
    /// Takes one request.
    pub(super) fn add(&mut self, request: &Request) {
        let at_ns = request.at_ns;
        let (earliest, latest) = self.times_ns.unwrap_or((at_ns, at_ns));
        self.times_ns = Some((earliest.min(at_ns), latest.max(at_ns)));
        match request.op {
            HostOp::Read => self.reads.add(request.sectors),
            HostOp::Write => self.writes.add(request.sectors),
            HostOp::Flush | HostOp::Trim => return,
        }
        self.add_gap(at_ns);
        self.add_place(request);
        self.add_pages(request);
    }

    fn add_gap(&mut self, at_ns: u64) {
        if let Some(previous_ns) = self.previous_ns.replace(at_ns) {
            // Times kept out of order leave no gap.
            self.gaps.add(at_ns.saturating_sub(previous_ns));
        }
    }

    fn add_place(&mut self, request: &Request) {
        let (start, end) = (request.sector, request.end_sector());
        let length = u64::from(request.sectors);
        self.unaligned += u64::from(start % PAGE_SECTORS != 0 || length % PAGE_SECTORS != 0);
        let previous = self.previous_end.insert(request.stream, end);
        self.sequential += u64::from(previous == Some(start));
        let (lowest, highest) = self.span.unwrap_or((start, end));
        self.span = Some((lowest.min(start), highest.max(end)));
    }

    fn add_pages(&mut self, request: &Request) {
        let first = request.sector / PAGE_SECTORS;
        let end = request.end_sector().div_ceil(PAGE_SECTORS);
        self.touched.insert(request.stream, first, end);
        if request.op == HostOp::Write {
            let fresh = self.written.insert(request.stream, first, end);
            self.page_writes += end - first;
            self.update_page_writes += end - first - fresh;
        }
    }

    /// The figures of the whole trace.
    pub(super) fn finish(self, file: &str, format: &'static str, summary: &TraceSummary) -> TraceInfo {
        let requests = summary.requests();
        let mut info = TraceInfo {
            file: file.to_owned(),
            format,
            requests,
            reads: summary.reads,
            writes: summary.writes,
            flushes: summary.flushes,
            trims: summary.trims,
            read_bytes: summary.read_bytes,
            write_bytes: summary.write_bytes,
            trim_bytes: summary.trim_bytes,
            write_share: ratio(summary.writes as f64, requests as f64),
            summary: summary.clone(),
            ..TraceInfo::default()
        };
        self.set_sizes(&mut info);
        self.set_places(&mut info);
        self.set_times(&mut info);
        info
    }

    fn set_sizes(&self, info: &mut TraceInfo) {
        let bytes = info.read_bytes as f64 + info.write_bytes as f64;
        info.write_bytes_share = ratio(info.write_bytes as f64, bytes);
        info.mean_request_bytes = ratio(bytes, info.requests as f64);
        info.mean_read_bytes = ratio(info.read_bytes as f64, info.reads as f64);
        info.mean_write_bytes = ratio(info.write_bytes as f64, info.writes as f64);
        (info.p50_request_bytes, _) = self.reads.merged(&self.writes).median_and_max_bytes();
        (info.p50_read_bytes, info.max_read_bytes) = self.reads.median_and_max_bytes();
        (info.p50_write_bytes, info.max_write_bytes) = self.writes.median_and_max_bytes();
        info.size_histogram = histogram(&self.reads, &self.writes);
    }

    fn set_places(&self, info: &mut TraceInfo) {
        let requests = info.requests as f64;
        let (lowest, end) = self.span.unwrap_or((0, 0));
        info.not_4kib_aligned_requests = self.unaligned;
        info.not_4kib_aligned_share = ratio(self.unaligned as f64, requests);
        info.sequential_share = ratio(self.sequential as f64, requests);
        info.lowest_address_bytes = lowest * SECTOR_BYTES;
        info.end_address_bytes = end * SECTOR_BYTES;
        info.address_span_bytes = (end - lowest) * SECTOR_BYTES;
        info.written_4kib_pages = self.written.pages();
        info.touched_4kib_pages = self.touched.pages();
        info.page_writes = self.page_writes;
        info.update_page_writes = self.update_page_writes;
        info.update_ratio = ratio(self.update_page_writes as f64, self.page_writes as f64);
    }

    fn set_times(&self, info: &mut TraceInfo) {
        let (earliest_ns, latest_ns) = self.times_ns.unwrap_or((0, 0));
        let duration_ns = (latest_ns - earliest_ns) as f64;
        let gaps = info.requests.saturating_sub(1) as f64;
        info.duration_s = duration_ns / S_NS as f64;
        info.mean_iops = ratio(info.requests as f64 * S_NS as f64, duration_ns);
        info.mean_interarrival_us = ratio(self.gaps.total_ns as f64 / 1000.0, gaps);
        info.gaps_over_1ms = self.gaps.over_1ms;
        info.gaps_over_100ms = self.gaps.over_100ms;
        info.gaps_over_1s = self.gaps.over_1s;
        info.longest_gap_ms = self.gaps.longest_ns as f64 / MS_NS as f64;
    }
}

/// `part / whole`, 0 where there is nothing to divide by.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 {
        0.0
    } else {
        part / whole
    }
}
