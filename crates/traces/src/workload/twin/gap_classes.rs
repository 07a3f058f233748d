//! Classes of gaps as a twin states them: bounds, shares and means.

use super::super::spec::{GapShare, TwinSpec};
use super::achieved::figures;
use super::gaps::gap_figure;
use super::gaps::GapClass;
use super::quota::apportion;
use crate::error::workload_problem::Problems;

/// How far the longest gaps may lie from their stated mean where a duration
/// says what is left for them.
const TOLERANCE: f64 = 0.01;
/// Gaps stay so far inside the bounds of their class, for rounding.
const MARGIN_NS: f64 = 2.0;

/// The stated classes over `gaps` gaps that last `total_ns` together (without:
/// as long as their means say); every problem is recorded.
pub(super) fn stated(
    spec: &TwinSpec,
    gaps: u64,
    total_ns: Option<f64>,
    problems: &mut Problems,
) -> Option<Vec<GapClass>> {
    let before = problems.0.len();
    check_conflicts(spec, problems);
    check_classes(&spec.gap_classes, total_ns.is_some(), problems);
    if problems.0.len() > before || gaps == 0 {
        return (problems.0.len() == before).then(Vec::new);
    }
    let mut classes = counted(&spec.gap_classes, gaps, total_ns.is_some());
    if let Some(total_ns) = total_ns {
        let left = fill_last(&spec.gap_classes, &mut classes, gaps, total_ns);
        left.map_err(|message| problems.add("twin.gap_classes", message)).ok()?;
    }
    classes.retain(|class| class.count > 0);
    Some(classes)
}

/// Figures that say in another way how gaps are spread.
fn check_conflicts(spec: &TwinSpec, problems: &mut Problems) {
    for (name, value) in figures(spec).into_iter().filter(|(name, _)| gap_figure(name)) {
        let message = format!("{name} = {value} and gap_classes both say how gaps are spread; give one");
        problems.add(format!("twin.{name}"), message);
    }
}

fn check_classes(shares: &[GapShare], total_given: bool, problems: &mut Problems) {
    let mut over_ns = 0.0;
    for (place, class) in shares.iter().enumerate() {
        let mut fault = |key: &str, message: String| {
            problems.add(format!("twin.gap_classes.{place}.{key}"), message);
        };
        let last = place + 1 == shares.len();
        let to_ns = class.to_ns.map_or(f64::INFINITY, |time| time.0);
        if class.to_ns.is_none() && !last {
            fault("to_ns", "missing: only the last class may leave to_ns out".to_owned());
            return;
        }
        if to_ns <= over_ns + 2.0 * MARGIN_NS {
            fault("to_ns", format!("{to_ns} is not allowed; allowed: ascending times, above {over_ns} ns"));
            return;
        }
        if !(class.share.is_finite() && class.share >= 0.0) {
            fault("share", format!("{} is not allowed; allowed: 0 or more", class.share));
        }
        match class.mean_ns.map(|time| time.0) {
            None if class.share > 0.0 && !(last && total_given) => {
                let message =
                    "missing: only the last class may leave mean_ns out, where duration_ns says what is left";
                fault("mean_ns", message.to_owned());
            }
            Some(mean_ns) if class.share > 0.0 && !inside(mean_ns, over_ns, to_ns) => {
                let message = format!("{mean_ns} is not allowed; allowed: between {over_ns} and {to_ns} ns");
                fault("mean_ns", message);
            }
            _ => {}
        }
        over_ns = to_ns;
    }
    if shares.iter().all(|class| class.share <= 0.0) {
        problems.add("twin.gap_classes", "the shares are all 0");
    }
}

fn inside(mean_ns: f64, over_ns: f64, to_ns: f64) -> bool {
    let least = if over_ns > 0.0 { over_ns + MARGIN_NS } else { 0.0 };
    (least..to_ns - MARGIN_NS).contains(&mean_ns)
}

/// The classes with exact counts. Where the last one is to take what is left of
/// the duration it has at least one gap.
fn counted(shares: &[GapShare], gaps: u64, total_given: bool) -> Vec<GapClass> {
    let mut counts = apportion(gaps, &shares.iter().map(|class| class.share).collect::<Vec<_>>());
    let last = shares.len() - 1;
    if total_given && counts[last] == 0 && shares[last].share > 0.0 {
        // The first of the fullest classes gives one away.
        let fullest = (0..=last).rev().max_by_key(|&place| counts[place]).unwrap_or(0);
        counts[fullest] -= 1;
        counts[last] = 1;
    }
    let mut over_ns = 0.0;
    let class = |(share, count): (&GapShare, u64)| {
        let to_ns = share.to_ns.map_or(f64::INFINITY, |time| time.0);
        let mean_ns = share.mean_ns.map_or(0.0, |time| time.0);
        let class = GapClass { count, over_ns, to_ns, mean_ns, fills: true };
        over_ns = to_ns;
        class
    };
    shares.iter().zip(counts).map(class).collect()
}

/// Gives the last class what the others leave of `total_ns`.
fn fill_last(shares: &[GapShare], classes: &mut [GapClass], gaps: u64, total_ns: f64) -> Result<(), String> {
    let Some((last, others)) = classes.split_last_mut() else {
        return Ok(());
    };
    let sum: f64 = shares.iter().map(|class| class.share).sum();
    let stated =
        |class: &GapShare| class.mean_ns.map_or(0.0, |time| time.0) * class.share / sum * gaps as f64;
    let all_stated = shares.iter().all(|class| class.mean_ns.is_some() || class.share == 0.0);
    let stated_ns: f64 = shares.iter().map(stated).sum();
    if all_stated && (stated_ns - total_ns).abs() > TOLERANCE * total_ns {
        return Err(format!(
            "the classes make {stated_ns:.4e} ns, but the duration is {total_ns:.4e} ns; leave out one of the \
             duration and the mean_ns of the last class"
        ));
    }
    let others_ns: f64 = others.iter().map(|class| class.count as f64 * class.mean_ns).sum();
    last.mean_ns = (total_ns - others_ns) / last.count as f64;
    if last.count > 0 && inside(last.mean_ns, last.over_ns, last.to_ns) {
        return Ok(());
    }
    let GapClass { count, over_ns, .. } = *last;
    Err(format!(
        "the duration of {total_ns:.4e} ns leaves {:.4e} ns for {count} gaps longer than {over_ns} ns",
        total_ns - others_ns
    ))
}
