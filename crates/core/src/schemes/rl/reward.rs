//! The reward of a step: whether it cost less than steps do on average (Algorithm 2).

use super::super::hybrid::TimeSplit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the average cost of a step follows the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// A moving average, in which the newest step has the weight `average_weight`.
    #[default]
    Ema,
    /// The mean of all steps.
    Cumulative,
}

/// The total write cost of a step, ns: what is reclaimed weighs as much as the device is full.
fn weighted(costs: &TimeSplit, utilisation: f64) -> f64 {
    let host_ns = (costs.slc_write_ns + costs.dense_write_ns) as f64;
    let reclaim_ns = (costs.slc_to_dense_ns + costs.dense_to_dense_ns + costs.slc_to_slc_ns) as f64;
    (1.0 - utilisation) * host_ns + utilisation * reclaim_ns
}

/// What decides on a reward: the steps so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Steps {
    /// How many.
    count: u64,
    /// Their average total write cost, ns.
    average_ns: f64,
}

/// The judge of steps.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Reward {
    average: Average,
    weight: f64,
    steps: Steps,
}

impl Reward {
    /// A judge that has seen nothing; `weight` is that of the newest step in a moving average.
    pub fn new(average: Average, weight: f64) -> Self {
        Self { average, weight, steps: Steps::default() }
    }

    /// The reward of a step: -1 if it cost more than the average of those before, 0 for the first,
    /// else 1.
    pub fn of(&mut self, costs: &TimeSplit, utilisation: f64) -> f64 {
        let total_ns = weighted(costs, utilisation);
        let steps = &mut self.steps;
        steps.count += 1;
        if steps.count == 1 {
            steps.average_ns = total_ns;
            return 0.0;
        }
        let reward = if total_ns > steps.average_ns { -1.0 } else { 1.0 };
        let weight = match self.average {
            Average::Ema => self.weight,
            Average::Cumulative => 1.0 / steps.count as f64,
        };
        steps.average_ns += weight * (total_ns - steps.average_ns);
        reward
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(ns: u64) -> TimeSplit {
        TimeSplit { slc_write_ns: ns, ..TimeSplit::default() }
    }

    #[test]
    fn costs_weigh_by_how_full_the_device_is() {
        let costs = TimeSplit {
            slc_write_ns: 100,
            dense_write_ns: 300,
            slc_to_dense_ns: 500,
            dense_to_dense_ns: 1100,
            slc_to_slc_ns: 0,
        };
        assert_eq!(weighted(&costs, 0.0), 400.0);
        assert_eq!(weighted(&costs, 0.25), 300.0 + 400.0);
        assert_eq!(weighted(&costs, 1.0), 1600.0);
    }

    #[test]
    fn a_step_is_judged_by_those_before_it_and_the_first_by_none() {
        let mut reward = Reward::new(Average::Ema, 0.25);
        // Averages after each step: 800, 800, 900, 775.
        let rewards = [800, 800, 1200, 400].map(|ns| reward.of(&host(ns), 0.0));
        assert_eq!(rewards, [0.0, 1.0, -1.0, 1.0]);
        assert_eq!(reward.steps, Steps { count: 4, average_ns: 775.0 });
        let mut reward = Reward::new(Average::Cumulative, 0.25);
        // Averages after each step: 800, 1000, 1000; the last costs just what steps do.
        let rewards = [800, 1200, 1000].map(|ns| reward.of(&host(ns), 0.0));
        assert_eq!(rewards, [0.0, -1.0, 1.0]);
        assert_eq!(reward.steps, Steps { count: 3, average_ns: 1000.0 });
    }
}
