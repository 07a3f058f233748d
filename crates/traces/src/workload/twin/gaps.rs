//! Gaps of a twin, and what its figures of time speak of.

use crate::info::arrivals::{SHORT_NS, SHORT_PAUSE_NS as SHORT_PAUSE, TIGHT_NS};

/// Gaps up to this are inside a burst; longer ones are pauses. All three are those of `trace info`.
pub(super) const BURST_GAP_NS: f64 = SHORT_NS as f64;
pub(super) const SHORT_PAUSE_NS: f64 = SHORT_PAUSE as f64;
pub(super) const TIGHT_GAP_NS: f64 = TIGHT_NS as f64;

/// Gaps of one kind: longer than `over_ns`, up to `to_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GapClass {
    pub(super) count: u64,
    pub(super) over_ns: f64,
    pub(super) to_ns: f64,
    pub(super) mean_ns: f64,
    /// Whether gaps lie all over the class, however close its mean is to the
    /// upper bound; else they stay around the mean where it is close.
    pub(super) fills: bool,
}

/// Whether a figure says how long things last.
pub(super) fn time_figure(name: &str) -> bool {
    ["duration_ns", "requests"].contains(&name)
}

/// Whether a figure says which gaps follow each other.
pub(super) fn burst_figure(name: &str) -> bool {
    ["short_gap_runs", "tight_gap_runs", "short_pause_runs", "median_burst_requests"].contains(&name)
}

/// Whether a figure says how gaps are spread.
pub(super) fn gap_figure(name: &str) -> bool {
    ["burst_requests", "idle_share", "idle_over_ns"].contains(&name)
}
