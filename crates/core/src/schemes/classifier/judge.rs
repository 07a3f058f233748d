//! Who says whether a write is cold: what was learned, or what the trace will do.

use super::page_records::{Seen, FEATURES, NAMES};
use crate::ftl::oracle::Oracle;
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// A judge of writes.
pub trait Judge: Clone {
    /// The scheme's name.
    const NAME: &'static str;

    /// Whether the write of logical page `page` is cold, where the cache turns over in `turnover` page
    /// writes.
    fn is_cold(&self, page: u32, seen: Seen, turnover: u32) -> bool;

    /// A write that looked like `seen` turned out to be cold, or not.
    fn learn(&mut self, _seen: Seen, _cold: bool) {}

    /// The host writes logical pages `first` to `last`.
    fn advance(&mut self, _first: u32, _last: u32) {}

    /// The trace that begins now is foreseen.
    fn foresee(&mut self, _oracle: Oracle) {}

    /// Adds its figures.
    fn report(&self, _report: &mut SchemeReport) {}
}

/// Logistic regression, updated by one gradient step per label.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Learned {
    weights: [f64; FEATURES],
    rate: f64,
}

impl Learned {
    /// Nothing learned yet: no write is cold.
    pub fn new(rate: f64) -> Self {
        Self { weights: [0.0; FEATURES], rate }
    }

    fn sum(&self, seen: Seen) -> f64 {
        self.weights.iter().zip(seen.features()).map(|(weight, feature)| weight * feature).sum()
    }
}

impl Judge for Learned {
    const NAME: &'static str = "classifier";

    /// The logistic function exceeds one half where its argument exceeds 0.
    fn is_cold(&self, _page: u32, seen: Seen, _turnover: u32) -> bool {
        self.sum(seen) > 0.0
    }

    fn learn(&mut self, seen: Seen, cold: bool) {
        let told = 1.0 / (1.0 + libm::exp(-self.sum(seen)));
        let step = self.rate * (f64::from(u8::from(cold)) - told);
        self.weights.iter_mut().zip(seen.features()).for_each(|(weight, feature)| *weight += step * feature);
    }

    fn report(&self, report: &mut SchemeReport) {
        for (name, weight) in NAMES.iter().zip(self.weights) {
            report.figures.insert((*name).into(), weight);
        }
    }
}

/// The next write to each page, from a first pass over the trace.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Foreseen {
    oracle: Option<Oracle>,
}

impl Judge for Foreseen {
    const NAME: &'static str = "bypass-oracle";

    /// Before the trace nothing is known to be cold.
    fn is_cold(&self, page: u32, _seen: Seen, turnover: u32) -> bool {
        let later = |oracle: &Oracle| oracle.death(page).saturating_sub(oracle.now()) > turnover;
        self.oracle.as_ref().is_some_and(later)
    }

    fn advance(&mut self, first: u32, last: u32) {
        if let Some(oracle) = &mut self.oracle {
            (first..=last).for_each(|page| oracle.advance(page));
        }
    }

    fn foresee(&mut self, oracle: Oracle) {
        self.oracle = Some(oracle);
    }

    fn report(&self, report: &mut SchemeReport) {
        let figure = |of: fn(&Oracle) -> u64| self.oracle.as_ref().map_or(0.0, |oracle| of(oracle) as f64);
        report.figures.insert("oracle_bytes".into(), figure(Oracle::bytes));
        report.figures.insert("unforeseen_pages".into(), figure(Oracle::unforeseen));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_that_of_the_logistic_loss() {
        let mut judge = Learned::new(0.05);
        let seen = Seen { size: 15, updates: 15, ..Seen::default() };
        assert!(!judge.is_cold(0, seen, 1), "one half is not cold");
        judge.learn(seen, true);
        assert_eq!(judge.weights, [0.025, 0.025, 0.0, 0.025, 0.0, 0.0, 0.0]);
        assert!(judge.is_cold(0, seen, 1));
        judge.learn(seen, false);
        let told = 1.0 / (1.0 + (-0.075_f64).exp());
        assert!((judge.weights[0] - (0.025 - 0.05 * told)).abs() < 1e-15);
    }
}
