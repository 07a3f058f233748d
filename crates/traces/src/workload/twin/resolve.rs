//! From given figures to a plan, or to the figures that conflict.

use super::super::spec::{TwinSpec, WorkloadSpec};
use super::extent_plan::settle;
use super::figures::{check_figures, check_room, check_sequential, figure_names, figures};
use super::gap_classes::gap_classes;
use super::quota::{self, apportion};
use super::sizes::{classes, shift, RequestCounts, Side, SizeClass};
use super::{bursts, count, measurements, pages, pauses, TwinPlan};
use crate::error::workload_problem::{Problems, WorkloadProblem};

const PAGE_BYTES: f64 = 4096.0;

/// Checks a twin and works out its plan; every problem is recorded.
pub(in crate::workload) fn resolve(
    workload: &WorkloadSpec,
    spec: &TwinSpec,
    problems: &mut Problems,
) -> Option<TwinPlan> {
    check(workload, spec, problems);
    measurements::check(spec, problems);
    if !problems.none() {
        return None;
    }
    let spec = &measurements::expand(spec);
    let counts = RequestCounts::of(spec);
    let (reads, writes, scale) = problems.take(request_counts(workload, spec, &counts))?;
    let reads = problems.take(classes(spec, &counts, Side::Read, reads));
    let writes = problems.take(classes(spec, &counts, Side::Write, writes));
    let (mut reads, mut writes) = (reads?, writes?);
    problems.take(shift(spec, &mut reads, &mut writes))?;
    let (written_pages, read_only_pages) = problems.take(footprint(spec, &reads, &writes, scale))?;
    let requests = count(&reads) + count(&writes);
    let gaps = gap_classes(spec, requests, scale, problems)?;
    let bursts = problems.take(bursts::plan(spec, &gaps, requests))?;
    let pause_runs = problems.take(pauses::runs(spec, &gaps))?;
    let tight_gaps = problems.take(bursts::plan_tight(spec, &gaps, &bursts))?;
    let write_runs = problems.take(write_runs(spec, count(&reads), count(&writes)))?;
    let mut plan = TwinPlan {
        reads,
        writes,
        written_pages,
        read_only_pages,
        first_page: workload.offset_bytes.map_or(0, |offset| offset.0 / 4096),
        sequential_share: spec.sequential_share.unwrap_or(0.0),
        update_skew: spec.update_skew.unwrap_or(0.0),
        large_update_skew: spec.large_update_skew.or(spec.update_skew).unwrap_or(0.0),
        read_skew: spec.read_skew.unwrap_or(0.0),
        extents: None,
        gaps,
        bursts,
        pause_runs,
        tight_gaps,
        write_runs,
        scale,
    };
    check_room(&plan, problems);
    if problems.none() {
        settle(spec, &mut plan, problems);
    }
    check_figures(spec, &plan, scale, problems);
    if problems.none() {
        check_sequential(&plan, problems);
    }
    problems.none().then_some(plan)
}

/// Reads, writes and by how much the twin is scaled down.
fn request_counts(
    workload: &WorkloadSpec,
    spec: &TwinSpec,
    counts: &RequestCounts,
) -> Result<(u64, u64, f64), WorkloadProblem> {
    let (Some(requests), Some(writes)) = (counts.requests, counts.writes) else {
        let given: Vec<String> = figures(spec).into_keys().collect();
        let message = "the number of reads and writes does not follow from the figures given";
        let message = format!("{message} ({}); requests and write_share would do", given.join(", "));
        return Err(WorkloadProblem::new("twin", message));
    };
    let (requests, writes) = (libm::round(requests), libm::round(writes));
    if !(1.0..=1e15).contains(&requests) || writes > requests {
        let message = format!("the figures lead to {requests} requests with {writes} writes");
        return Err(WorkloadProblem::new("twin", message));
    }
    let (requests, writes) = (requests as u64, writes as u64);
    match workload.requests {
        None => Ok((requests - writes, writes, 1.0)),
        Some(fewer) if (1..=requests).contains(&fewer) => {
            let scale = fewer as f64 / requests as f64;
            let split = apportion(fewer, &[writes as f64, (requests - writes) as f64]);
            Ok((split[1], split[0], scale))
        }
        Some(other) => {
            let message =
                format!("{other} is not allowed; allowed: 1 to {requests}, all that the figures say");
            Err(WorkloadProblem::new("requests", message))
        }
    }
}

/// Runs of writes, where the figures say how writes follow each other.
fn write_runs(spec: &TwinSpec, reads: u64, writes: u64) -> Result<Option<u64>, WorkloadProblem> {
    let Some(share) = spec.write_after_write_share else {
        return Ok(None);
    };
    quota::write_runs(share, reads, writes).map(Some).map_err(|(least, most)| {
        let message = format!(
            "{share} is not possible with {reads} reads and {writes} writes; possible: {least:.4} to {most:.4}"
        );
        WorkloadProblem::new("twin.write_after_write_share", message)
    })
}

/// Pages written, and pages read but never written.
fn footprint(
    spec: &TwinSpec,
    reads: &[(SizeClass, u64)],
    writes: &[(SizeClass, u64)],
    scale: f64,
) -> Result<(u64, u64), WorkloadProblem> {
    let page_writes = pages(writes) as f64;
    let to_pages = |bytes: u64| libm::round(bytes as f64 / PAGE_BYTES * scale);
    let written = match (spec.footprint_written_bytes, spec.update_ratio) {
        (Some(bytes), _) => to_pages(bytes.0),
        (None, Some(ratio)) => libm::round(page_writes * (1.0 - ratio)),
        (None, None) if page_writes == 0.0 => 0.0,
        (None, None) => {
            let message = "missing: give update_ratio or footprint_written_bytes";
            return Err(WorkloadProblem::new("twin.update_ratio", message));
        }
    };
    if written > page_writes {
        let message = format!(
            "{} conflicts with the writes: they touch {page_writes} pages of 4 KiB in all, \
             so no more than {} bytes",
            written * PAGE_BYTES,
            page_writes * PAGE_BYTES
        );
        return Err(WorkloadProblem::new("twin.footprint_written_bytes", message));
    }
    let written = if page_writes > 0.0 { written.max(1.0) } else { 0.0 };
    let page_reads = pages(reads) as f64;
    let touched = match spec.footprint_touched_bytes {
        // Reads go somewhere, however few are left of them.
        Some(bytes) if page_reads > 0.0 => to_pages(bytes.0).max(1.0),
        Some(bytes) => to_pages(bytes.0),
        None if written == 0.0 => {
            let message = "missing: nothing is written, so it says where reads go";
            return Err(WorkloadProblem::new("twin.footprint_touched_bytes", message));
        }
        None => written,
    };
    if touched < written || touched - written > page_reads {
        let message = format!(
            "{} conflicts with the rest: {} bytes are written and reads touch {} at most",
            touched * PAGE_BYTES,
            written * PAGE_BYTES,
            page_reads * PAGE_BYTES
        );
        return Err(WorkloadProblem::new("twin.footprint_touched_bytes", message));
    }
    Ok((written as u64, (touched - written) as u64))
}

/// Beyond this, runs get as long as the stretches they have to fit in.
const MOST_SEQUENTIAL: f64 = 0.9;

/// Values and keys that are wrong whatever the arithmetic says.
pub(super) fn check(workload: &WorkloadSpec, spec: &TwinSpec, problems: &mut Problems) {
    for (key, said) in [
        ("global", workload.global.is_some()),
        ("stream", !workload.stream.is_empty()),
        ("arrivals", workload.arrivals.is_some()),
        ("footprint_bytes", workload.footprint_bytes.is_some()),
        ("duration_ns", workload.duration_ns.is_some()),
    ] {
        if said {
            problems.add(key, "has no meaning beside [twin]; a twin's figures stand in [twin]");
        }
    }
    for (key, text) in [("of", &spec.of), ("from", &spec.from)] {
        if text.is_none() {
            problems.add(format!("twin.{key}"), "missing: a twin names its trace (of) and source (from)");
        }
    }
    if let Some(offset) = workload.offset_bytes.filter(|offset| offset.0 % 4096 != 0) {
        problems.add("offset_bytes", format!("{} is not allowed; allowed: a multiple of 4096", offset.0));
    }
    check_ranges(spec, problems);
    check_lists(spec, problems);
}

/// Values outside what their figure can be.
fn check_ranges(spec: &TwinSpec, problems: &mut Problems) {
    for (key, share) in [
        ("write_share", spec.write_share),
        ("write_bytes_share", spec.write_bytes_share),
        ("small_write_share", spec.small_write_share),
        ("update_ratio", spec.update_ratio),
        ("repeated_extent_share", spec.repeated_extent_share),
        ("not_4kib_aligned_share", spec.not_4kib_aligned_share),
        ("idle_share", spec.idle_share),
        ("short_gap_runs", spec.short_gap_runs),
        ("short_pause_runs", spec.short_pause_runs),
        ("tight_gap_runs", spec.tight_gap_runs),
        ("write_after_write_share", spec.write_after_write_share),
    ] {
        problems.share(format!("twin.{key}"), share);
    }
    problems.range("twin.sequential_share", spec.sequential_share, 0.0, MOST_SEQUENTIAL);
    problems.range("twin.writers_per_16kib_page", spec.writers_per_16kib_page, 1.0, 32.0);
    problems.range("twin.update_skew", spec.update_skew, 0.0, 5.0);
    problems.range("twin.large_update_skew", spec.large_update_skew, 0.0, 5.0);
    problems.range("twin.read_skew", spec.read_skew, 0.0, 5.0);
    problems.range("twin.burst_requests", spec.burst_requests, 1.0, 1e15);
    problems.range("twin.median_burst_requests", spec.median_burst_requests, 1.0, 1e15);
    problems.positive("twin.idle_over_ns", spec.idle_over_ns.map(|time| time.0));
}

/// Lists, and keys that need or exclude each other.
fn check_lists(spec: &TwinSpec, problems: &mut Problems) {
    let known = figure_names();
    for name in spec.free.keys().filter(|name| !known.contains(name)) {
        problems.add(format!("twin.free.{name}"), format!("no such figure; figures: {}", known.join(", ")));
    }
    if !(spec.read_sizes.is_empty() && spec.write_sizes.is_empty()) && spec.size_shares_by.is_none() {
        problems.add("twin.size_shares_by", "missing: shares of sizes by \"count\" or by \"volume\"");
    }
    for (key, given) in [
        ("writers_per_16kib_page", spec.writers_per_16kib_page.is_some()),
        ("update_writes", spec.update_writes.is_some()),
    ] {
        if given && spec.repeated_extent_share.is_none() {
            problems.add(format!("twin.{key}"), "has no meaning without repeated_extent_share");
        }
    }
    if spec.small_write_share.is_some() && !spec.write_sizes.is_empty() {
        problems.add("twin.small_write_share", "only one of small_write_share and write_sizes may be given");
    }
}
