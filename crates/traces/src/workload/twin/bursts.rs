//! Bursts of a twin: requests that are at most 1 ms apart.

use super::super::spec::TwinSpec;
use super::gaps::{GapClass, BURST_GAP_NS, TIGHT_GAP_NS};
use super::run_lengths::RunLengths;
use super::tight_gaps;
use crate::error::workload_problem::WorkloadProblem;
use crate::info::arrivals::median_length;

/// How far the median may lie from the one asked for.
pub(super) const MEDIAN_TOLERANCE: f64 = 0.05;

/// Gaps inside bursts and between them, where a bound between classes tells them apart.
pub(super) fn split(gaps: &[GapClass]) -> Option<(u64, u64)> {
    let apart = |class: &GapClass| class.to_ns <= BURST_GAP_NS || class.over_ns >= BURST_GAP_NS;
    let inside = gaps.iter().filter(|class| class.to_ns <= BURST_GAP_NS);
    let all: u64 = gaps.iter().map(|class| class.count).sum();
    let inside: u64 = inside.map(|class| class.count).sum();
    gaps.iter().all(apart).then_some((inside, all - inside))
}

/// Share of the gaps behind a gap inside bursts that are inside bursts as well,
/// where `longer` of the bursts have more than one request. The last gap has
/// none behind it.
pub(super) fn short_gap_runs(inside: u64, bursts: u64, longer: u64) -> f64 {
    if inside == 0 {
        return 0.0;
    }
    let ends_inside = longer as f64 / bursts as f64;
    let followed = inside as f64 - ends_inside;
    ((inside - longer) as f64 / followed.max(f64::MIN_POSITIVE)).min(1.0)
}

/// Bursts by length, in exact counts; none where the gaps come in any order.
pub(super) fn plan(
    spec: &TwinSpec,
    gaps: &[GapClass],
    requests: u64,
) -> Result<Vec<(u64, u64)>, WorkloadProblem> {
    let Some(runs) = spec.short_gap_runs else {
        return match spec.median_burst_requests {
            None => Ok(Vec::new()),
            Some(_) => Err(WorkloadProblem::new("twin.median_burst_requests", "needs short_gap_runs")),
        };
    };
    let (inside, between) = split(gaps).filter(|_| !gaps.is_empty() || requests == 1).ok_or_else(|| {
        WorkloadProblem::new("twin.short_gap_runs", "needs gaps told apart at 1 ms, by gap_classes")
    })?;
    let bursts = between + 1;
    let longer = longer_bursts(runs, inside, bursts)?;
    let single = (1, bursts - longer);
    let lengths = match spec.median_burst_requests {
        None => RunLengths::geometric(inside, longer).counts(inside, longer),
        Some(median) => with_median(median, single.1, inside, longer)?,
    };
    let longer = lengths.into_iter().map(|(gaps, count)| (gaps + 1, count));
    Ok(std::iter::once(single).chain(longer).filter(|(_, count)| *count > 0).collect())
}

/// Gaps up to 10 us by length of burst, in exact counts; none where they may lie anywhere.
pub(super) fn plan_tight(
    spec: &TwinSpec,
    gaps: &[GapClass],
    bursts: &[(u64, u64)],
) -> Result<Vec<u64>, WorkloadProblem> {
    let Some(runs) = spec.tight_gap_runs else {
        return Ok(Vec::new());
    };
    let refused = |message: String| WorkloadProblem::new("twin.tight_gap_runs", message);
    if spec.short_gap_runs.is_none() {
        return Err(refused("needs short_gap_runs".to_owned()));
    }
    if gaps.iter().any(|class| class.over_ns < TIGHT_GAP_NS && class.to_ns > TIGHT_GAP_NS) {
        return Err(refused("needs gaps told apart at 10 us, by gap_classes".to_owned()));
    }
    let tight = gaps.iter().filter(|class| class.to_ns <= TIGHT_GAP_NS).map(|class| class.count).sum();
    tight_gaps::plan(bursts, tight, runs).map_err(|(least, most)| {
        refused(format!(
            "{runs} is not possible with {tight} gaps up to 10 us in these bursts; possible: {least:.4} to {most:.4}"
        ))
    })
}

/// How many bursts have more than one request.
fn longer_bursts(runs: f64, inside: u64, bursts: u64) -> Result<u64, WorkloadProblem> {
    if inside == 0 {
        return Ok(0);
    }
    let most = inside.min(bursts);
    // Those at the end of the trace have no gap behind them.
    let exact = inside as f64 * (1.0 - runs) / (1.0 - runs / bursts as f64).max(f64::MIN_POSITIVE);
    let longer = libm::round(exact).clamp(1.0, most as f64) as u64;
    let reached = short_gap_runs(inside, bursts, longer);
    // One more or less is no contradiction.
    if (reached - runs).abs() <= 0.01 * runs + 1.0 / inside as f64 {
        return Ok(longer);
    }
    let (least, most) = (short_gap_runs(inside, bursts, most), short_gap_runs(inside, bursts, 1));
    let message = format!(
        "{runs} is not possible with {inside} gaps up to 1 ms in {bursts} bursts; possible: {least:.4} to \
         {most:.4}"
    );
    Err(WorkloadProblem::new("twin.short_gap_runs", message))
}

/// Lengths of runs of gaps whose bursts, with `single` of one request, have this median.
fn with_median(
    wanted: f64,
    single: u64,
    inside: u64,
    longer: u64,
) -> Result<Vec<(u64, u64)>, WorkloadProblem> {
    let median_of = |lengths: &[(u64, u64)]| {
        let all = lengths.iter().map(|(gaps, count)| (gaps + 1, *count)).chain([(1, single)]);
        median_length(all.collect())
    };
    if longer == 0 {
        return Ok(Vec::new());
    }
    let candidates = RunLengths::candidates(wanted, single, inside, longer);
    let counted = candidates.map(|lengths| lengths.counts(inside, longer));
    let mut medians = Vec::new();
    for lengths in counted {
        let reached = median_of(&lengths);
        // The bursts of a short trace cannot meet it better than to a request.
        if (reached as f64 - wanted).abs() <= (MEDIAN_TOLERANCE * wanted).max(0.5) {
            return Ok(lengths);
        }
        medians.push(reached);
    }
    let (least, most) = (medians.iter().min().copied(), medians.iter().max().copied());
    let message = format!(
        "{wanted} conflicts with short_gap_runs and the gaps over 1 ms: {} bursts come out with a median from \
         {} to {}",
        longer + single,
        least.unwrap_or(1),
        most.unwrap_or(1)
    );
    Err(WorkloadProblem::new("twin.median_burst_requests", message))
}
