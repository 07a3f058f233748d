//! How many extents of each size a twin has, and how they lie, so that its figures of space come out.

use super::super::random::bisect;
use super::super::spec::TwinSpec;
use super::extents::{starts, ExtentCount, EVEN_EXTENTS};
use super::generator::TwinGenerator;
use super::sizes::SizeClass;
use super::{TwinPlan, TOLERANCE};
use crate::error::workload_problem::{Problems, WorkloadProblem};
use crate::info::rewrites::Writers;
use slcache_base::request::{HostOp, Request};
use std::cmp::Reverse;

/// Of the pieces that could differ from all earlier writes, those counted on:
/// the extents they are pieces of are not all there from the beginning.
const COUNTED_ON: f64 = 0.8;

/// So many extents of a size are many: a few more or less lying alone do not show.
const MANY_EXTENTS: u64 = 8 * EVEN_EXTENTS;

/// Extents in exact counts.
#[derive(Clone, Debug)]
pub(super) struct ExtentPlan {
    /// For each size of writes.
    pub(super) written: Vec<ExtentCount>,
    /// For each size of reads, those never written.
    pub(super) read_only: Vec<ExtentCount>,
    /// For each size of writes, how many pieces of an extent are written at most
    /// that differ from all earlier writes.
    pub(super) variants_per_extent: Vec<u64>,
    pub(super) repeated_share: f64,
    /// Mean number of writes that a written 16 KiB page is from, in the first requests.
    pub(super) writers: f64,
}

impl ExtentPlan {
    /// `written` and `read_only` extents of each size, of which `dense_share` are neighbours.
    /// Overwriting writes repeat an extent with `repeated_share`, or the nearest that can be.
    pub(super) fn new(
        writes: &Classes,
        (written, read_only): (&[u64], &[u64]),
        dense_share: f64,
        repeated_share: f64,
    ) -> Self {
        let written = divide(written, dense_share);
        let variants = Room::of(writes, &written);
        Self {
            variants_per_extent: variants.per_extent(1.0 - repeated_share),
            read_only: divide(read_only, 1.0),
            written,
            repeated_share,
            writers: 0.0,
        }
    }

    /// Writes over pages written before.
    pub(super) fn update_writes(&self, writes: &Classes) -> u64 {
        writes.iter().zip(&self.written).map(|((_, n), extents)| n - extents.all()).sum()
    }
}

/// Divides extents into neighbours and lone ones: each size alike where there
/// are many, whose neighbours fill 16 KiB pages, else the few of all sizes together.
fn divide(extents: &[u64], dense_share: f64) -> Vec<ExtentCount> {
    let (mut few, mut few_dense) = (0, 0);
    let mut dense = |extents: u64| {
        if extents >= MANY_EXTENTS {
            let steps = libm::round(extents as f64 * dense_share / EVEN_EXTENTS as f64) as u64;
            return if dense_share < 1.0 { (steps * EVEN_EXTENTS).min(extents) } else { extents };
        }
        few += extents;
        let now = (libm::round(few as f64 * dense_share) as u64).saturating_sub(few_dense).min(extents);
        few_dense += now;
        now
    };
    let part = |&extents: &u64| {
        let dense = dense(extents);
        ExtentCount { dense, alone: extents - dense }
    };
    extents.iter().map(part).collect()
}

/// What room there is for writes that overwrite but repeat none.
pub(super) struct Room {
    /// For each size, overwriting writes, and pieces by (extents, pieces in each).
    sizes: Vec<(u64, Vec<(u64, u64)>)>,
    /// Sizes that begin with such a write because they have no extent of their own.
    homeless: u64,
}

impl Room {
    pub(super) fn of(writes: &Classes, extents: &[ExtentCount]) -> Self {
        let pieces = |own: usize, host: usize| {
            let starts = |alone| starts(writes[own].0.pages(), writes[host].0.pages(), own == host, alone);
            let ExtentCount { dense, alone } = extents[host];
            // Extents of the same size count in pairs, in each of their two groups.
            let dense = if own == host { dense.saturating_sub(2) } else { dense };
            [(dense, starts(false)), (alone, starts(true))]
        };
        let size = |own: usize| {
            let hosts = (0..writes.len()).flat_map(|host| pieces(own, host));
            (writes[own].1 - extents[own].all(), hosts.filter(|(n, each)| n * each > 0).collect())
        };
        let homeless = writes.iter().zip(extents).filter(|((_, n), extents)| *n > 0 && extents.all() == 0);
        Self { sizes: (0..writes.len()).map(size).collect(), homeless: homeless.count() as u64 }
    }

    fn overwriting(&self) -> f64 {
        self.sizes.iter().map(|(n, _)| *n).sum::<u64>() as f64
    }

    /// Writes of a size that can differ, if `share` of them are asked to.
    fn differing((overwriting, pieces): &(u64, Vec<(u64, u64)>), share: f64) -> f64 {
        let room: u64 = pieces.iter().map(|(extents, each)| extents * each).sum();
        (share * *overwriting as f64).min(COUNTED_ON * room as f64)
    }

    /// Least and greatest share of overwriting writes that can repeat an extent.
    pub(super) fn repeated_shares(&self) -> (f64, f64) {
        let all = self.overwriting().max(1.0);
        let most: f64 = self.sizes.iter().map(|size| Self::differing(size, 1.0)).sum();
        (1.0 - most / all, 1.0 - self.homeless as f64 / all)
    }

    /// Pieces of an extent that each size has to take for `share` of all to
    /// differ; sizes with room make up for those without.
    fn per_extent(&self, share: f64) -> Vec<u64> {
        let total = |share: f64| -> f64 { self.sizes.iter().map(|size| Self::differing(size, share)).sum() };
        let (_, high) = bisect((0.0, 1.0), 60, |part| total(part) < share * self.overwriting());
        let least = |size: &(u64, Vec<(u64, u64)>)| {
            let wanted = Self::differing(size, high) / COUNTED_ON;
            let most = size.1.iter().map(|(_, each)| *each).max().unwrap_or(1);
            let room = |limit: u64| size.1.iter().map(|(n, each)| n * limit.min(*each)).sum::<u64>() as f64;
            (1..most).find(|&limit| room(limit) >= wanted).unwrap_or(most)
        };
        self.sizes.iter().map(least).collect()
    }
}

/// Steepest dependence of fresh requests on their size that is tried, as a power of it.
const STEEPEST: f64 = 8.0;

/// Sizes with how often they are requested.
pub(super) type Classes = [(SizeClass, u64)];

/// Extents of each size that lie on `pages` pages together (fewer where the
/// sizes do not go up): in proportion to its requests, times its pages to the
/// power of `tilt`. The largest size has one at least, so that all others,
/// which may have none, can go into it.
fn with_tilt(classes: &Classes, pages: u64, tilt: f64) -> Vec<u64> {
    let exact = exact(classes, pages, tilt);
    let mut counts: Vec<u64> = exact.iter().map(|count| *count as u64).collect();
    let mut order: Vec<usize> = (0..classes.len()).filter(|&at| classes[at].1 > 0).collect();
    order.sort_by_key(|&at| Reverse(classes[at].0.pages()));
    let size = |at: usize| classes[at].0.pages();
    let used = |counts: &[u64]| -> u64 { (0..classes.len()).map(|at| size(at) * counts[at]).sum() };
    if let Some(&largest) = order.first().filter(|&&at| counts[at] == 0 && size(at) <= pages) {
        counts[largest] = 1;
        for &at in &order[1..] {
            let over = used(&counts).saturating_sub(pages).div_ceil(size(at));
            counts[at] -= over.min(counts[at]);
        }
    }
    // What rounding left: first where most is missing, then wherever it fits.
    for least_missing in [0.5, f64::NEG_INFINITY] {
        for &at in &order {
            let missing = exact[at] - counts[at] as f64;
            let most = if least_missing > 0.0 { u64::from(missing >= least_missing) } else { classes[at].1 };
            let fit = pages.saturating_sub(used(&counts)) / size(at);
            counts[at] += fit.min(most).min(classes[at].1 - counts[at]);
        }
    }
    counts
}

/// How many extents each class has at this tilt, before rounding.
fn exact(classes: &Classes, pages: u64, tilt: f64) -> Vec<f64> {
    let count = |(class, n): &(SizeClass, u64), log: f64| {
        let share = libm::exp(log + tilt * libm::log(class.pages() as f64));
        share.min(1.0) * *n as f64
    };
    let total =
        |log: f64| -> f64 { classes.iter().map(|size| count(size, log) * size.0.pages() as f64).sum() };
    let (_, high) = bisect((-200.0, 200.0), 100, |log| total(log) < pages as f64);
    classes.iter().map(|size| count(size, high)).collect()
}

/// Extents of each size on `pages` pages; the requests to pages requested before
/// are `updates` where that is given, else the same share of each size. `Err`
/// has the least and the greatest number of updates there can be.
pub(super) fn extent_counts(
    classes: &Classes,
    pages: u64,
    updates: Option<f64>,
) -> Result<Vec<u64>, (u64, u64)> {
    let Some(updates) = updates else {
        return Ok(with_tilt(classes, pages, 0.0));
    };
    let made = |tilt: f64| -> u64 {
        classes.iter().zip(with_tilt(classes, pages, tilt)).map(|((_, n), extents)| n - extents).sum()
    };
    let (least, most) = (made(-STEEPEST), made(STEEPEST));
    if updates < least as f64 * 0.99 - 1.0 || updates > most as f64 * 1.01 + 1.0 {
        return Err((least, most));
    }
    // The larger the fresh extents, the fewer of them and the more updates.
    let (low, high) = bisect((-STEEPEST, STEEPEST), 50, |tilt| (made(tilt) as f64) < updates);
    let off = |tilt: f64| (made(tilt) as f64 - updates).abs();
    Ok(with_tilt(classes, pages, if off(low) < off(high) { low } else { high }))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(sizes: &[(u32, u64)]) -> Vec<(SizeClass, u64)> {
        let class = |&(pages, n): &(u32, u64)| (SizeClass { sectors: pages * 8, shifted: false }, n);
        sizes.iter().map(class).collect()
    }

    fn pages(classes: &Classes, counts: &[u64]) -> u64 {
        classes.iter().zip(counts).map(|((class, _), n)| class.pages() * n).sum()
    }

    #[test]
    fn extents_make_up_the_footprint() {
        let sizes = classes(&[(1, 500), (2, 200), (3, 100), (8, 30), (32, 3)]);
        for footprint in [32, 33, 50, 99, 400, 1000, 1400, 1536] {
            let counts = extent_counts(&sizes, footprint, None).unwrap();
            assert_eq!(pages(&sizes, &counts), footprint, "{counts:?}");
            assert!(counts[4] >= 1 && sizes.iter().zip(&counts).all(|((_, n), count)| count <= n));
        }
        // Nothing fits between multiples of the only size.
        assert_eq!(extent_counts(&classes(&[(4, 10)]), 23, None), Ok(vec![5]));
    }

    #[test]
    fn updates_are_met_or_their_range_is_told() {
        let sizes = classes(&[(1, 5000), (2, 2000), (8, 300), (32, 30)]);
        for updates in [8000.0_f64, 6500.0, 7000.0] {
            match extent_counts(&sizes, 2000, Some(updates)) {
                Ok(counts) => {
                    let made = 7330 - counts.iter().sum::<u64>();
                    assert_eq!(pages(&sizes, &counts), 2000);
                    assert!((made as f64 - updates).abs() < 0.01 * updates, "{made} for {updates}");
                }
                Err((least, most)) => assert!(updates > most as f64 && least < most, "{least} to {most}"),
            }
        }
    }
}
