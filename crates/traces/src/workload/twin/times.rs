//! The time figures of a twin as classes of gaps.

use super::super::spec::TwinSpec;
use super::achieved::figures;
use super::gap_classes::stated;
use super::gaps::{classes, GapClass};
use super::time_figures::{gap_figure, time_figure};
use crate::error::workload_problem::Problems;
use crate::times::TIME_END_NS;

/// Classes of gaps that meet the time figures; none where no time is given.
pub(super) fn gap_classes(
    spec: &TwinSpec,
    requests: u64,
    scale: f64,
    problems: &mut Problems,
) -> Option<Vec<GapClass>> {
    let gaps = requests - 1;
    let total_ns = match (spec.duration_ns, spec.mean_interarrival_ns) {
        (Some(duration), _) => duration.0 * scale,
        (None, Some(mean)) => mean.0 * gaps as f64,
        (None, None) if !spec.gap_classes.is_empty() => {
            return stated(spec, gaps, None, problems).filter(|classes| bounded(classes, requests, problems));
        }
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
    if total_ns >= TIME_END_NS as f64 {
        let name = if spec.duration_ns.is_some() { "duration_ns" } else { "mean_interarrival_ns" };
        problems.add(
            format!("twin.{name}"),
            format!("the {requests} requests would last {total_ns:.3e} ns; allowed: times below 2^62 ns (146 years)"),
        );
        return None;
    }
    if !spec.gap_classes.is_empty() {
        return stated(spec, gaps, Some(total_ns), problems);
    }
    let over = thresholds(spec, requests, scale, problems)?;
    match classes(gaps, total_ns, &over, spec.idle_share) {
        Ok(classes) => Some(classes),
        Err(message) => {
            let given = figures(spec).into_iter().filter(|(name, _)| gap_figure(name) || time_figure(name));
            let given: Vec<String> = given.map(|(name, value)| format!("{name} = {value}")).collect();
            problems.add("twin", format!("{} conflict: {message}", given.join(", ")));
            None
        }
    }
}

/// Whether the classes end before the end of time.
fn bounded(classes: &[GapClass], requests: u64, problems: &mut Problems) -> bool {
    let total_ns: f64 = classes.iter().map(|class| class.count as f64 * class.mean_ns).sum();
    let bounded = total_ns < TIME_END_NS as f64;
    if !bounded {
        let message = format!(
            "the {requests} requests would last {total_ns:.3e} ns; allowed: times below 2^62 ns (146 years)"
        );
        problems.add("twin.gap_classes", message);
    }
    bounded
}

/// Thresholds with how many gaps are longer, ascending.
fn thresholds(
    spec: &TwinSpec,
    requests: u64,
    scale: f64,
    problems: &mut Problems,
) -> Option<Vec<(f64, u64)>> {
    let scaled = |count: u64| libm::round(count as f64 * scale) as u64;
    let mut over: Vec<(f64, u64)> =
        [(1e6, spec.gaps_over_1ms), (1e8, spec.gaps_over_100ms), (1e9, spec.gaps_over_1s)]
            .into_iter()
            .filter_map(|(threshold, count)| Some((threshold, scaled(count?))))
            .collect();
    let bursts = (spec.burst_requests, spec.idle_share, spec.idle_over_ns);
    if let (Some(burst), Some(_), Some(threshold)) = bursts {
        let idle = libm::round(requests as f64 / burst).clamp(1.0, (requests - 1) as f64);
        over.push((threshold.0, idle as u64));
    } else if bursts != (None, None, None) {
        let message = "burst_requests, idle_share and idle_over_ns are given together or not at all";
        problems.add("twin.burst_requests", message);
        return None;
    }
    over.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(over)
}
