//! Lays a twin's extents out so that its figures of space come out.

use super::super::spec::TwinSpec;
use super::extent_counts::{extent_counts, Classes};
use super::extent_plan::{ExtentPlan, Room};
use super::generator::TwinGenerator;
use super::plan::TwinPlan;
use crate::error::workload_problem::{Problems, WorkloadProblem};
use crate::info::writers::Writers;
use slcache_base::request::{HostOp, Request};

/// How far what comes out may lie from what is given.
const TOLERANCE: f64 = 0.01;
/// Requests made to see how many writes a page is from.
const PROBE_REQUESTS: usize = 40_000;
/// Layouts tried at most between the two extremes.
const TRIALS: usize = 8;

/// Gives `plan` its extents, if the specification speaks of any; what they add
/// up to becomes its footprint.
pub(super) fn settle(spec: &TwinSpec, plan: &mut TwinPlan, problems: &mut Problems) -> Option<()> {
    let repeated_share = spec.repeated_extent_share?;
    let updates = spec.update_writes.map(|updates| updates as f64 * plan.scale);
    let written = extent_counts(&plan.writes, plan.written_pages, updates).map_err(|(least, most)| {
        let message = format!(
            "{} conflicts with the sizes and the footprint: from {least} to {most} writes can overwrite",
            updates.unwrap_or_default()
        );
        WorkloadProblem::new("twin.update_writes", message)
    });
    let written = problems.take(written)?;
    let read_only = extent_counts(&plan.reads, plan.read_only_pages, None).unwrap_or_default();
    plan.written_pages = pages_of(&plan.writes, &written);
    plan.read_only_pages = pages_of(&plan.reads, &read_only);
    let layout = |dense_share: f64| {
        let extents = ExtentPlan::new(&plan.writes, (&written, &read_only), dense_share, repeated_share);
        let trial = TwinPlan { extents: Some(extents.clone()), ..plan.clone() };
        ExtentPlan { writers: writers(TwinGenerator::new(&trial, 0).take(PROBE_REQUESTS)), ..extents }
    };
    let extents = match spec.writers_per_16kib_page {
        None => layout(1.0),
        Some(wanted) => problems.take(with_writers(wanted, layout).map_err(|(least, most)| {
            let message = format!(
                "{wanted} conflicts with the sizes and updates: from {least:.3} to {most:.3} can come out"
            );
            WorkloadProblem::new("twin.writers_per_16kib_page", message)
        }))?,
    };
    check_repeats(repeated_share, plan, &extents, problems);
    check_reads(plan, &extents, problems);
    plan.extents = Some(extents);
    Some(())
}

fn pages_of(classes: &Classes, counts: &[u64]) -> u64 {
    classes.iter().zip(counts).map(|((class, _), n)| class.pages() * n).sum()
}

/// The layout from which pages come out with `wanted` writers, or what can come out.
fn with_writers(wanted: f64, layout: impl Fn(f64) -> ExtentPlan) -> Result<ExtentPlan, (f64, f64)> {
    let (mut low, mut high) = ((0.0, layout(0.0)), (1.0, layout(1.0)));
    let off = |extents: &ExtentPlan| (extents.writers - wanted).abs() / wanted;
    let inside = wanted > low.1.writers * (1.0 - TOLERANCE) && wanted < high.1.writers * (1.0 + TOLERANCE);
    if !inside {
        return Err((low.1.writers, high.1.writers));
    }
    let mut best = if off(&low.1) < off(&high.1) { low.1.clone() } else { high.1.clone() };
    for _ in 0..TRIALS {
        if off(&best) < TOLERANCE / 4.0 {
            break;
        }
        // With all else equal, pages per write are linear in the share of neighbours.
        let part = (1.0 / low.1.writers - 1.0 / wanted) / (1.0 / low.1.writers - 1.0 / high.1.writers);
        let middle = low.0 + (high.0 - low.0) * part.clamp(0.02, 0.98);
        let tried = layout(middle);
        if off(&tried) < off(&best) {
            best = tried.clone();
        }
        let side = if tried.writers < wanted { &mut low } else { &mut high };
        *side = (middle, tried);
    }
    Ok(best)
}

/// Mean number of writes that the sectors of a written 16 KiB page are from.
fn writers(requests: impl Iterator<Item = Request>) -> f64 {
    let mut writers = Writers::of_at_most(usize::MAX);
    requests.filter(|request| request.op == HostOp::Write).for_each(|write| writers.add(&write));
    writers.per_page()
}

/// Whether as many overwriting writes can repeat an extent as are asked for.
fn check_repeats(wanted: f64, plan: &TwinPlan, extents: &ExtentPlan, problems: &mut Problems) {
    let (least, most) = Room::of(&plan.writes, &extents.written).repeated_shares();
    if wanted < least * (1.0 - TOLERANCE) || wanted > most * (1.0 + TOLERANCE) {
        let message =
            format!("{wanted} conflicts with the sizes and the footprint; allowed: {least:.4} to {most:.4}");
        problems.add("twin.repeated_extent_share", message);
    }
}

/// Whether the largest read finds as many neighbours as it needs.
fn check_reads(plan: &TwinPlan, extents: &ExtentPlan, problems: &mut Problems) {
    let most = plan.reads.iter().filter(|(_, n)| *n > 0).map(|(class, _)| class.pages()).max().unwrap_or(0);
    let sizes = || plan.writes.iter().zip(&extents.written);
    let neighbours: u64 = sizes().map(|((class, _), count)| class.pages() * count.groups()[0]).sum();
    let extent = sizes().filter(|(_, count)| count.all() > 0).map(|((class, _), _)| class.pages()).max();
    let room = neighbours.max(extent.unwrap_or(0));
    if plan.written_pages > 0 && most > room {
        let message = format!(
            "reads of {} bytes conflict with writers_per_16kib_page and the footprint: no more than {} bytes \
             are written side by side",
            most * 4096,
            room * 4096
        );
        problems.add("twin.max_read_bytes", message);
    }
}
