//! Which class the next gap of a twin is of; each class in its exact count.

use super::super::random::Random;
use super::gaps::{GapClass, BURST_GAP_NS, TIGHT_GAP_NS};
use super::pauses::Pauses;
use super::plan::TwinPlan;
use super::quota::Quota;

/// Gaps in random order, or in bursts.
#[derive(Clone, Debug)]
pub(super) enum GapOrder {
    /// In random order.
    Any(Quota<usize>),
    /// In bursts: gaps inside them and between them.
    Bursts(Box<Bursts>),
}

/// Bursts at work.
#[derive(Clone, Debug)]
pub(super) struct Bursts {
    /// Bursts by place in the tables of lengths.
    places: Quota<usize>,
    requests: Vec<u64>,
    /// Gaps left in the bursts of each length, tight ones and others; empty
    /// where any gap may be in any burst.
    gaps: Vec<(u64, u64)>,
    tight: Quota<usize>,
    inside: Quota<usize>,
    between: Pauses,
    /// The burst going on, and its requests to come.
    place: usize,
    left: u64,
}

impl GapOrder {
    /// The order of a plan's gaps; random without bursts.
    pub(super) fn new(plan: &TwinPlan, seed: u64) -> Self {
        if plan.bursts.is_empty() {
            Self::any(&plan.gaps)
        } else {
            Self::Bursts(Box::new(Bursts::new(plan, seed)))
        }
    }

    /// Random order.
    pub(super) fn any(classes: &[GapClass]) -> Self {
        Self::Any(quota(classes, |_| true))
    }

    /// The class of the gap behind the next request; `None` behind the last.
    #[inline]
    pub(super) fn next(&mut self, random: &mut Random) -> Option<usize> {
        match self {
            Self::Any(kinds) => kinds.draw(random),
            Self::Bursts(bursts) => bursts.next(random),
        }
    }
}

/// Draws among the classes that are wanted.
fn quota(classes: &[GapClass], wanted: impl Fn(&GapClass) -> bool) -> Quota<usize> {
    let kinds = classes.iter().enumerate().filter(|(_, class)| wanted(class));
    Quota::new(kinds.map(|(kind, class)| (kind, class.count)).collect())
}

impl Bursts {
    fn new(plan: &TwinPlan, seed: u64) -> Self {
        let apart = !plan.tight_gaps.is_empty();
        let tight = |class: &GapClass| apart && class.to_ns <= TIGHT_GAP_NS;
        let bursts = plan.bursts.iter();
        let gaps = bursts.clone().zip(&plan.tight_gaps);
        Self {
            places: Quota::new(bursts.clone().map(|(_, count)| *count).enumerate().collect()),
            requests: bursts.map(|(requests, _)| *requests).collect(),
            gaps: gaps.map(|((requests, count), tight)| (*tight, (requests - 1) * count - tight)).collect(),
            tight: quota(&plan.gaps, tight),
            inside: quota(&plan.gaps, |class| !tight(class) && class.to_ns <= BURST_GAP_NS),
            between: Pauses::new(&plan.gaps, plan.pause_runs, seed),
            place: 0,
            left: 0,
        }
    }

    #[inline]
    fn next(&mut self, random: &mut Random) -> Option<usize> {
        if self.left == 0 {
            self.place = self.places.draw(random)?;
            self.left = self.requests[self.place];
        }
        self.left -= 1;
        if self.left == 0 {
            return self.between.draw(random);
        }
        let Some((tight, others)) = self.gaps.get_mut(self.place) else {
            return self.inside.draw(random);
        };
        if random.below(*tight + *others) < *tight {
            *tight -= 1;
            self.tight.draw(random)
        } else {
            *others -= 1;
            self.inside.draw(random)
        }
    }
}
