//! Gathers the figures of [`TraceInfo`](super::TraceInfo) request by request.

use super::address_map::AddressMapCounter;
use super::arrivals::Arrivals;
use super::coupling::Coupling;
use super::gaps::Gaps;
use super::hot_set::PageHeat;
use super::phases::Phases;
use super::responses::Responses;
use super::rewrites::{Rewrites, Writers, WrittenExtents};
use super::sizes::{histogram, Sizes};
use super::streams::{Hints, Streams};
use super::timeline::TimelineCounter;
use super::{ratio, TraceInfo};
use crate::page_set::PageSet;
use crate::request_source::TraceEntry;
use crate::summary::TraceSummary;
use slcache_base::request::{HostOp, Request, SECTOR_BYTES};

/// Sectors in a 4 KiB page.
const PAGE_SECTORS: u64 = 8;
const S_NS: f64 = 1e9;

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Collector {
    reads: Sizes,
    writes: Sizes,
    /// Writes that cover a page written earlier.
    updates: Sizes,
    unaligned: u64,
    sequential: u64,
    streams: Streams,
    /// Sector behind the last one read or written.
    end: u64,
    written: PageSet,
    touched: PageSet,
    page_writes: u64,
    update_page_writes: u64,
    read_first_pages: u64,
    extents: WrittenExtents,
    writers: Writers,
    /// Earliest and latest time of any request.
    times_ns: Option<(u64, u64)>,
    /// Time of the previous read or write.
    previous_ns: Option<u64>,
    gaps: Gaps,
    arrivals: Arrivals,
    coupling: Coupling,
    rewrites: Rewrites,
    phases: Phases,
    heat: PageHeat,
    timeline: TimelineCounter,
    map: AddressMapCounter,
    pub(super) responses: Responses,
    hints: Hints,
}

impl Collector {
    pub(super) fn add(&mut self, entry: &TraceEntry) {
        let request = &entry.request;
        let at_ns = request.at_ns;
        let (earliest, latest) = self.times_ns.unwrap_or((at_ns, at_ns));
        self.times_ns = Some((earliest.min(at_ns), latest.max(at_ns)));
        if matches!(request.op, HostOp::Flush | HostOp::Trim) {
            return;
        }
        // Times kept out of order leave no gap.
        let previous_ns = self.previous_ns.replace(at_ns);
        let gap_ns = previous_ns.map(|previous_ns| at_ns.saturating_sub(previous_ns));
        gap_ns.into_iter().for_each(|gap_ns| self.gaps.add(gap_ns));
        self.arrivals.add(request, gap_ns);
        self.coupling.add(request, gap_ns);
        self.add_place(request);
        self.add_pages(request);
        self.heat.add(request);
        self.timeline.add(request);
        self.map.add(request);
        self.hints.add(request);
        if let Some(response_ns) = entry.response_ns {
            self.responses.add(request.op, response_ns);
        }
    }

    fn add_place(&mut self, request: &Request) {
        let length = u64::from(request.sectors);
        self.unaligned += u64::from(request.sector % PAGE_SECTORS != 0 || length % PAGE_SECTORS != 0);
        self.end = self.end.max(request.end_sector());
    }

    fn add_pages(&mut self, request: &Request) {
        let first = request.sector / PAGE_SECTORS;
        let end = request.end_sector().div_ceil(PAGE_SECTORS);
        let touched = self.touched.insert_of(request.stream, first, end);
        let mut written = 0;
        if request.op == HostOp::Write {
            written = self.written.insert_of(request.stream, first, end);
            self.writes.add(request.sectors);
            self.page_writes += end - first;
            self.update_page_writes += end - first - written;
            if written < end - first {
                self.updates.add(request.sectors);
            }
            self.extents.add(request, written == 0);
            self.writers.add(request);
            self.rewrites.add(request);
            self.phases.add(true, end - first, end - first - written);
        } else {
            self.reads.add(request.sectors);
            self.phases.add(false, 0, 0);
            self.read_first_pages += touched;
        }
        let is_sequential = self.streams.of(request.stream).add(request, touched, written);
        self.sequential += u64::from(is_sequential);
    }

    /// The figures of the whole trace; `names` are the volumes' by stream, as far
    /// as there are any.
    pub(super) fn finish(
        self,
        file: &str,
        format: &'static str,
        summary: &TraceSummary,
        names: &[String],
    ) -> TraceInfo {
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
            streams: self.streams.finish(names),
            hot_set: self.heat.finish(),
            timeline: self.timeline.finish(),
            address_map: self.map.finish(),
            summary: summary.clone(),
            ..TraceInfo::default()
        };
        self.set_sizes(&mut info);
        self.set_places(&mut info);
        self.set_updates(&mut info);
        self.set_times(&mut info);
        info
    }

    fn set_sizes(&self, info: &mut TraceInfo) {
        let bytes = info.read_bytes as f64 + info.write_bytes as f64;
        info.write_bytes_share = ratio(info.write_bytes as f64, bytes);
        info.mean_request_bytes = ratio(bytes, info.requests as f64);
        info.mean_read_bytes = ratio(info.read_bytes as f64, info.reads as f64);
        info.mean_write_bytes = ratio(info.write_bytes as f64, info.writes as f64);
        [info.p50_request_bytes, info.p99_request_bytes, _] =
            self.reads.merged(&self.writes).percentiles_bytes();
        [info.p50_read_bytes, info.p99_read_bytes, info.max_read_bytes] = self.reads.percentiles_bytes();
        [info.p50_write_bytes, info.p99_write_bytes, info.max_write_bytes] = self.writes.percentiles_bytes();
        info.size_histogram = histogram(&self.reads, &self.writes, &self.updates);
    }

    fn set_places(&self, info: &mut TraceInfo) {
        let requests = info.requests as f64;
        info.not_4kib_aligned_share = ratio(self.unaligned as f64, requests);
        info.sequential_share = ratio(self.sequential as f64, requests);
        info.mean_run_requests = ratio(requests, self.streams.runs() as f64);
        info.end_address_bytes = self.end * SECTOR_BYTES;
    }

    fn set_updates(&self, info: &mut TraceInfo) {
        info.written_4kib_pages = self.written.len();
        info.touched_4kib_pages = self.touched.len();
        info.read_first_share = ratio(self.read_first_pages as f64, info.touched_4kib_pages as f64);
        info.update_ratio = ratio(self.update_page_writes as f64, self.page_writes as f64);
        info.update_writes = self.updates.count();
        let small = self.updates.count_up_to(PAGE_SECTORS as u32);
        info.update_writes_up_to_4kib_share = ratio(small as f64, info.update_writes as f64);
        info.overwriting_writes = self.extents.overwriting();
        info.repeated_extent_share = self.extents.repeated_share();
        info.extents_sampled_one_in = self.extents.sampled_one_in();
        info.writers_per_16kib_page = self.writers.per_page();
        info.writers_sampled_one_in = self.writers.sampled_one_in();
        info.rewrite_distance_p50_bytes = self.rewrites.distance_bytes(5_000);
        info.rewrite_distance_p90_bytes = self.rewrites.distance_bytes(9_000);
        info.phase_write_share_spread = self.phases.write_share_spread();
        info.phase_update_ratio_spread = self.phases.update_ratio_spread();
    }

    fn set_times(&self, info: &mut TraceInfo) {
        let (earliest_ns, latest_ns) = self.times_ns.unwrap_or((0, 0));
        let duration_ns = (latest_ns - earliest_ns) as f64;
        info.duration_s = duration_ns / S_NS;
        info.mean_iops = ratio(info.requests as f64 * S_NS, duration_ns);
        info.interarrival = self.gaps.finish(info.duration_s);
        info.gap_classes = self.gaps.classes();
        info.short_gap_runs = self.arrivals.short_gap_runs();
        info.tight_gap_runs = self.arrivals.tight_gap_runs();
        (info.mean_burst_requests, info.median_burst_requests) = self.arrivals.burst_requests();
        info.short_pause_runs = self.arrivals.short_pause_runs();
        info.write_after_write_share = self.arrivals.write_after_write_share();
        info.gap_size_coupling = self.coupling.gap_size();
        info.gap_op_coupling = self.coupling.gap_op();
        info.size_op_coupling = self.coupling.size_op();
        info.median_burst_write_bytes = self.coupling.median_burst_write_bytes();
        info.hints = self.hints.finish();
        info.response = self.responses.finish(info.duration_s);
    }
}
