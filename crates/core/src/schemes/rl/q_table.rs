//! Q-learning: a table of values, the update by what came of an action, the epsilon-greedy choice.

use crate::base::rng::RngStream;
use serde::{Deserialize, Serialize};

/// How the learner learns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LearningRates {
    /// Learning rate.
    pub alpha: f64,
    /// Discount factor.
    pub gamma: f64,
    /// How often it explores.
    pub epsilon: f64,
}

/// What the learner expects of each action in each state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct QTable {
    pub actions: usize,
    /// The values by state and action.
    pub values: Vec<f64>,
}

impl QTable {
    /// A table of zeros.
    pub fn new(states: usize, actions: usize) -> Self {
        Self { actions, values: vec![0.0; states * actions] }
    }

    /// The values of the actions in `state`.
    pub fn row(&self, state: usize) -> &[f64] {
        &self.values[state * self.actions..][..self.actions]
    }

    /// Moves the value of `action` in `state` towards `reward` and what `next` promises (equation 1).
    pub fn learn(
        &mut self,
        (state, action): (usize, usize),
        reward: f64,
        next: usize,
        rates: &LearningRates,
    ) {
        let promised = maximum(self.row(next));
        let value = &mut self.values[state * self.actions + action];
        *value += rates.alpha * (reward + rates.gamma * promised - *value);
    }
}

fn maximum(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ActionChoice {
    pub action: usize,
    /// It is not the best one.
    pub explored: bool,
}

/// The best action of `row`, or with probability `epsilon` one of the others (equation 2).
///
/// An agent elsewhere repeats it with the same draws: first a fraction, which asks to explore if it
/// is below `epsilon`; then, only where several actions are the best, `below` their number says which
/// of them, by their order; then, only when exploring, `below` the number of other actions says which.
pub(super) fn epsilon_greedy(row: &[f64], epsilon: f64, stream: &mut RngStream) -> ActionChoice {
    let explored = stream.fraction() < epsilon;
    let most = maximum(row);
    let mut best = row.iter().enumerate().filter(|(_, &value)| value == most).map(|(action, _)| action);
    let ties = best.clone().count();
    let tie = if ties > 1 { stream.below(ties as u32) as usize } else { 0 };
    let greedy = best.nth(tie).expect("Invariant: a value of the row is its maximum");
    if !explored {
        return ActionChoice { action: greedy, explored };
    }
    let other = stream.below(row.len() as u32 - 1) as usize;
    ActionChoice { action: other + usize::from(other >= greedy), explored }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_steps_give_the_values_computed_by_hand() {
        let rates = LearningRates { alpha: 0.5, gamma: 0.5, epsilon: 0.0 };
        // With both rates 1/2 a step makes value/2 + reward/2 + maximum/4, an exact binary fraction.
        // (state, action), reward, next state: the next state's maximum -> the new value.
        let steps = [
            ((0, 0), 1.0, 0, 1.0 / 2.0),           // max(0, 0) = 0
            ((0, 0), 1.0, 1, 3.0 / 4.0),           // max(0, 0) = 0
            ((1, 1), -1.0, 0, -5.0 / 16.0),        // max(3/4, 0) = 3/4
            ((0, 1), 1.0, 1, 1.0 / 2.0),           // max(0, -5/16) = 0
            ((1, 0), 1.0, 1, 1.0 / 2.0),           // max(0, -5/16) = 0
            ((1, 0), -1.0, 0, -1.0 / 16.0),        // max(3/4, 1/2) = 3/4
            ((0, 0), -1.0, 0, 1.0 / 16.0),         // max(3/4, 1/2) = 3/4
            ((0, 1), 1.0, 0, 7.0 / 8.0),           // max(1/16, 1/2) = 1/2
            ((0, 1), -1.0, 1, -5.0 / 64.0),        // max(-1/16, -5/16) = -1/16
            ((1, 1), 1.0, 1, 21.0 / 64.0),         // max(-1/16, -5/16) = -1/16
            ((1, 1), 1.0, 0, 87.0 / 128.0),        // max(1/16, -5/64) = 1/16
            ((0, 0), 1.0, 1, 359.0 / 512.0),       // max(-1/16, 87/128) = 87/128
            ((1, 0), -1.0, 1, -185.0 / 512.0),     // max(-1/16, 87/128) = 87/128
            ((1, 1), -1.0, 0, 31.0 / 2048.0),      // max(359/512, -5/64) = 359/512
            ((0, 1), 1.0, 1, 3807.0 / 8192.0),     // max(-185/512, 31/2048) = 31/2048
            ((1, 0), 1.0, 0, 1013.0 / 2048.0),     // max(359/512, 3807/8192) = 359/512
            ((0, 0), -1.0, 1, -211.0 / 8192.0),    // max(1013/2048, 31/2048) = 1013/2048
            ((1, 1), 1.0, 0, 20439.0 / 32768.0),   // max(-211/8192, 3807/8192) = 3807/8192
            ((0, 1), -1.0, 0, -4963.0 / 32768.0),  // max(-211/8192, 3807/8192) = 3807/8192
            ((0, 0), 1.0, 1, 84287.0 / 131_072.0), // max(1013/2048, 20439/32768) = 20439/32768
        ];
        let mut table = QTable::new(2, 2);
        for (number, ((state, action), reward, next, value)) in steps.into_iter().enumerate() {
            table.learn((state, action), reward, next, &rates);
            assert_eq!(table.row(state)[action], value, "step {}", number + 1);
        }
        assert_eq!(table.row(0), [84287.0 / 131_072.0, -4963.0 / 32768.0]);
        assert_eq!(table.row(1), [1013.0 / 2048.0, 20439.0 / 32768.0]);
    }

    #[test]
    fn it_explores_in_seven_of_a_hundred_steps_and_every_other_action_alike() {
        let mut stream = RngStream::new(1, "agent");
        let row = [0.0, 0.1, -1.0, 0.3, 0.2, 0.0, 0.1, -0.5, 0.0];
        let mut counts = [0_u32; 9];
        for _ in 0..100_000 {
            let choice = epsilon_greedy(&row, 0.07, &mut stream);
            assert_eq!(choice.explored, choice.action != 3);
            counts[choice.action] += 1;
        }
        // Four standard deviations: of all that explored, and of each of the eight.
        let near = |count: u32, share: f64| {
            let deviation = (1e5 * share * (1.0 - share)).sqrt();
            (f64::from(count) - 1e5 * share).abs() < 4.0 * deviation
        };
        assert!(near(100_000 - counts[3], 0.07), "{counts:?}");
        assert!((0..9).filter(|&i| i != 3).all(|i| near(counts[i], 0.07 / 8.0)), "{counts:?}");
    }

    #[test]
    fn the_best_actions_are_equally_likely_and_draw_only_if_there_are_several() {
        let mut stream = RngStream::new(2, "agent");
        let mut counts = [0_u32; 4];
        (0..9000).for_each(|_| counts[epsilon_greedy(&[1.0, 0.0, 1.0, 1.0], 0.0, &mut stream).action] += 1);
        assert_eq!(counts[1], 0);
        assert!([0, 2, 3].iter().all(|&i| (2800..3200).contains(&counts[i])), "{counts:?}");
        let mut alone = stream.clone();
        epsilon_greedy(&[0.0, 1.0], 0.0, &mut stream);
        alone.fraction();
        assert_eq!(stream, alone, "one best action takes one draw");
    }

    /// A chain of five states: action 1 leads on, and at the end stays there for a reward of 10;
    /// action 0 leads back to the start for `back`. One time in five the other one happens.
    struct Chain {
        back: f64,
    }

    impl Chain {
        fn outcome(&self, state: usize, action: usize) -> (f64, usize) {
            match (action, state) {
                (0, _) => (self.back, 0),
                (_, 4) => (10.0, 4),
                _ => (0.0, state + 1),
            }
        }

        /// The values of all actions by repeated substitution, without learning.
        fn values(&self, gamma: f64) -> [[f64; 2]; 5] {
            let mut values = [[0.0_f64; 2]; 5];
            for _ in 0..500 {
                let known = values;
                let worth = |state, action| {
                    let (reward, next) = self.outcome(state, action);
                    reward + gamma * known[next][0].max(known[next][1])
                };
                for (state, row) in values.iter_mut().enumerate() {
                    *row = [0, 1].map(|action| 0.8 * worth(state, action) + 0.2 * worth(state, 1 - action));
                }
            }
            values
        }
    }

    #[test]
    fn the_best_policy_of_a_known_chain_is_learned() {
        for (back, policy) in [(0.5, [1, 1, 1, 1, 1]), (4.0, [0, 0, 1, 1, 1]), (9.0, [0, 0, 0, 0, 1])] {
            let (chain, rates) = (Chain { back }, LearningRates { alpha: 0.01, gamma: 0.8, epsilon: 0.4 });
            let (mut table, mut stream) = (QTable::new(5, 2), RngStream::new(3, "chain"));
            let mut state = 0;
            for _ in 0..400_000 {
                let action = epsilon_greedy(table.row(state), rates.epsilon, &mut stream).action;
                let slips = usize::from(stream.fraction() < 0.2);
                let (reward, next) = chain.outcome(state, action ^ slips);
                table.learn((state, action), reward, next, &rates);
                state = next;
            }
            let known = chain.values(rates.gamma);
            let best = |row: &[f64]| usize::from(row[1] > row[0]);
            assert_eq!(known.map(|row| best(&row)), policy, "the policy is what is known of the chain");
            assert_eq!([0, 1, 2, 3, 4].map(|state| best(table.row(state))), policy, "back {back}");
            let off =
                |state: usize| (table.row(state)[policy[state]] / known[state][policy[state]] - 1.0).abs();
            assert!((0..5).all(|state| off(state) < 0.05), "{table:?} {known:?}");
        }
    }
}
