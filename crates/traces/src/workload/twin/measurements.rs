//! What was measured of two kinds of volumes, for twins that name one.
//!
//! *Dense*: MSR Cambridge hm_0 (7,016 requests in 148 s) and rsrch_1 (13,780
//! requests of a whole week). Both have 0.777 of their gaps below 1 ms and 4.49
//! requests in a burst, though one is idle 2,000 times as long as the other.
//! *Sparse*: MSR mds_0 (its first 1,000 requests) and the medians of 106
//! CloudPhysics machines over a week (the share below each bound of the median
//! machine). A class has the mean of the shares of both, and the mean gap of
//! both together.

use super::super::quantity::TimeNs;
use super::super::spec::{GapShare, MeasuredClass, TwinSpec};
use super::figures::figures;
use super::gap_classes::{gap_figure, BURST_GAP_NS, SHORT_PAUSE_NS};
use super::sizes::RequestCounts;
use crate::error::workload_problem::Problems;

/// Classes of gaps, but the last: bound, share, mean.
type MeasuredGaps = [(f64, f64, f64); 6];

/// The figures of a class of volumes.
struct Measured {
    gaps: MeasuredGaps,
    /// hm_0 has 0.888 and rsrch_1 0.818. In sparse volumes gaps do not hang
    /// together: mds_0 has 0.220 where 0.218 of all gaps are short.
    short_gap_runs: Option<f64>,
    /// hm_0 has 0.878 and rsrch_1 0.646; in sparse volumes hardly any gap is tight.
    tight_gap_runs: Option<f64>,
    /// P(pause up to 100 ms behind such a pause) less P(such a pause behind a
    /// longer one): hm_0 has 0.55 and rsrch_1 0.65, mds_0 0.2.
    pause_persistence: Option<f64>,
    /// hm_0 has 23 and rsrch_1 9: their geometric mean.
    median_burst_requests: Option<f64>,
    /// P(write after write) less P(write after read). Dense: hm_0 (rsrch_1 has
    /// 37 reads in all). Sparse: Financial1 has 0.57, SYSTOR '17 0.50 and a
    /// CloudPhysics disk 0.38.
    persistence: f64,
}

const DENSE: Measured = Measured {
    gaps: [
        (1e4, 0.492, 1_922.0),
        (1e5, 0.214, 42_360.0),
        (1e6, 0.0714, 330_200.0),
        (1e7, 0.0676, 3_840_000.0),
        (1e8, 0.0428, 22_700_000.0),
        (1e9, 0.0535, 833_000_000.0),
    ],
    short_gap_runs: Some(0.853),
    tight_gap_runs: Some(0.762),
    pause_persistence: Some(0.6),
    median_burst_requests: Some(14.0),
    persistence: 0.85,
};

const SPARSE: Measured = Measured {
    gaps: [
        (1e4, 0.024, 5_360.0),
        (1e5, 0.074, 40_000.0),
        (1e6, 0.305, 490_000.0),
        (1e7, 0.372, 3_450_000.0),
        (1e8, 0.126, 19_800_000.0),
        (1e9, 0.031, 648_000_000.0),
    ],
    short_gap_runs: None,
    tight_gap_runs: None,
    pause_persistence: None,
    median_burst_requests: None,
    persistence: 0.5,
};

/// The longest gaps are on average at least so many times their lower bound.
const LEAST_MEAN: f64 = 2.0;

impl MeasuredClass {
    fn measured(self) -> &'static Measured {
        match self {
            Self::Dense => &DENSE,
            Self::Sparse => &SPARSE,
        }
    }
}

/// The twin with what its class says of figures it does not state.
pub(in crate::workload) fn expand(spec: &TwinSpec) -> TwinSpec {
    let mut spec = spec.clone();
    let Some(measured) = spec.class.map(MeasuredClass::measured) else {
        return spec;
    };
    let own_gaps = !spec.gap_classes.is_empty();
    if let Some(mean_ns) = mean_gap_ns(&spec).filter(|_| !own_gaps) {
        spec.gap_classes = gap_classes(&measured.gaps, mean_ns);
    }
    // Bursts belong to the gaps they were measured with.
    if !own_gaps && spec.short_gap_runs.is_none() {
        spec.short_gap_runs = measured.short_gap_runs;
        spec.tight_gap_runs = spec.tight_gap_runs.or(measured.tight_gap_runs);
        if spec.short_pause_runs.is_none() {
            spec.short_pause_runs = short_pauses(&spec.gap_classes)
                .zip(measured.pause_persistence)
                .map(|(share, persistence)| share + persistence * (1.0 - share));
        }
        spec.median_burst_requests = spec.median_burst_requests.or(measured.median_burst_requests);
    }
    if spec.write_after_write_share.is_none() {
        let persisting = |share: f64| share + measured.persistence * (1.0 - share);
        spec.write_after_write_share =
            RequestCounts::of(&spec).write_share.filter(|share| *share > 0.0).map(persisting);
    }
    spec
}

/// Whether the class and the twin's own figures can stand beside each other.
pub(super) fn check(spec: &TwinSpec, problems: &mut Problems) {
    let Some(class) = spec.class.filter(|_| spec.gap_classes.is_empty()) else {
        return;
    };
    if let Some((name, value)) = figures(spec).into_iter().find(|(name, _)| gap_figure(name)) {
        let message = format!("{name} = {value} and class both say how gaps are spread; give one");
        return problems.add("twin.class", message);
    }
    // Bounds up to this hold in every volume of the class; how the longer gaps are spread depends on the load.
    let bursts = class.measured().gaps.iter().filter(|(to_ns, ..)| *to_ns <= BURST_GAP_NS);
    let (share, least_ns) =
        bursts.fold((1.0, 0.0), |(left, sum), (_, share, mean_ns)| (left - share, sum + share * mean_ns));
    let least_ns = least_ns + share * LEAST_MEAN * BURST_GAP_NS;
    match mean_gap_ns(spec) {
        None => problems.add("twin.class", "needs duration_ns, for the longest gaps"),
        Some(mean_ns) if mean_ns < least_ns => {
            let message = format!(
                "the duration makes {mean_ns:.0} ns between requests on average, such volumes have {least_ns:.0} \
                 ns at least; give gap_classes"
            );
            problems.add("twin.class", message);
        }
        Some(_) => {}
    }
}

fn mean_gap_ns(spec: &TwinSpec) -> Option<f64> {
    let requests = RequestCounts::of(spec).requests;
    spec.duration_ns.zip(requests).map(|(duration, n)| duration.0 / (n - 1.0).max(1.0))
}

/// Part of the pauses between bursts that are up to 100 ms, where a bound tells them apart.
fn short_pauses(classes: &[GapShare]) -> Option<f64> {
    let upto = |bound_ns: f64| {
        let end = classes.iter().position(|class| class.to_ns.is_some_and(|to| to.0 == bound_ns))?;
        Some(classes[..=end].iter().map(|class| class.share).sum::<f64>())
    };
    let (inside, short) = upto(BURST_GAP_NS).zip(upto(SHORT_PAUSE_NS))?;
    Some((short - inside) / (1.0 - inside))
}

/// The classes, as many of the longest in one as are needed for it to be well
/// above its bound: busier volumes have no gaps of seconds.
fn gap_classes(gaps: &MeasuredGaps, mean_ns: f64) -> Vec<GapShare> {
    let fits = |kept: usize| {
        let (share, sum_ns) = gaps[..kept]
            .iter()
            .fold((1.0, 0.0), |(left, sum), (_, share, mean_ns)| (left - share, sum + share * mean_ns));
        (mean_ns - sum_ns) / share >= LEAST_MEAN * gaps[kept - 1].0
    };
    let bursts = gaps.iter().filter(|(to_ns, ..)| *to_ns <= BURST_GAP_NS).count();
    let kept = (bursts..=gaps.len()).rev().find(|&kept| fits(kept)).unwrap_or(bursts);
    let class = |&(to_ns, share, mean_ns): &(f64, f64, f64)| GapShare {
        to_ns: Some(TimeNs(to_ns)),
        share,
        mean_ns: Some(TimeNs(mean_ns)),
    };
    let mut classes: Vec<GapShare> = gaps[..kept].iter().map(class).collect();
    let share = 1.0 - classes.iter().map(|class| class.share).sum::<f64>();
    classes.push(GapShare { to_ns: None, share, mean_ns: None });
    classes
}
