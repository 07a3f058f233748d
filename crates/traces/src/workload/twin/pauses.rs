//! Pauses of a twin: gaps between its bursts, short ones in runs.

use super::super::random::Random;
use super::super::spec::TwinSpec;
use super::gap_classes::{PlannedGaps, BURST_GAP_NS, SHORT_PAUSE_NS};
use super::quota::{write_after_write_share, write_runs, OpOrder, Quota};
use crate::error::workload_problem::WorkloadProblem;

/// Short and long pauses, where a bound between classes tells them apart.
pub(super) fn split(gaps: &[PlannedGaps]) -> Option<(u64, u64)> {
    let pauses = || gaps.iter().filter(|class| class.to_ns > BURST_GAP_NS);
    let apart = |class: &PlannedGaps| class.to_ns <= SHORT_PAUSE_NS || class.over_ns >= SHORT_PAUSE_NS;
    let count =
        |wanted: &dyn Fn(&&PlannedGaps) -> bool| pauses().filter(wanted).map(|class| class.count).sum();
    let short = |class: &&PlannedGaps| class.to_ns <= SHORT_PAUSE_NS;
    pauses().all(apart).then(|| (count(&short), count(&|class| !short(class))))
}

/// Runs of short pauses; none where pauses come in any order.
pub(super) fn runs(spec: &TwinSpec, gaps: &[PlannedGaps]) -> Result<Option<u64>, WorkloadProblem> {
    let Some(share) = spec.short_pause_runs else {
        return Ok(None);
    };
    let refused = |message: String| WorkloadProblem::new("twin.short_pause_runs", message);
    if spec.short_gap_runs.is_none() {
        return Err(refused("needs short_gap_runs".to_owned()));
    }
    let apart = || refused("needs gaps told apart at 100 ms, by gap_classes".to_owned());
    let (short, long) = split(gaps).ok_or_else(apart)?;
    write_runs(share, long, short).map(Some).map_err(|(least, most)| {
        refused(format!(
            "{share} is not possible with {short} pauses up to 100 ms and {long} longer ones; possible: \
             {least:.4} to {most:.4}"
        ))
    })
}

/// Share of the pauses behind a short one that are short, in so many runs.
pub(super) fn short_pause_runs(gaps: &[PlannedGaps], runs: u64) -> Option<f64> {
    split(gaps).map(|(short, long)| write_after_write_share(long, short, runs))
}

/// Which class the next pause is of; each class in its exact count.
#[derive(Clone, Debug)]
pub(super) enum Pauses {
    /// In random order.
    Any(Quota<usize>),
    /// Short ones in runs.
    Runs { short: Quota<usize>, long: Quota<usize>, order: OpOrder },
}

impl Pauses {
    /// The pauses among `classes`, with so many runs of short ones.
    pub(super) fn new(classes: &[PlannedGaps], runs: Option<u64>, seed: u64) -> Self {
        let quota = |wanted: &dyn Fn(&PlannedGaps) -> bool| {
            let kinds = classes.iter().enumerate().filter(|(_, class)| class.to_ns > BURST_GAP_NS);
            let kinds = kinds.filter(|(_, class)| wanted(class));
            Quota::new(kinds.map(|(kind, class)| (kind, class.count)).collect())
        };
        if runs.is_none() {
            return Self::Any(quota(&|_| true));
        }
        let short = |class: &PlannedGaps| class.to_ns <= SHORT_PAUSE_NS;
        Self::Runs {
            short: quota(&short),
            long: quota(&|class| !short(class)),
            order: OpOrder::named(runs, seed, "pause run"),
        }
    }

    /// The class of the next pause; `None` behind the last.
    #[inline]
    pub(super) fn draw(&mut self, random: &mut Random) -> Option<usize> {
        match self {
            Self::Any(kinds) => kinds.draw(random),
            Self::Runs { short, long, order } => {
                if short.left() + long.left() == 0 {
                    return None;
                }
                if order.write(long.left(), short.left()) { short } else { long }.draw(random)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(count: u64, over_ns: f64, to_ns: f64) -> PlannedGaps {
        PlannedGaps { count, over_ns, to_ns, mean_ns: (over_ns + to_ns.min(1e10)) / 2.0, fills: true }
    }

    #[test]
    fn counts_and_runs_are_exact() {
        let classes = [
            class(9, 0.0, 1e6),
            class(20, 1e6, 1e7),
            class(30, 1e7, 1e8),
            class(40, 1e8, 1e9),
            class(5, 1e9, f64::INFINITY),
        ];
        assert_eq!(split(&classes), Some((50, 45)));
        for (runs, seed) in [(1, 0), (1, 5), (7, 1), (30, 2), (46, 3)] {
            let (mut pauses, mut random) =
                (Pauses::new(&classes, Some(runs), seed), Random::new(seed, 0, "gap"));
            let drawn: Vec<usize> = std::iter::from_fn(|| pauses.draw(&mut random)).collect();
            let count = |kind: usize| drawn.iter().filter(|&&drawn| drawn == kind).count();
            assert_eq!([0, 1, 2, 3, 4].map(count), [0, 20, 30, 40, 5]);
            let starts = (0..drawn.len()).filter(|&at| drawn[at] < 3 && (at == 0 || drawn[at - 1] >= 3));
            assert_eq!(starts.count() as u64, runs);
        }
        assert_eq!(split(&[class(5, 1e6, 1e9)]), None);
    }
}
