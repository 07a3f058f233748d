//! The agent: who decides after a step, and what it has learned.

use super::q_table::{epsilon_greedy, ActionChoice, LearningRates, QTable};
use crate::base::rng::RngStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More than any run learns: an update adds at most a reward, which is one. Larger values could add
/// up to what is no number.
const VALUE_MAX: f64 = (1_u64 << 53) as f64;

/// Who decides after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Q-learning, the paper's.
    #[default]
    QLearning,
    /// Chance: each of the actions is as likely as the others.
    Random,
    /// Nobody: the knobs stay where they are, unless somebody outside turns them.
    None,
}

/// The agent that decides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Agent {
    kind: AgentKind,
    rates: LearningRates,
    table: QTable,
    /// How often each action was chosen in each state.
    visits: Vec<u64>,
    /// The state of the step before and what was chosen in it.
    previous: Option<(usize, usize)>,
    stream: RngStream,
}

impl Agent {
    /// An agent that knows nothing; it has a table only if it decides.
    pub fn new(
        kind: AgentKind,
        rates: LearningRates,
        states: usize,
        actions: usize,
        stream: RngStream,
    ) -> Self {
        let table = QTable::new(if kind == AgentKind::None { 0 } else { states }, actions);
        Self { kind, rates, visits: vec![0; table.values.len()], table, previous: None, stream }
    }

    /// Chooses an action in `state`, then learns from the `reward` of the step that led there.
    pub fn step(&mut self, state: usize, reward: f64) -> Option<ActionChoice> {
        let choice = match self.kind {
            AgentKind::None => return None,
            AgentKind::Random => {
                ActionChoice { action: self.stream.below(self.table.actions as u32) as usize, explored: true }
            }
            AgentKind::QLearning => {
                epsilon_greedy(self.table.row(state), self.rates.epsilon, &mut self.stream)
            }
        };
        if let (AgentKind::QLearning, Some(previous)) = (self.kind, self.previous) {
            self.table.learn(previous, reward, state, &self.rates);
        }
        self.previous = Some((state, choice.action));
        self.visits[state * self.table.actions + choice.action] += 1;
        Some(choice)
    }

    pub fn kind(&self) -> AgentKind {
        self.kind
    }

    /// What it chose last.
    pub fn last(&self) -> Option<usize> {
        self.previous.map(|(_, action)| action)
    }

    /// The values it has learned, by state and action.
    pub fn values(&self) -> &[f64] {
        &self.table.values
    }

    /// How often each action was chosen in each state.
    pub fn visits(&self) -> &[u64] {
        &self.visits
    }

    /// Begins with `values` and `visits` of elsewhere, or says what they cannot be.
    pub fn take(&mut self, values: Vec<f64>, visits: Vec<u64>) -> Result<(), String> {
        let entries = self.table.values.len();
        if values.len() != entries || visits.len() != entries {
            return Err(format!("{} values and {} counts of {entries}", values.len(), visits.len()));
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite() || value.abs() > VALUE_MAX) {
            return Err(format!("a value of {value} in the Q-table"));
        }
        (self.table.values, self.visits) = (values, visits);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const RATES: LearningRates = LearningRates { alpha: 0.1, gamma: 0.8, epsilon: 0.07 };

    fn agent(kind: AgentKind, seed: u64) -> Agent {
        Agent::new(kind, RATES, 12, 9, RngStream::new(seed, "agent"))
    }

    /// A learner written down anew from its description, to hold the other against.
    #[derive(Default)]
    struct Twin {
        known: BTreeMap<(usize, usize), f64>,
        before: Option<(usize, usize)>,
    }

    impl Twin {
        fn value(&self, state: usize, action: usize) -> f64 {
            *self.known.get(&(state, action)).unwrap_or(&0.0)
        }

        fn step(&mut self, state: usize, reward: f64, draws: &mut RngStream) -> usize {
            let values: Vec<f64> = (0..9).map(|action| self.value(state, action)).collect();
            let highest = values.iter().copied().reduce(f64::max).unwrap();
            let explores = draws.fraction() < 0.07;
            let best: Vec<usize> = (0..9).filter(|&action| values[action] == highest).collect();
            let mut chosen = match best.len() {
                1 => best[0],
                several => best[draws.below(several as u32) as usize],
            };
            if explores {
                let others: Vec<usize> = (0..9).filter(|&action| action != chosen).collect();
                chosen = others[draws.below(8) as usize];
            }
            if let Some((state, action)) = self.before {
                let old = self.value(state, action);
                self.known.insert((state, action), old + 0.1 * (reward + 0.8 * highest - old));
            }
            self.before = Some((state, chosen));
            chosen
        }
    }

    /// Where a step leads, and its reward: anything, but the same every time.
    fn leads(state: usize, action: usize) -> (usize, f64) {
        let mixed = (state * 9 + action).wrapping_mul(2_654_435_761) >> 7;
        (mixed % 12, if mixed % 3 == 0 { 1.0 } else { -1.0 })
    }

    #[test]
    fn an_agent_written_anew_makes_the_same_decisions() {
        for seed in 0..5 {
            let (mut agent, mut twin) = (agent(AgentKind::QLearning, seed), Twin::default());
            let mut draws = RngStream::new(seed, "agent");
            let (mut state, mut reward) = (0, 0.0);
            for step in 0..5000 {
                let action = agent.step(state, reward).unwrap().action;
                assert_eq!(action, twin.step(state, reward, &mut draws), "seed {seed} step {step}");
                (state, reward) = leads(state, action);
            }
            let same = |i: usize| agent.values()[i] == twin.value(i / 9, i % 9);
            assert!((0..12 * 9).all(same));
            assert_eq!(agent.visits().iter().sum::<u64>(), 5000);
        }
    }

    #[test]
    fn a_saved_agent_goes_on_alike() {
        for kind in [AgentKind::QLearning, AgentKind::Random] {
            let mut first = agent(kind, 7);
            (0..500).for_each(|i| assert!(first.step(i % 12, 1.0).is_some()));
            let text = serde_json::to_string(&first).unwrap();
            let mut second: Agent = serde_json::from_str(&text).unwrap();
            for i in 0..500 {
                let reward = if i % 3 == 0 { 1.0 } else { -1.0 };
                assert_eq!(first.step(i * i % 12, reward), second.step(i * i % 12, reward));
            }
            assert_eq!((first.values(), first.visits()), (second.values(), second.visits()));
        }
    }

    #[test]
    fn chance_takes_every_action_and_nobody_takes_none() {
        let mut chance = agent(AgentKind::Random, 3);
        (0..9000).for_each(|_| assert!(chance.step(5, 1.0).is_some()));
        assert!(chance.visits()[5 * 9..6 * 9].iter().all(|count| (850..1150).contains(count)));
        assert!(chance.values().iter().all(|&value| value == 0.0), "it does not learn");
        let mut nobody = agent(AgentKind::None, 3);
        assert_eq!((nobody.step(5, 1.0), nobody.visits().iter().sum::<u64>()), (None, 0));
    }
}
