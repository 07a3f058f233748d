//! From given figures to a plan, or to the figures that conflict.

use super::super::spec::{TwinSpec, WorkloadSpec};
use super::achieved::figures;
use super::check::{check_figures, check_room, check_sequential};
use super::classes::{classes, shift, Side};
use super::counts::Counts;
use super::plan::{count, pages, TwinPlan};
use super::quota::apportion;
use super::settle::settle;
use super::sizes::SizeClass;
use super::times::gap_classes;
use super::{bursts, measured, op_order, pauses, shape};
use crate::error::workload_problem::Problems;

const PAGE_BYTES: f64 = 4096.0;

/// Checks a twin and works out its plan; every problem is recorded.
pub(in crate::workload) fn resolve(
    workload: &WorkloadSpec,
    spec: &TwinSpec,
    problems: &mut Problems,
) -> Option<TwinPlan> {
    shape::check(workload, spec, problems);
    measured::check(spec, problems);
    if !problems.none() {
        return None;
    }
    let spec = &measured::expand(spec);
    let counts = Counts::of(spec);
    let (reads, writes, scale) = request_counts(workload, spec, &counts, problems)?;
    let reads = classes(spec, &counts, Side::Read, reads, problems);
    let writes = classes(spec, &counts, Side::Write, writes, problems);
    let (mut reads, mut writes) = (reads?, writes?);
    shift(spec, &mut reads, &mut writes, problems)?;
    let (written_pages, read_only_pages) = footprint(spec, &reads, &writes, scale, problems)?;
    let requests = count(&reads) + count(&writes);
    let gaps = gap_classes(spec, requests, scale, problems)?;
    let bursts = bursts::plan(spec, &gaps, requests, problems)?;
    let pause_runs = pauses::runs(spec, &gaps, problems)?;
    let tight_gaps = bursts::plan_tight(spec, &gaps, &bursts, problems)?;
    let write_runs = write_runs(spec, count(&reads), count(&writes), problems)?;
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
    counts: &Counts,
    problems: &mut Problems,
) -> Option<(u64, u64, f64)> {
    let (Some(requests), Some(writes)) = (counts.requests, counts.writes) else {
        let given: Vec<String> = figures(spec).into_keys().collect();
        let message = "the number of reads and writes does not follow from the figures given";
        problems.add("twin", format!("{message} ({}); requests and write_share would do", given.join(", ")));
        return None;
    };
    let (requests, writes) = (libm::round(requests), libm::round(writes));
    if !(1.0..=1e15).contains(&requests) || writes > requests {
        problems.add("twin", format!("the figures lead to {requests} requests with {writes} writes"));
        return None;
    }
    let (requests, writes) = (requests as u64, writes as u64);
    match workload.requests {
        None => Some((requests - writes, writes, 1.0)),
        Some(fewer) if (1..=requests).contains(&fewer) => {
            let scale = fewer as f64 / requests as f64;
            let split = apportion(fewer, &[writes as f64, (requests - writes) as f64]);
            Some((split[1], split[0], scale))
        }
        Some(other) => {
            let message =
                format!("{other} is not allowed; allowed: 1 to {requests}, all that the figures say");
            problems.add("requests", message);
            None
        }
    }
}

/// Runs of writes, where the figures say how writes follow each other.
fn write_runs(spec: &TwinSpec, reads: u64, writes: u64, problems: &mut Problems) -> Option<Option<u64>> {
    let Some(share) = spec.write_after_write_share else {
        return Some(None);
    };
    let possible = |(least, most)| {
        let message = format!(
            "{share} is not possible with {reads} reads and {writes} writes; possible: {least:.4} to {most:.4}"
        );
        problems.add("twin.write_after_write_share", message);
    };
    op_order::write_runs(share, reads, writes).map_err(possible).ok().map(Some)
}

/// Pages written, and pages read but never written.
fn footprint(
    spec: &TwinSpec,
    reads: &[(SizeClass, u64)],
    writes: &[(SizeClass, u64)],
    scale: f64,
    problems: &mut Problems,
) -> Option<(u64, u64)> {
    let page_writes = pages(writes) as f64;
    let to_pages = |bytes: u64| libm::round(bytes as f64 / PAGE_BYTES * scale);
    let written = match (spec.footprint_written_bytes, spec.update_ratio) {
        (Some(bytes), _) => to_pages(bytes.0),
        (None, Some(ratio)) => libm::round(page_writes * (1.0 - ratio)),
        (None, None) if page_writes == 0.0 => 0.0,
        (None, None) => {
            problems.add("twin.update_ratio", "missing: give update_ratio or footprint_written_bytes");
            return None;
        }
    };
    if written > page_writes {
        let message = format!(
            "{} conflicts with the writes: they touch {page_writes} pages of 4 KiB in all, \
             so no more than {} bytes",
            written * PAGE_BYTES,
            page_writes * PAGE_BYTES
        );
        problems.add("twin.footprint_written_bytes", message);
        return None;
    }
    let written = if page_writes > 0.0 { written.max(1.0) } else { 0.0 };
    let page_reads = pages(reads) as f64;
    let touched = match spec.footprint_touched_bytes {
        // Reads go somewhere, however few are left of them.
        Some(bytes) if page_reads > 0.0 => to_pages(bytes.0).max(1.0),
        Some(bytes) => to_pages(bytes.0),
        None if written == 0.0 => {
            problems.add(
                "twin.footprint_touched_bytes",
                "missing: nothing is written, so it says where reads go",
            );
            return None;
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
        problems.add("twin.footprint_touched_bytes", message);
        return None;
    }
    Some((written as u64, (touched - written) as u64))
}
