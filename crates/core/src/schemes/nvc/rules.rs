//! The paper's four policies (its Fig. 10), which ways there are between the regions, and the decisions of
//! cleaning (its Fig. 4): what becomes of the valid pages of a cold region, by how many of its pages are invalid.

use crate::base::problem::check_range;
use crate::base::Problem;
use crate::ftl::log_region::LogSpans;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// What becomes of a cold region's valid pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All stay in the region.
    Stay,
    /// Those that were read stay, the others leave.
    StayMarked,
    /// All leave for the level below.
    Leave,
}

/// How many pages of a cold region are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColdPages {
    /// Pages of which nothing lives.
    pub invalid: u32,
    /// All its pages.
    pub pages: u32,
}

impl ColdPages {
    /// Whether at least the share `threshold` is invalid. Where nothing is, nothing may stay: it would be
    /// copied for ever without a page of room won.
    fn reaches(self, threshold: f64) -> bool {
        self.invalid > 0 && f64::from(self.invalid) / f64::from(self.pages) >= threshold
    }
}

/// How the SLC region of two is cleaned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SlcLogRule {
    /// Share of the region's blocks but its reserve that are cleaned together, the oldest; a block
    /// at least.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.3)]
    pub cold_share: f64,
    /// Share of the region's blocks that is kept free for what cleaning moves; a block at least.
    #[schemars(range(min = 0.0, max = LogSpans::RESERVE_SHARE_MAX))]
    #[default(0.1)]
    pub reserve_share: f64,
    /// Invalid share of the cold region from which on all of its valid pages stay in SLC.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.7)]
    pub stay_invalid: f64,
    /// Invalid share of the cold region from which on those that were read stay in SLC: 0 to
    /// `stay_invalid`.
    #[default(0.4)]
    pub stay_marked_invalid: f64,
}

impl SlcLogRule {
    /// What becomes of the valid pages of a cold region.
    pub fn verdict(&self, cold: ColdPages) -> Verdict {
        if cold.reaches(self.stay_invalid) {
            Verdict::Stay
        } else if cold.reaches(self.stay_marked_invalid) {
            Verdict::StayMarked
        } else {
            Verdict::Leave
        }
    }

    /// Adds every problem of the section `key`, for a region of the number of blocks that `blocks` names.
    pub fn check(&self, key: &str, blocks: (&str, u32), problems: &mut Vec<Problem>) {
        LogSpans::check(blocks, problems);
        let key = format!("{key}.stay_marked_invalid");
        check_range(problems, &key, self.stay_marked_invalid, 0.0..=self.stay_invalid);
    }
}

/// How a region is cleaned below which there is only the disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct LastLogRule {
    /// Share of the region's blocks but its reserve that are cleaned together, the oldest; a block
    /// at least.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.4)]
    pub cold_share: f64,
    /// Share of the region's blocks that is kept free for what cleaning moves; a block at least.
    #[schemars(range(min = 0.0, max = LogSpans::RESERVE_SHARE_MAX))]
    #[default(0.1)]
    pub reserve_share: f64,
    /// Invalid share of the cold region from which on its valid pages stay in flash while the disk
    /// spins.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.6)]
    pub stay_invalid_spinning: f64,
    /// Invalid share from which on its valid pages stay while the disk is in standby.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.4)]
    pub stay_invalid_standby: f64,
}

impl LastLogRule {
    /// What becomes of the valid pages of a cold region.
    pub fn verdict(&self, cold: ColdPages, disk_spins: bool) -> Verdict {
        let threshold = if disk_spins { self.stay_invalid_spinning } else { self.stay_invalid_standby };
        if cold.reaches(threshold) {
            Verdict::Stay
        } else {
            Verdict::Leave
        }
    }

    /// Adds every problem of the section `key`, for a region of the number of blocks that `blocks` names.
    pub fn check(&self, blocks: (&str, u32), problems: &mut Vec<Problem>) {
        LogSpans::check(blocks, problems);
    }
}

/// What moves where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CachePolicy {
    /// Policy 0: everything is written to SLC, what is cold there moves to the dense region.
    TwoLevels,
    /// Policy 1: the same, but for large writes, which go to the dense region.
    LargeBypass,
    /// Policy 2: large writes go to the dense region, and nothing moves between the two.
    Separate,
    /// Policy 3: as policy 0, but nothing that is cold stays in its region.
    Downwards,
}

impl CachePolicy {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of_100(invalid: u32) -> ColdPages {
        ColdPages { invalid, pages: 100 }
    }

    #[test]
    fn the_slc_region_keeps_all_the_marked_or_none_by_the_papers_limits() {
        let rule = SlcLogRule::default();
        let verdicts = [0, 39, 40, 69, 70, 100].map(|invalid| rule.verdict(of_100(invalid)));
        use Verdict::{Leave, Stay, StayMarked};
        assert_eq!(verdicts, [Leave, Leave, StayMarked, StayMarked, Stay, Stay]);
        // Fig. 2: three valid pages in three blocks of four.
        assert_eq!(rule.verdict(ColdPages { invalid: 9, pages: 12 }), Stay);
    }

    #[test]
    fn what_may_stay_above_the_disk_depends_on_whether_that_spins() {
        let rule = LastLogRule::default();
        let verdicts = |spins| [39, 40, 59, 60, 69, 70].map(|invalid| rule.verdict(of_100(invalid), spins));
        use Verdict::{Leave, Stay};
        assert_eq!(verdicts(true), [Leave, Leave, Leave, Stay, Stay, Stay]);
        assert_eq!(verdicts(false), [Leave, Stay, Stay, Stay, Stay, Stay]);
    }

    #[test]
    fn a_cold_region_without_an_invalid_page_leaves_whatever_the_limit() {
        let rule = SlcLogRule { stay_invalid: 0.0, stay_marked_invalid: 0.0, ..SlcLogRule::default() };
        assert_eq!(rule.verdict(of_100(0)), Verdict::Leave);
        assert_eq!(rule.verdict(of_100(1)), Verdict::Stay);
    }
}
