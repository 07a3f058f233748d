//! What a run tells of a device's life beside its wear: years at the trace's own rate, and a caution.

use super::time_scale::TimeScale;
use crate::config::RunConfig;
use slcache_core::metrics::report::{Report, WearReport, DAYS_PER_YEAR};
use slcache_traces::TraceSummary;

const DAY_NS: f64 = 86_400e9;
/// Cycles of a mean block below which a life is little more than a guess.
const CYCLES_MIN: f64 = 3.0;

/// What the host wrote for each day between the first request and the last of the trace, in its own times,
/// stretched in open replay as asked for; none where all come at once.
pub fn write_bytes_per_day(config: &RunConfig, trace: &TraceSummary, report: &Report) -> Option<f64> {
    let span_ns = trace.last_ns?.saturating_sub(trace.first_ns?);
    let stretched_ns = span_ns as f64 * TimeScale::of(&config.host).factor();
    (stretched_ns > 0.0).then(|| report.host.write.bytes as f64 * DAY_NS / stretched_ns)
}

/// How long the device lives if it is written to like that.
pub fn years(wear: &WearReport, write_bytes_per_day: Option<f64>) -> Option<f64> {
    let (life, per_day) = (wear.lifetime_host_bytes?, write_bytes_per_day?);
    (per_day > 0.0).then(|| life / (per_day * DAYS_PER_YEAR))
}

/// Why no life is told, or why it is uncertain.
pub fn note(wear: &WearReport) -> Option<String> {
    let Some(damage) = &wear.damage else {
        let worn = wear.pools.iter().filter(|row| row.cycles > 0.0);
        let unknown: Vec<_> = worn.filter(|row| row.endurance_cycles.is_none()).map(|row| row.mode).collect();
        return Some(match unknown.is_empty() {
            true => "no life is told: less than a block was programmed".into(),
            false => format!("no life is told: the endurance is not known in {}", unknown.join(", ")),
        });
    };
    (damage.cycles < CYCLES_MIN).then(|| {
        let cycles = damage.cycles;
        format!("the life is a guess: the run took {cycles:.2} cycles of a block, and below {CYCLES_MIN} what was free at first decides")
    })
}
