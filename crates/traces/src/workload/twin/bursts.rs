//! Bursts of a twin: requests that are at most 1 ms apart, and which of them have the shortest gaps.

use super::super::random::bisect;
use super::super::spec::TwinSpec;
use super::gap_classes::{PlannedGaps, BURST_GAP_NS, TIGHT_GAP_NS};
use super::run_lengths::RunLengths;
use crate::error::workload_problem::WorkloadProblem;
use crate::info::arrivals::median_length;

/// How far the median may lie from the one asked for.
pub(super) const MEDIAN_TOLERANCE: f64 = 0.05;

/// Gaps inside bursts and between them, where a bound between classes tells them apart.
pub(super) fn split(gaps: &[PlannedGaps]) -> Option<(u64, u64)> {
    let apart = |class: &PlannedGaps| class.to_ns <= BURST_GAP_NS || class.over_ns >= BURST_GAP_NS;
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
    gaps: &[PlannedGaps],
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
    gaps: &[PlannedGaps],
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
    tight_counts(bursts, tight, runs).map_err(|(least, most)| {
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

/// Powers that are tried: from tight gaps in short bursts to such in long ones alone.
const POWERS: (f64, f64) = (-4.0, 8.0);
const STEPS: u32 = 40;

/// Tight gaps in all bursts of each length (requests, bursts), `tight` together;
/// or the least and most of `runs` that is possible.
///
/// In measured volumes the gaps up to 10 us lie in long bursts: in hm_0 they are
/// 4 % of the gaps of pairs and 97 % of those of the longest bursts. Here the
/// odds of a gap being tight grow with a power of the length of its burst, the
/// power that gives as many tight gaps behind tight gaps as asked for.
fn tight_counts(lengths: &[(u64, u64)], tight: u64, runs: f64) -> Result<Vec<u64>, (f64, f64)> {
    let counts = |power: f64| spread(lengths, tight, power);
    let reached = |power: f64| tight_gap_runs(lengths, &counts(power));
    let (_, high) = bisect(POWERS, STEPS, |power| reached(power) < runs);
    // One more or less is no contradiction.
    if (reached(high) - runs).abs() <= 0.01 * runs + 1.0 / tight.max(1) as f64 {
        Ok(counts(high))
    } else {
        Err((reached(POWERS.0), reached(POWERS.1)))
    }
}

/// Expected share of the gaps behind tight gaps that are tight, the order
/// within bursts of one length being random.
pub(super) fn tight_gap_runs(lengths: &[(u64, u64)], counts: &[u64]) -> f64 {
    let pairs = lengths.iter().zip(counts).map(|(&(requests, bursts), &tight)| {
        let (gaps, tight) = (gaps(requests, bursts) as f64, tight as f64);
        let neighbours = bursts as f64 * requests.saturating_sub(2) as f64;
        if gaps < 2.0 {
            return 0.0;
        }
        neighbours * tight * (tight - 1.0) / (gaps * (gaps - 1.0))
    });
    let tight: u64 = counts.iter().sum();
    pairs.sum::<f64>() / tight.max(1) as f64
}

fn gaps(requests: u64, bursts: u64) -> u64 {
    (requests - 1) * bursts
}

/// `tight` gaps over the bursts, with odds by this power of the length.
fn spread(lengths: &[(u64, u64)], tight: u64, power: f64) -> Vec<u64> {
    let shares = |odds: f64| {
        lengths.iter().map(move |&(requests, bursts)| {
            let gaps = gaps(requests, bursts) as f64;
            let odds = odds + power * libm::log((requests - 1).max(1) as f64);
            gaps / (1.0 + libm::exp(-odds))
        })
    };
    let (_, high) = bisect((-300.0, 300.0), 60, |odds| shares(odds).sum::<f64>() < tight as f64);
    // The sum is rounded, not the parts, so that they add up.
    let (mut sum, mut given) = (0.0, 0);
    let rounded = shares(high).map(|share| {
        sum += share;
        let count = (libm::round(sum) as u64).min(tight) - given;
        given += count;
        count
    });
    rounded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bursts of 1 to 64 requests, as many of each as is usual.
    fn lengths() -> Vec<(u64, u64)> {
        [(1, 951), (2, 232), (3, 142), (6, 78), (12, 67), (24, 47), (48, 30), (80, 16)].to_vec()
    }

    #[test]
    fn counts_add_up_and_fit_their_bursts() {
        let all: u64 = lengths().iter().map(|&(requests, bursts)| gaps(requests, bursts)).sum();
        for tight in [0, 1, 100, all / 2, all - 1, all] {
            for power in [-4.0, 0.0, 1.3, 8.0] {
                let counts = spread(&lengths(), tight, power);
                assert_eq!(counts.iter().sum::<u64>(), tight, "{power}");
                let fits =
                    |(&(requests, bursts), &count): (&(u64, u64), &u64)| count <= gaps(requests, bursts);
                assert!(lengths().iter().zip(&counts).all(fits), "{tight} {power}");
            }
        }
    }

    #[test]
    fn runs_are_met_or_refused_with_what_is_possible() {
        let half = tight_counts(&lengths(), 2500, 0.8).unwrap();
        assert!((tight_gap_runs(&lengths(), &half) - 0.8).abs() < 0.008);
        assert!(half[2] * 10 < 284 && half[7] * 10 > 1264 * 8, "{half:?}");
        let (least, most) = tight_counts(&lengths(), 2500, 0.1).unwrap_err();
        assert!(least > 0.2 && most < 1.0 && least < most, "{least} {most}");
    }

    #[test]
    fn with_even_odds_tight_gaps_follow_each_other_by_chance() {
        let counts = spread(&[(11, 1000)], 5000, 0.0);
        // Half of the gaps are tight; nine of ten have another in their burst behind them.
        assert!((tight_gap_runs(&[(11, 1000)], &counts) - 0.45).abs() < 1e-3);
    }
}
