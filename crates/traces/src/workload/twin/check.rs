//! Whether a plan meets the figures it was made for.

use super::super::spec::TwinSpec;
use super::achieved::{extensive, figures, Figures};
use super::bursts::{self, MEDIAN_TOLERANCE};
use super::gaps::{burst_figure, gap_figure, time_figure};
use super::generator::TwinGenerator;
use super::pauses;
use super::plan::{count, TwinPlan};
use crate::error::workload_problem::Problems;

/// How far what comes out may lie from what is given.
const TOLERANCE: f64 = 0.01;

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
