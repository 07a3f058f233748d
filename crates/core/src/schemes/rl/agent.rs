//! The agent: who decides after a step, and what it has learned by Q-learning.

use super::super::hybrid::TimeSplit;
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

pub(super) const FEATURES: usize = 5;

/// Into how many bins each feature is divided, all of one width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Bins {
    /// Of the SLC share, from 0 to `slc_share_max`; what lies above belongs to the last.
    pub slc_share: u32,
    pub utilisation: u32,
    pub slc_demand_share: u32,
    /// Of the updates in the SLC region.
    pub slc_update_share: u32,
    /// The largest SLC share that the agent can choose.
    pub slc_share_max: f64,
}

/// The bin of `share`, of `bins` from 0 to 1; a value on an edge belongs to the bin above it.
fn bin(share: f64, bins: u32) -> usize {
    ((share * f64::from(bins)) as usize).min(bins as usize - 1)
}

impl Bins {
    /// The number of bins of each feature, in the order in which they make up a state.
    pub fn counts(&self) -> [usize; FEATURES] {
        let [slc, utilisation, demand, update] =
            [self.slc_share, self.utilisation, self.slc_demand_share, self.slc_update_share]
                .map(|bins| bins as usize);
        [slc, utilisation, ACTIONS, demand, update]
    }

    pub fn states(&self) -> usize {
        self.counts().iter().product()
    }

    /// The bin of each feature, from the hybrid regions' signals and the action before them.
    pub fn of(&self, signals: &[f64; 4], previous: Action) -> [usize; FEATURES] {
        let [slc_share, utilisation, demand, update] = *signals;
        [
            bin(slc_share / self.slc_share_max, self.slc_share),
            bin(utilisation, self.utilisation),
            previous.index(),
            bin(demand, self.slc_demand_share),
            bin(update, self.slc_update_share),
        ]
    }

    /// The state of these bins: the number whose digits they are, the last feature's the lowest.
    pub fn state(&self, bins: [usize; FEATURES]) -> usize {
        bins.iter().zip(self.counts()).fold(0, |state, (bin, count)| state * count + bin)
    }
}

pub(super) const ACTIONS: usize = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Action(u8);

impl Action {
    /// Neither turns.
    pub const STAY: Action = Action(4);

    /// The action numbered `3 * (slc + 1) + theta + 1`, or nothing if there is none.
    pub fn new(index: usize) -> Option<Self> {
        (index < ACTIONS).then_some(Self(index as u8))
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Where the SLC region's size goes: -1, 0 or 1.
    pub fn slc(self) -> i32 {
        i32::from(self.0 / 3) - 1
    }

    /// Where the threshold goes: -1, 0 or 1.
    pub fn theta(self) -> i32 {
        i32::from(self.0 % 3) - 1
    }
}

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
    use std::collections::{BTreeMap, BTreeSet};

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

    const PAPER: Bins =
        Bins { slc_share: 9, utilisation: 4, slc_demand_share: 2, slc_update_share: 2, slc_share_max: 0.56 };

    #[test]
    fn the_1296_states_are_all_combinations_of_bins() {
        let mut seen = BTreeSet::new();
        for slc in 0..9 {
            for utilisation in 0..4 {
                for action in 0..9 {
                    for (demand, update) in [(0.2, 0.2), (0.2, 0.7), (0.7, 0.2), (0.7, 0.7)] {
                        let slc_share = (f64::from(slc) + 0.5) * 0.56 / 9.0;
                        let used = (f64::from(utilisation) + 0.5) / 4.0;
                        let previous = Action::new(action).unwrap();
                        let bins = PAPER.of(&[slc_share, used, demand, update], previous);
                        let digits = [usize::from(demand > 0.5), usize::from(update > 0.5)];
                        assert_eq!(bins, [slc as usize, utilisation as usize, action, digits[0], digits[1]]);
                        seen.insert(PAPER.state(bins));
                    }
                }
            }
        }
        assert_eq!(PAPER.states(), 1296);
        assert_eq!(seen, (0..1296).collect());
    }

    #[test]
    fn an_edge_belongs_to_the_bin_above_and_nothing_lies_outside() {
        let first = Action::new(0).unwrap();
        let bins = |slc: f64, used: f64, share: f64| PAPER.of(&[slc, used, share, share], first);
        assert_eq!(bins(0.0, 0.0, 0.0), [0, 0, 0, 0, 0]);
        assert_eq!(bins(0.062, 0.2499, 0.4999), [0, 0, 0, 0, 0]);
        assert_eq!(bins(0.0623, 0.25, 0.5), [1, 1, 0, 1, 1]);
        assert_eq!(bins(0.497, 0.7499, 0.5), [7, 2, 0, 1, 1]);
        assert_eq!(bins(0.498, 0.75, 1.0), [8, 3, 0, 1, 1]);
        assert_eq!(bins(0.56, 1.0, 1.0), [8, 3, 0, 1, 1]);
        assert_eq!(bins(0.9, 1.5, 1.0), [8, 3, 0, 1, 1], "a device may begin outside the agent's bounds");
    }

    #[test]
    fn the_actions_are_all_pairs_of_turns() {
        let pairs: Vec<_> = (0..9).map(|i| Action::new(i).unwrap()).map(|a| (a.slc(), a.theta())).collect();
        let all: Vec<_> = (-1..=1).flat_map(|slc| (-1..=1).map(move |theta| (slc, theta))).collect();
        assert_eq!(pairs, all);
        assert_eq!((Action::STAY.slc(), Action::STAY.theta()), (0, 0));
        assert_eq!(Action::new(9), None);
    }

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
