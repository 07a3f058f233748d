//! The size of the SLC region by how full the device is, as the reinforcement-learning paper's Table 2.
//!
//! The table's row labels are shifted by one in the paper as printed: the rows are read so that Setting 1
//! is the more aggressive one, as its text says. Sizes are shares of the physical blocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Utilisation, percent, from which on the next size holds.
const EDGES: [u64; 6] = [20, 30, 40, 50, 60, 70];

/// Which row of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Setting {
    /// The more aggressive one: 56 % of the blocks on an empty device.
    #[default]
    #[serde(rename = "1")]
    One,
    /// The less aggressive one: 40 %.
    #[serde(rename = "2")]
    Two,
}

impl Setting {
    /// Percent of the blocks that are SLC where `mapped` of `units` units hold data.
    pub fn percent(self, mapped: u64, units: u64) -> u32 {
        let step = EDGES.iter().filter(|&&edge| mapped * 100 >= edge * units).count();
        match self {
            Self::One => [56, 50, 40, 30, 25, 20, 10][step],
            Self::Two => [40, 40, 30, 25, 20, 10, 5][step],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_belongs_to_the_fuller_side() {
        let both = |percent| (Setting::One.percent(percent, 100), Setting::Two.percent(percent, 100));
        assert_eq!([0, 19, 20].map(both), [(56, 40), (56, 40), (50, 40)]);
        assert_eq!([29, 30, 39, 40].map(both), [(50, 40), (40, 30), (40, 30), (30, 25)]);
        assert_eq!([49, 50, 59, 60].map(both), [(30, 25), (25, 20), (25, 20), (20, 10)]);
        assert_eq!([69, 70, 100].map(both), [(20, 10), (10, 5), (10, 5)]);
        // One unit of 8,388,608 decides.
        assert_eq!(Setting::One.percent(1_677_721, 8_388_608), 56);
        assert_eq!(Setting::One.percent(1_677_722, 8_388_608), 50);
    }
}
