//! Stand-ins for published traces: workloads that meet the figures of a table.

mod bursts;
mod clock;
mod extent_plan;
mod extent_walk;
mod extents;
mod figures;
mod gap_classes;
mod generator;
mod lane;
mod measurements;
mod page_walk;
mod pauses;
mod quota;
mod resolve;
mod run_lengths;
mod sizes;

pub(super) use figures::{extensive, figure_names, figures};
pub(super) use generator::TwinGenerator;
pub(super) use measurements::expand;
pub(super) use resolve::resolve;

use extent_plan::ExtentPlan;
use gap_classes::PlannedGaps;
use sizes::SizeClass;

/// How far what comes out may lie from what is given.
const TOLERANCE: f64 = 0.01;
/// Writes of more sectors may have a popularity of their own: 128 KiB.
const LARGE_SECTORS: u32 = 256;

/// A twin, checked: every count is final.
#[derive(Clone, Debug)]
pub(super) struct TwinPlan {
    reads: Vec<(SizeClass, u64)>,
    writes: Vec<(SizeClass, u64)>,
    /// Different pages written.
    written_pages: u64,
    /// Different pages read and never written.
    read_only_pages: u64,
    first_page: u64,
    sequential_share: f64,
    update_skew: f64,
    /// Of writes over 128 KiB.
    large_update_skew: f64,
    read_skew: f64,
    /// Where updates repeat extents instead of going to any pages.
    extents: Option<ExtentPlan>,
    gaps: Vec<PlannedGaps>,
    /// Bursts by requests, in exact counts; empty where gaps come in any order.
    bursts: Vec<(u64, u64)>,
    /// Runs of pauses up to 100 ms; without it pauses come in any order.
    pause_runs: Option<u64>,
    /// Gaps up to 10 us in all bursts of each of these lengths; empty where they
    /// may be in any burst.
    tight_gaps: Vec<u64>,
    /// Runs of writes; without it reads and writes come in any order.
    write_runs: Option<u64>,
    scale: f64,
}

fn count(classes: &[(SizeClass, u64)]) -> u64 {
    classes.iter().map(|(_, count)| count).sum()
}

/// Pages touched by classes, touched again counted again.
fn pages(classes: &[(SizeClass, u64)]) -> u64 {
    classes.iter().map(|(class, count)| class.pages() * count).sum()
}

impl TwinPlan {
    /// Part of all requests that this twin makes.
    pub(in crate::workload) fn scale(&self) -> f64 {
        self.scale
    }

    pub(in crate::workload) fn requests(&self) -> u64 {
        count(&self.reads) + count(&self.writes)
    }

    fn update_skew_of(&self, class: SizeClass) -> f64 {
        if class.sectors > LARGE_SECTORS {
            self.large_update_skew
        } else {
            self.update_skew
        }
    }

    /// Most pages that a request touches.
    fn most_pages(&self) -> u64 {
        let all = self.reads.iter().chain(&self.writes);
        all.filter(|(_, count)| *count > 0).map(|(class, _)| class.pages()).max().unwrap_or(1)
    }
}
