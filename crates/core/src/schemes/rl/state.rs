//! The agent's states, five features of a step, each divided into bins; and what it can do after a step: turn the
//! size of the SLC region and the threshold, each down, not at all or up.

use serde::{Deserialize, Serialize};

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
}
