//! From given figures to a plan, or to the figures that conflict.

use super::super::problem::Problems;
use super::super::quantity::SizeBytes;
use super::super::spec::{SizeShare, SizeSharesBy, TwinSpec, WorkloadSpec};
use super::achieved::{extensive, figure_names, figures, Figures};
use super::counts::Counts;
use super::gaps;
use super::plan::{count, pages, SizeClass, TwinPlan};
use super::quota::apportion;
use super::sizes::Ranges;

/// How far what comes out may lie from what is given.
const TOLERANCE: f64 = 0.01;
const PAGE_BYTES: f64 = 4096.0;
const DEFAULT_MAX_BYTES: u64 = 128 << 10;
/// Beyond this, runs get as long as the stretches they have to fit in.
const MOST_SEQUENTIAL: f64 = 0.9;

/// Checks a twin and works out its plan; every problem is recorded.
pub(in crate::workload) fn resolve(
    workload: &WorkloadSpec,
    spec: &TwinSpec,
    problems: &mut Problems,
) -> Option<TwinPlan> {
    check_shape(workload, spec, problems);
    if !problems.none() {
        return None;
    }
    let counts = Counts::of(spec);
    let (reads, writes, scale) = request_counts(workload, spec, &counts, problems)?;
    let reads = classes(spec, &counts, Side::Read, reads, problems);
    let writes = classes(spec, &counts, Side::Write, writes, problems);
    let (mut reads, mut writes) = (reads?, writes?);
    shift(spec, &mut reads, &mut writes, problems)?;
    let (written_pages, read_only_pages) = footprint(spec, &reads, &writes, scale, problems)?;
    let requests = count(&reads) + count(&writes);
    let plan = TwinPlan {
        reads,
        writes,
        written_pages,
        read_only_pages,
        first_page: workload.offset_bytes.map_or(0, |offset| offset.0 / 4096),
        sequential_share: spec.sequential_share.unwrap_or(0.0),
        update_skew: spec.update_skew.unwrap_or(0.0),
        read_skew: spec.read_skew.unwrap_or(0.0),
        gaps: gap_classes(spec, requests, scale, problems)?,
        scale,
    };
    check_room(&plan, problems);
    check_figures(spec, &plan, scale, problems);
    problems.none().then_some(plan)
}

/// Values and keys that are wrong whatever the arithmetic says.
fn check_shape(workload: &WorkloadSpec, spec: &TwinSpec, problems: &mut Problems) {
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
    for (key, share) in [
        ("write_share", spec.write_share),
        ("write_bytes_share", spec.write_bytes_share),
        ("small_write_share", spec.small_write_share),
        ("update_ratio", spec.update_ratio),
        ("not_4kib_aligned_share", spec.not_4kib_aligned_share),
        ("idle_share", spec.idle_share),
    ] {
        problems.share(format!("twin.{key}"), share);
    }
    problems.range("twin.sequential_share", spec.sequential_share, 0.0, MOST_SEQUENTIAL);
    problems.range("twin.update_skew", spec.update_skew, 0.0, 5.0);
    problems.range("twin.read_skew", spec.read_skew, 0.0, 5.0);
    let known = figure_names();
    for name in spec.free.keys().filter(|name| !known.contains(&name.as_str())) {
        problems.add(format!("twin.free.{name}"), format!("no such figure; figures: {}", known.join(", ")));
    }
    if !(spec.read_sizes.is_empty() && spec.write_sizes.is_empty()) && spec.size_shares_by.is_none() {
        problems.add("twin.size_shares_by", "missing: shares of sizes by \"count\" or by \"volume\"");
    }
    if spec.small_write_share.is_some() && !spec.write_sizes.is_empty() {
        problems.add("twin.small_write_share", "only one of small_write_share and write_sizes may be given");
    }
}

/// Reads, writes and by how much the twin is scaled down.
fn request_counts(
    workload: &WorkloadSpec,
    spec: &TwinSpec,
    counts: &Counts,
    problems: &mut Problems,
) -> Option<(u64, u64, f64)> {
    let (Some(requests), Some(writes)) = (counts.requests, counts.writes) else {
        let given: Vec<&str> = figures(spec).into_keys().collect();
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

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Read,
    Write,
}

/// Sizes of one kind of request in exact counts.
fn classes(
    spec: &TwinSpec,
    counts: &Counts,
    side: Side,
    total: u64,
    problems: &mut Problems,
) -> Option<Vec<(SizeClass, u64)>> {
    if total == 0 {
        return Some(Vec::new());
    }
    let (shares, max, mean, name) = match side {
        Side::Read => (spec.read_sizes.clone(), spec.max_read_bytes, counts.mean_read_bytes, "read"),
        Side::Write => (spec.write_sizes.clone(), spec.max_write_bytes, counts.mean_write_bytes, "write"),
    };
    let max_bytes = max.map_or(DEFAULT_MAX_BYTES, |size| size.0);
    let (shares, by) = match spec.small_write_share.filter(|_| side == Side::Write) {
        Some(small) => (small_and_large(small), SizeSharesBy::Count),
        None => (shares, spec.size_shares_by.unwrap_or(SizeSharesBy::Count)),
    };
    if mean.is_none() && shares.is_empty() {
        let message = format!("missing: the sizes of {name}s do not follow from the figures given");
        problems.add(format!("twin.mean_{name}_bytes"), message);
        return None;
    }
    let mix = Ranges::new(&shares, by, max_bytes).and_then(|ranges| ranges.mix(mean));
    let mix = match mix {
        Ok(mix) => mix,
        Err(message) => {
            let mean = mean.map_or("not given".to_owned(), |mean| format!("{mean:.0}"));
            let with = if side == Side::Write { ", small_write_share" } else { "" };
            let message = format!(
                "{mean} conflicts with {name}_sizes{with} and max_{name}_bytes = {max_bytes}: {message}"
            );
            problems.add(format!("twin.mean_{name}_bytes"), message);
            return None;
        }
    };
    let shares: Vec<f64> = mix.iter().map(|(_, share)| *share).collect();
    let counts = apportion(total, &shares);
    let class =
        |((sectors, _), count): (&(u32, f64), u64)| (SizeClass { sectors: *sectors, shifted: false }, count);
    Some(mix.iter().zip(counts).map(class).collect())
}

fn small_and_large(small: f64) -> Vec<SizeShare> {
    let to_4kib = SizeShare { to_bytes: Some(SizeBytes(4096)), share: small };
    vec![to_4kib, SizeShare { to_bytes: None, share: 1.0 - small }]
}

/// Moves requests off the 4 KiB pages until as many are unaligned as asked for.
fn shift(
    spec: &TwinSpec,
    reads: &mut Vec<(SizeClass, u64)>,
    writes: &mut Vec<(SizeClass, u64)>,
    problems: &mut Problems,
) -> Option<()> {
    let Some(share) = spec.not_4kib_aligned_share else {
        return Some(());
    };
    let all = || reads.iter().chain(writes.iter());
    let total: u64 = all().map(|(_, count)| count).sum();
    let by_size: u64 = all().filter(|(class, _)| class.unaligned()).map(|(_, count)| count).sum();
    let wanted = libm::round(share * total as f64) as u64;
    if by_size > wanted {
        let sizes = by_size as f64 / total as f64;
        let message =
            format!("{share} conflicts with the sizes: {sizes:.4} of the requests are no whole pages");
        problems.add("twin.not_4kib_aligned_share", message);
        return None;
    }
    let counts: Vec<f64> =
        all().map(|(class, count)| if class.unaligned() { 0.0 } else { *count as f64 }).collect();
    if wanted == by_size {
        return Some(());
    }
    let moved = apportion(wanted - by_size, &counts);
    let (for_reads, for_writes) = moved.split_at(reads.len());
    for (classes, moved) in [(reads, for_reads), (writes, for_writes)] {
        let mut shifted = Vec::new();
        for ((class, count), moved) in classes.iter_mut().zip(moved) {
            *count -= moved;
            shifted.push((SizeClass { shifted: true, ..*class }, *moved));
        }
        classes.extend(shifted.into_iter().filter(|(_, count)| *count > 0));
    }
    Some(())
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
    let touched = spec.footprint_touched_bytes.map_or(written, |bytes| to_pages(bytes.0));
    let page_reads = pages(reads) as f64;
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

fn gap_classes(
    spec: &TwinSpec,
    requests: u64,
    scale: f64,
    problems: &mut Problems,
) -> Option<Vec<gaps::GapClass>> {
    let gaps = requests - 1;
    let total_ns = match (spec.duration_ns, spec.mean_interarrival_ns) {
        (Some(duration), _) => duration.0 * scale,
        (None, Some(mean)) => mean.0 * gaps as f64,
        (None, None) => {
            for (name, _) in figures(spec).into_iter().filter(|(name, _)| gap_figure(name)) {
                problems.add(format!("twin.{name}"), "needs duration_ns or mean_interarrival_ns");
            }
            return Some(Vec::new());
        }
    };
    if gaps == 0 {
        return Some(Vec::new());
    }
    let scaled = |count: u64| libm::round(count as f64 * scale) as u64;
    let mut over: Vec<(f64, u64)> =
        [(1e6, spec.gaps_over_1ms), (1e8, spec.gaps_over_100ms), (1e9, spec.gaps_over_1s)]
            .into_iter()
            .filter_map(|(threshold, count)| Some((threshold, scaled(count?))))
            .collect();
    let bursts = (spec.burst_requests, spec.idle_share, spec.idle_over_ns);
    if let (Some(burst), Some(_), Some(threshold)) = bursts {
        let idle = libm::round(requests as f64 / burst).clamp(1.0, gaps as f64);
        over.push((threshold.0, idle as u64));
    } else if bursts != (None, None, None) {
        let message = "burst_requests, idle_share and idle_over_ns are given together or not at all";
        problems.add("twin.burst_requests", message);
        return None;
    }
    over.sort_by(|a, b| a.0.total_cmp(&b.0));
    match gaps::classes(gaps, total_ns, &over, spec.idle_share) {
        Ok(classes) => Some(classes),
        Err(message) => {
            let given = figures(spec).into_iter().filter(|(name, _)| gap_figure(name) || time_figure(name));
            let given: Vec<String> = given.map(|(name, value)| format!("{name} = {value}")).collect();
            problems.add("twin", format!("{} conflict: {message}", given.join(", ")));
            None
        }
    }
}

fn time_figure(name: &str) -> bool {
    ["duration_ns", "mean_interarrival_ns", "requests"].contains(&name)
}

fn gap_figure(name: &str) -> bool {
    name.starts_with("gaps_over") || ["burst_requests", "idle_share", "idle_over_ns"].contains(&name)
}

/// Whether the footprint is large enough for the requests, and their count for
/// figures that the last request can shift.
fn check_room(plan: &TwinPlan, problems: &mut Problems) {
    let most = plan.most_pages();
    if plan.written_pages > 0 && plan.written_pages < most {
        let message = format!(
            "{} bytes written conflict with the largest request of {} bytes",
            plan.written_pages * 4096,
            most * 4096
        );
        problems.add("twin.footprint_written_bytes", message);
    }
    if plan.read_only_pages > 0 && plan.read_only_pages < most {
        let message = format!("{} bytes are read only, less than one request", plan.read_only_pages * 4096);
        problems.add("twin.footprint_touched_bytes", message);
    }
}

/// Holds every given figure against what comes out.
fn check_figures(spec: &TwinSpec, plan: &TwinPlan, scale: f64, problems: &mut Problems) {
    let achieved = plan.achieved();
    let given = figures(spec);
    for (&name, &value) in &given {
        let wanted = if extensive(name) { value * scale } else { value };
        let Some(&reached) = achieved.get(name) else {
            continue;
        };
        // A scaled count is rounded; one more or less is no contradiction.
        let slack = if extensive(name) && scale < 1.0 { 1.0 } else { 0.0 };
        if (reached - wanted).abs() <= TOLERANCE * wanted.abs() + slack {
            continue;
        }
        let others = related(name, &given);
        let message = if scale < 1.0 {
            format!("{wanted} cannot be met with so few requests ({others}): {reached} comes out")
        } else {
            format!("{wanted} conflicts with {others}: they lead to {reached}")
        };
        problems.add(format!("twin.{name}"), message);
    }
}

/// The given figures that a figure hangs together with.
fn related(name: &str, given: &Figures) -> String {
    let time = time_figure(name) || gap_figure(name);
    let place = ["update_ratio", "footprint_written_bytes", "footprint_touched_bytes"];
    let counts = |other: &str| {
        other.contains("bytes") && !other.starts_with("footprint")
            || ["requests", "write_share"].contains(&other)
    };
    let related = |other: &&str| {
        **other != *name
            && if time && name != "requests" {
                time_figure(other) || gap_figure(other)
            } else {
                counts(other)
                    || place.contains(&name) && place.contains(other)
                    || *other == "small_write_share"
            }
    };
    let list =
        given.iter().filter(|(other, _)| related(other)).map(|(other, value)| format!("{other} = {value}"));
    list.collect::<Vec<_>>().join(", ")
}
