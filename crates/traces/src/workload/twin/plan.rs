//! What a twin is made of, in exact counts.

use super::extent_plan::ExtentPlan;
use super::gaps::GapClass;
use super::sizes::SizeClass;

/// Writes of more sectors may have a popularity of their own: 128 KiB.
const LARGE_SECTORS: u32 = 256;

/// A twin, checked: every count is final.
#[derive(Clone, Debug)]
pub(in crate::workload) struct TwinPlan {
    pub(super) reads: Vec<(SizeClass, u64)>,
    pub(super) writes: Vec<(SizeClass, u64)>,
    /// Different pages written.
    pub(super) written_pages: u64,
    /// Different pages read and never written.
    pub(super) read_only_pages: u64,
    pub(super) first_page: u64,
    pub(super) sequential_share: f64,
    pub(super) update_skew: f64,
    /// Of writes over 128 KiB.
    pub(super) large_update_skew: f64,
    pub(super) read_skew: f64,
    /// Where updates repeat extents instead of going to any pages.
    pub(super) extents: Option<ExtentPlan>,
    pub(super) gaps: Vec<GapClass>,
    /// Bursts by requests, in exact counts; empty where gaps come in any order.
    pub(super) bursts: Vec<(u64, u64)>,
    /// Runs of pauses up to 100 ms; without it pauses come in any order.
    pub(super) pause_runs: Option<u64>,
    /// Gaps up to 10 us in all bursts of each of these lengths; empty where they
    /// may be in any burst.
    pub(super) tight_gaps: Vec<u64>,
    /// Runs of writes; without it reads and writes come in any order.
    pub(super) write_runs: Option<u64>,
    pub(super) scale: f64,
}

pub(super) fn count(classes: &[(SizeClass, u64)]) -> u64 {
    classes.iter().map(|(_, count)| count).sum()
}

/// Pages touched by classes, touched again counted again.
pub(super) fn pages(classes: &[(SizeClass, u64)]) -> u64 {
    classes.iter().map(|(class, count)| class.pages() * count).sum()
}

impl TwinPlan {
    /// Part of all requests that this twin makes.
    pub(in crate::workload) fn scale(&self) -> f64 {
        self.scale
    }

    pub(super) fn update_skew_of(&self, class: SizeClass) -> f64 {
        if class.sectors > LARGE_SECTORS {
            self.large_update_skew
        } else {
            self.update_skew
        }
    }

    /// Most pages that a request touches.
    pub(super) fn most_pages(&self) -> u64 {
        let all = self.reads.iter().chain(&self.writes);
        all.filter(|(_, count)| *count > 0).map(|(class, _)| class.pages()).max().unwrap_or(1)
    }
}
