//! The figures of a twin: their names, those that come out of a plan, and whether these are the ones given.

use super::super::spec::TwinSpec;
use super::bursts::{self, MEDIAN_TOLERANCE};
use super::gap_classes::{burst_figure, gap_figure, time_figure};
use super::generator::TwinGenerator;
use super::quota::write_after_write_share;
use super::sizes::SizeClass;
use super::{count, pages, pauses, TwinPlan, TOLERANCE};
use crate::error::workload_problem::Problems;
use crate::info::arrivals::median_length;
use crate::info::ratio;
use serde_json::Value;
use slcache_base::request::SECTOR_BYTES;
use std::collections::BTreeMap;

/// Figures by name, in the units their names end with.
pub(in crate::workload) type Figures = BTreeMap<String, f64>;

/// Figures that grow with the number of requests.
const EXTENSIVE: [&str; 7] = [
    "requests",
    "read_bytes",
    "write_bytes",
    "footprint_written_bytes",
    "footprint_touched_bytes",
    "update_writes",
    "duration_ns",
];
/// Keys of a twin that are no figures.
const NO_FIGURES: [&str; 3] = ["of", "from", "size_shares_by"];

/// Whether a figure shrinks along when a twin is scaled down.
pub(in crate::workload) fn extensive(name: &str) -> bool {
    EXTENSIVE.contains(&name)
}

/// What a specification says, by key; nothing where a figure is left out.
fn stated(spec: &TwinSpec) -> serde_json::Map<String, Value> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(stated)) => stated,
        _ => serde_json::Map::new(),
    }
}

/// The figures a specification states as numbers.
pub(in crate::workload) fn figures(spec: &TwinSpec) -> Figures {
    stated(spec).into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect()
}

/// The names of all figures; empty lists are not among what is stated.
pub(in crate::workload) fn figure_names() -> Vec<String> {
    let single = stated(&TwinSpec::default()).into_iter().map(|(name, _)| name);
    let lists = ["read_sizes", "write_sizes", "gap_classes"].map(str::to_owned);
    single.filter(|name| !NO_FIGURES.contains(&name.as_str())).chain(lists).collect()
}

fn bytes(classes: &[(SizeClass, u64)]) -> f64 {
    classes.iter().map(|(class, count)| (u64::from(class.sectors) * SECTOR_BYTES * count) as f64).sum()
}

impl TwinPlan {
    /// What the plan's requests amount to, by the definitions of `trace info`.
    pub(in crate::workload) fn achieved(&self) -> BTreeMap<&'static str, f64> {
        let (reads, writes) = (count(&self.reads) as f64, count(&self.writes) as f64);
        let (read_bytes, write_bytes) = (bytes(&self.reads), bytes(&self.writes));
        let requests = reads + writes;
        let page_writes = pages(&self.writes) as f64;
        let written = self.written_pages as f64;
        let small = self.writes.iter().filter(|(class, _)| class.sectors <= 8).map(|(_, n)| *n).sum::<u64>();
        let unaligned = self.reads.iter().chain(&self.writes).filter(|(class, _)| class.unaligned());
        let mut figures = BTreeMap::from([
            ("requests", requests),
            ("write_share", ratio(writes, requests)),
            ("write_bytes_share", ratio(write_bytes, read_bytes + write_bytes)),
            ("read_bytes", read_bytes),
            ("write_bytes", write_bytes),
            ("mean_read_bytes", ratio(read_bytes, reads)),
            ("mean_write_bytes", ratio(write_bytes, writes)),
            ("small_write_share", ratio(small as f64, writes)),
            ("footprint_written_bytes", written * 4096.0),
            ("footprint_touched_bytes", (written + self.read_only_pages as f64) * 4096.0),
            ("update_ratio", ratio(page_writes - written, page_writes)),
            ("not_4kib_aligned_share", ratio(unaligned.map(|(_, n)| *n).sum::<u64>() as f64, requests)),
        ]);
        if let Some(extents) = &self.extents {
            figures.insert("repeated_extent_share", extents.repeated_share);
            figures.insert("writers_per_16kib_page", extents.writers);
            figures.insert("update_writes", extents.update_writes(&self.writes) as f64);
        }
        let duration_ns: f64 = self.gaps.iter().map(|class| class.count as f64 * class.mean_ns).sum();
        figures.insert("duration_ns", duration_ns);
        figures.extend(self.order());
        figures
    }

    /// How gaps and operations follow each other, where that is certain.
    fn order(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let (reads, writes) = (count(&self.reads), count(&self.writes));
        let runs = self.write_runs.map(|runs| write_after_write_share(reads, writes, runs));
        let split = bursts::split(&self.gaps).filter(|_| !self.gaps.is_empty());
        let lengths = Some(&self.bursts).filter(|lengths| !lengths.is_empty());
        let median = lengths.map(|lengths| median_length(lengths.clone()) as f64);
        let short = split.zip(lengths).map(|((inside, between), lengths)| {
            let longer = lengths.iter().filter(|(length, _)| *length > 1).map(|(_, count)| count).sum();
            bursts::short_gap_runs(inside, between + 1, longer)
        });
        let pauses = self.pause_runs.and_then(|runs| pauses::short_pause_runs(&self.gaps, runs));
        let tight = Some(&self.tight_gaps).filter(|counts| !counts.is_empty());
        let tight = tight.map(|counts| bursts::tight_gap_runs(&self.bursts, counts));
        let figures = [
            ("short_gap_runs", short),
            ("tight_gap_runs", tight),
            ("short_pause_runs", pauses),
            ("median_burst_requests", median),
            ("write_after_write_share", runs),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Whether the footprint is large enough for the requests, and their count for
/// figures that the last request can shift.
pub(super) fn check_room(plan: &TwinPlan, problems: &mut Problems) {
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
pub(super) fn check_figures(spec: &TwinSpec, plan: &TwinPlan, scale: f64, problems: &mut Problems) {
    let achieved = plan.achieved();
    let given = figures(spec);
    for (name, &value) in &given {
        let wanted = if extensive(name) { value * scale } else { value };
        let Some(&reached) = achieved.get(name.as_str()) else {
            continue;
        };
        // A scaled count is rounded; one more or less is no contradiction.
        let slack = if extensive(name) && scale < 1.0 { 1.0 } else { slack(name, plan) };
        if (reached - wanted).abs() <= tolerance(name) * wanted.abs() + slack {
            continue;
        }
        let others = related(name, spec, &given);
        let message = if scale < 1.0 {
            format!("{wanted} cannot be met with so few requests ({others}): {reached} comes out")
        } else {
            format!("{wanted} conflicts with {others}: they lead to {reached}")
        };
        problems.add(format!("twin.{name}"), message);
    }
}

fn tolerance(name: &str) -> f64 {
    if name == "median_burst_requests" {
        MEDIAN_TOLERANCE
    } else {
        TOLERANCE
    }
}

/// What one gap, request or extent, more or less, makes of a figure that is counted in them.
fn slack(name: &str, plan: &TwinPlan) -> f64 {
    let (inside, _) = bursts::split(&plan.gaps).unwrap_or((0, 0));
    match name {
        "short_gap_runs" => 1.0 / inside.max(1) as f64,
        "short_pause_runs" => pauses::split(&plan.gaps).map_or(0.0, |(short, _)| 1.0 / short.max(1) as f64),
        // Held against what comes out where it is planned, which knows how many there are.
        "tight_gap_runs" => f64::INFINITY,
        "median_burst_requests" => 0.5,
        "writers_per_16kib_page" => 4.0 / plan.written_pages.max(1) as f64,
        "write_after_write_share" => 1.0 / count(&plan.writes).max(1) as f64,
        _ => 0.0,
    }
}

fn related(name: &str, spec: &TwinSpec, given: &Figures) -> String {
    let time_related = |name: &str| time_figure(name) || gap_figure(name) || burst_figure(name);
    let time = time_related(name);
    let place = ["update_ratio", "footprint_written_bytes", "footprint_touched_bytes"];
    let counts = |other: &str| {
        other.contains("bytes") && !other.starts_with("footprint")
            || ["requests", "write_share"].contains(&other)
    };
    let related = |other: &str| {
        other != name
            && if time && name != "requests" {
                time_related(other)
            } else {
                counts(other)
                    || place.contains(&name) && place.contains(&other)
                    || other == "small_write_share"
            }
    };
    let classes = (time && !spec.gap_classes.is_empty()).then(|| "gap_classes".to_owned());
    let list = given.iter().filter(|(other, _)| related(other.as_str()));
    let list = list.map(|(other, value)| format!("{other} = {value}")).chain(classes);
    list.collect::<Vec<_>>().join(", ")
}

/// Requests made to see whether enough of them can be sequential.
const PROBE_REQUESTS: usize = 20_000;

/// Makes the first requests and counts the sequential ones: whether each can
/// continue the one before depends on all figures together.
pub(super) fn check_sequential(plan: &TwinPlan, problems: &mut Problems) {
    let (mut made, mut sequential, mut end) = (0u64, 0u64, None);
    for request in TwinGenerator::new(plan, 0).take(PROBE_REQUESTS) {
        sequential += u64::from(end == Some(request.sector));
        end = Some(request.end_sector());
        made += 1;
    }
    let wanted = plan.sequential_share * made as f64;
    // Chance moves a request or two to either side of a short beginning.
    if (sequential as f64 - wanted).abs() > TOLERANCE * wanted + 10.0 {
        let reached = sequential as f64 / made as f64;
        let message = format!(
            "{} conflicts with sizes, alignment, footprint and reads: {reached:.4} of the requests come out \
             sequential",
            plan.sequential_share
        );
        problems.add("twin.sequential_share", message);
    }
}
