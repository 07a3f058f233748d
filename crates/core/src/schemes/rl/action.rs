//! What the agent can do after a step: turn the size of the SLC region and the threshold, each down,
//! not at all or up.

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

    #[test]
    fn the_actions_are_all_pairs_of_turns() {
        let pairs: Vec<_> = (0..9).map(|i| Action::new(i).unwrap()).map(|a| (a.slc(), a.theta())).collect();
        let all: Vec<_> = (-1..=1).flat_map(|slc| (-1..=1).map(move |theta| (slc, theta))).collect();
        assert_eq!(pairs, all);
        assert_eq!((Action::STAY.slc(), Action::STAY.theta()), (0, 0));
        assert_eq!(Action::new(9), None);
    }
}
