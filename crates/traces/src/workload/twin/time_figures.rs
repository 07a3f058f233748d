//! What the figures of time speak of, by their names.

/// Whether a figure says how long things last.
pub(super) fn time_figure(name: &str) -> bool {
    ["duration_ns", "mean_interarrival_ns", "requests"].contains(&name)
}

/// Whether a figure says which gaps follow each other.
pub(super) fn burst_figure(name: &str) -> bool {
    ["short_gap_runs", "tight_gap_runs", "short_pause_runs", "mean_burst_requests", "median_burst_requests"]
        .contains(&name)
}

/// Whether a figure says how gaps are spread.
pub(super) fn gap_figure(name: &str) -> bool {
    name.starts_with("gaps_over") || ["burst_requests", "idle_share", "idle_over_ns"].contains(&name)
}
