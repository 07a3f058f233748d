//! Classes of gaps between a twin's requests: as stated, or as its figures of time say.

use super::super::spec::{GapShare, TwinSpec};
use super::figures::figures;
use super::quota::apportion;
use super::TOLERANCE;
use crate::error::workload_problem::Problems;
use crate::info::arrivals::{SHORT_NS, SHORT_PAUSE_NS as SHORT_PAUSE, TIGHT_NS};
use crate::times::TIME_END_NS;

/// Gaps stay so far inside the bounds of their class, for rounding.
const MARGIN_NS: f64 = 2.0;

/// The stated classes over `gaps` gaps that last `total_ns` together (without:
/// as long as their means say); every problem is recorded.
pub(super) fn stated(
    spec: &TwinSpec,
    gaps: u64,
    total_ns: Option<f64>,
    problems: &mut Problems,
) -> Option<Vec<PlannedGaps>> {
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
fn counted(shares: &[GapShare], gaps: u64, total_given: bool) -> Vec<PlannedGaps> {
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
        let class = PlannedGaps { count, over_ns, to_ns, mean_ns, fills: true };
        over_ns = to_ns;
        class
    };
    shares.iter().zip(counts).map(class).collect()
}

/// Gives the last class what the others leave of `total_ns`.
fn fill_last(
    shares: &[GapShare],
    classes: &mut [PlannedGaps],
    gaps: u64,
    total_ns: f64,
) -> Result<(), String> {
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
    let PlannedGaps { count, over_ns, .. } = *last;
    Err(format!(
        "the duration of {total_ns:.4e} ns leaves {:.4e} ns for {count} gaps longer than {over_ns} ns",
        total_ns - others_ns
    ))
}

/// Gaps up to this are inside a burst; longer ones are pauses. All three are those of `trace info`.
pub(super) const BURST_GAP_NS: f64 = SHORT_NS as f64;
pub(super) const SHORT_PAUSE_NS: f64 = SHORT_PAUSE as f64;
pub(super) const TIGHT_GAP_NS: f64 = TIGHT_NS as f64;

/// Gaps of one kind: longer than `over_ns`, up to `to_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlannedGaps {
    pub(super) count: u64,
    pub(super) over_ns: f64,
    pub(super) to_ns: f64,
    pub(super) mean_ns: f64,
    /// Whether gaps lie all over the class, however close its mean is to the
    /// upper bound; else they stay around the mean where it is close.
    pub(super) fills: bool,
}

/// Whether a figure says how long things last.
pub(super) fn time_figure(name: &str) -> bool {
    ["duration_ns", "requests"].contains(&name)
}

/// Whether a figure says which gaps follow each other.
pub(super) fn burst_figure(name: &str) -> bool {
    ["short_gap_runs", "tight_gap_runs", "short_pause_runs", "median_burst_requests"].contains(&name)
}

/// Whether a figure says how gaps are spread.
pub(super) fn gap_figure(name: &str) -> bool {
    ["burst_requests", "idle_share", "idle_over_ns"].contains(&name)
}

/// Classes of gaps that meet the time figures; none where no time is given.
pub(super) fn gap_classes(
    spec: &TwinSpec,
    requests: u64,
    scale: f64,
    problems: &mut Problems,
) -> Option<Vec<PlannedGaps>> {
    let gaps = requests - 1;
    let total_ns = spec.duration_ns.map(|duration| duration.0 * scale);
    if total_ns.is_none() && spec.gap_classes.is_empty() {
        for name in figures(spec).into_keys().filter(|name| gap_figure(name)) {
            problems.add(format!("twin.{name}"), "needs duration_ns");
        }
        return Some(Vec::new());
    }
    if gaps == 0 {
        return Some(Vec::new());
    }
    let classes = match total_ns {
        Some(total_ns) if spec.gap_classes.is_empty() => in_bursts(spec, requests, total_ns, problems)?,
        _ => stated(spec, gaps, total_ns, problems)?,
    };
    let lasting_ns: f64 = classes.iter().map(|class| class.count as f64 * class.mean_ns).sum();
    if lasting_ns < TIME_END_NS as f64 {
        return Some(classes);
    }
    let name = if total_ns.is_some() { "duration_ns" } else { "gap_classes" };
    problems.add(
        format!("twin.{name}"),
        format!("the {requests} requests would last {lasting_ns:.3e} ns; allowed: times below 2^62 ns (146 years)"),
    );
    None
}

/// The gaps of `total_ns` as one class, or with bursts as those inside and between them.
fn in_bursts(
    spec: &TwinSpec,
    requests: u64,
    total_ns: f64,
    problems: &mut Problems,
) -> Option<Vec<PlannedGaps>> {
    let bursts = match (spec.burst_requests, spec.idle_share, spec.idle_over_ns) {
        (None, None, None) => None,
        (Some(burst), Some(share), Some(over)) => {
            let idle = libm::round(requests as f64 / burst).clamp(1.0, (requests - 1) as f64);
            Some((idle as u64, share, over.0))
        }
        _ => {
            let message = "burst_requests, idle_share and idle_over_ns are given together or not at all";
            problems.add("twin.burst_requests", message);
            return None;
        }
    };
    let explain = |message: String| {
        let given = figures(spec).into_iter().filter(|(name, _)| gap_figure(name) || time_figure(name));
        let given: Vec<String> = given.map(|(name, value)| format!("{name} = {value}")).collect();
        problems.add("twin", format!("{} conflict: {message}", given.join(", ")));
    };
    classes(requests - 1, total_ns, bursts).map_err(explain).ok()
}

/// One class of gaps, or two where so many are idle, with a share of the time and longer than a threshold.
pub(super) fn classes(
    gaps: u64,
    total_ns: f64,
    bursts: Option<(u64, f64, f64)>,
) -> Result<Vec<PlannedGaps>, String> {
    let class = |count: u64, (over_ns, to_ns): (f64, f64), share: f64| {
        let mean_ns = share * total_ns / count as f64;
        PlannedGaps { count, over_ns, to_ns, mean_ns, fills: false }
    };
    let classes = match bursts {
        None => vec![class(gaps, (0.0, f64::INFINITY), 1.0)],
        Some((idle, ..)) if idle == gaps => {
            return Err("the idle share needs gaps on both sides of its threshold".to_owned());
        }
        Some((idle, share, over_ns)) => vec![
            class(gaps - idle, (0.0, over_ns), 1.0 - share),
            class(idle, (over_ns, f64::INFINITY), share),
        ],
    };
    let possible = |class: &&PlannedGaps| {
        class.mean_ns > class.over_ns * 1.000_001 && class.mean_ns < class.to_ns * 0.999_999
    };
    match classes.iter().find(|class| !possible(class)) {
        None => Ok(classes),
        Some(PlannedGaps { count, over_ns, to_ns, mean_ns, .. }) => Err(format!(
            "{count} gaps between {over_ns} and {to_ns} ns would have to be {mean_ns:.0} ns long on average"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_gaps_are_refused() {
        assert!(classes(100, 1e9, Some((5, 0.3, 1e8))).is_err());
        assert!(classes(100, 1e12, Some((100, 0.3, 1e6))).is_err());
        assert!(classes(100, 1e12, Some((5, 0.3, 1e6))).is_err());
        assert!(classes(100, 0.0, None).is_err());
        assert!(classes(100, 1e9, Some((5, 0.9, 1e8))).is_ok());
    }
}
