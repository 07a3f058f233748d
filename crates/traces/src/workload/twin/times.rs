//! The time figures of a twin as classes of gaps, with exact counts and totals.

use super::super::spec::TwinSpec;
use super::achieved::figures;
use super::gap_classes::stated;
use super::gaps::{gap_figure, time_figure, GapClass};
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
) -> Option<Vec<GapClass>> {
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
) -> Result<Vec<GapClass>, String> {
    let class = |count: u64, (over_ns, to_ns): (f64, f64), share: f64| {
        let mean_ns = share * total_ns / count as f64;
        GapClass { count, over_ns, to_ns, mean_ns, fills: false }
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
    let possible = |class: &&GapClass| {
        class.mean_ns > class.over_ns * 1.000_001 && class.mean_ns < class.to_ns * 0.999_999
    };
    match classes.iter().find(|class| !possible(class)) {
        None => Ok(classes),
        Some(GapClass { count, over_ns, to_ns, mean_ns, .. }) => Err(format!(
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
