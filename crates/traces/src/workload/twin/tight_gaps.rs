//! Which bursts of a twin have the shortest gaps.
//!
//! In measured volumes the gaps up to 10 us lie in long bursts: in hm_0 they are
//! 4 % of the gaps of pairs and 97 % of those of the longest bursts. Here the
//! odds of a gap being tight grow with a power of the length of its burst, the
//! power that gives as many tight gaps behind tight gaps as asked for.

use super::super::bisection::bisect;

/// Powers that are tried: from tight gaps in short bursts to such in long ones alone.
const POWERS: (f64, f64) = (-4.0, 8.0);
const STEPS: u32 = 40;

/// Tight gaps in all bursts of each length (requests, bursts), `tight` together;
/// or the least and most of `runs` that is possible.
pub(super) fn plan(lengths: &[(u64, u64)], tight: u64, runs: f64) -> Result<Vec<u64>, (f64, f64)> {
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
        let half = plan(&lengths(), 2500, 0.8).unwrap();
        assert!((tight_gap_runs(&lengths(), &half) - 0.8).abs() < 0.008);
        assert!(half[2] * 10 < 284 && half[7] * 10 > 1264 * 8, "{half:?}");
        let (least, most) = plan(&lengths(), 2500, 0.1).unwrap_err();
        assert!(least > 0.2 && most < 1.0 && least < most, "{least} {most}");
    }

    #[test]
    fn with_even_odds_tight_gaps_follow_each_other_by_chance() {
        let counts = spread(&[(11, 1000)], 5000, 0.0);
        // Half of the gaps are tight; nine of ten have another in their burst behind them.
        assert!((tight_gap_runs(&[(11, 1000)], &counts) - 0.45).abs() < 1e-3);
    }
}
