//! The paper's four policies (its Fig. 10): which ways there are between the regions.

use serde::{Deserialize, Serialize};

/// What moves where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Policy {
    /// Policy 0: everything is written to SLC, what is cold there moves to the dense region.
    TwoLevels,
    /// Policy 1: the same, but for large writes, which go to the dense region.
    LargeBypass,
    /// Policy 2: large writes go to the dense region, and nothing moves between the two.
    Separate,
    /// Policy 3: as policy 0, but nothing that is cold stays in its region.
    Downwards,
}

impl Policy {
    /// The policy by the paper's number.
    pub fn number(number: u32) -> Option<Self> {
        [Self::TwoLevels, Self::LargeBypass, Self::Separate, Self::Downwards].get(number as usize).copied()
    }

    /// Whether large writes go to the dense region.
    #[inline]
    pub fn bypasses_slc(self) -> bool {
        matches!(self, Self::LargeBypass | Self::Separate)
    }

    /// Whether units move between the regions: to SLC when they are read, to the dense one when they are
    /// cold.
    #[inline]
    pub fn moves_between(self) -> bool {
        self != Self::Separate
    }

    /// Whether what is cold may stay in its region.
    #[inline]
    pub fn keeps(self) -> bool {
        self != Self::Downwards
    }
}
