//! What is wrong with a twin whatever its arithmetic says.

use super::super::spec::{TwinSpec, WorkloadSpec};
use super::achieved::figure_names;
use crate::error::workload_problem::Problems;

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
