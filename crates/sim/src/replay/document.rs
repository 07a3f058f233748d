//! The result document.

use super::address::AddressCounts;
use super::scan::Footprint;
use super::source::Source;
use super::time_scale::TimeScale;
use super::RunRequest;
use crate::config::RunConfig;
use crate::provenance::provenance;
use crate::resources::{peak_rss_bytes, Stopwatch};
use crate::trace_options;
use serde_json::{json, Value};
use slcache_core::metrics::figures::figures;
use slcache_core::metrics::report::{HostReport, Report, WearReport, DAYS_PER_YEAR};
use slcache_traces::{TraceError, TraceSummary};

/// Version of the document's shape.
const SCHEMA_VERSION: u32 = 3;

#[derive(Clone)]
pub struct TraceFacts {
    path: String,
    format: &'static str,
    /// How it was read, where that was said.
    options: Value,
    summary: TraceSummary,
    namespaces: Value,
    footprint_bytes: u64,
    counts: AddressCounts,
}

impl TraceFacts {
    /// Of a source that has been read to its end.
    pub fn of(
        request: &RunRequest,
        source: &Source,
        counts: AddressCounts,
        footprint: &Footprint,
    ) -> Result<Self, TraceError> {
        let summary = source.summary()?;
        let namespaces = source.namespaces();
        Ok(Self {
            path: request.trace.name().to_owned(),
            format: source.format(),
            options: json!(trace_options::texts(&request.trace_options)),
            namespaces: namespaces.map_or_else(|| json!([]), |all| all.to_json(&summary.volumes)),
            summary: summary.clone(),
            footprint_bytes: footprint.bytes(),
            counts,
        })
    }

    /// Which trace it is, and where its volumes lie.
    pub fn identity(&self) -> Value {
        json!({ "path": self.path, "sha256": self.summary.sha256, "namespaces": self.namespaces })
    }

    fn requests(&self) -> u64 {
        self.summary.requests() + self.summary.flushes + self.summary.trims
    }
}

pub fn assemble(
    config: &RunConfig,
    trace: &TraceFacts,
    report: &Report,
    stopwatch: &Stopwatch,
    replay_s: f64,
) -> Value {
    // The report is plain data with text keys, so it always has a JSON form.
    let mut document = serde_json::to_value(report).expect("a report is plain data");
    document["schema_version"] = SCHEMA_VERSION.into();
    document["figures"] =
        figures().iter().map(|figure| (figure.name.clone(), json!(figure.value(report)))).collect();
    document["config"] = config.to_json();
    let per_day = write_bytes_per_day(config, &trace.summary, report);
    document["trace"] = trace_facts(trace, report, per_day);
    document["wear"]["years"] = years_at(&report.wear, per_day).into();
    document["wear"]["note"] = life_note(&report.wear).into();
    document["provenance"] = provenance(config);
    document["sim"] = json!({
        "wall_s": stopwatch.wall_s(),
        "cpu_s": stopwatch.cpu_s(),
        "requests_per_s": trace.requests() as f64 / replay_s.max(1e-9),
        "peak_rss_bytes": peak_rss_bytes(),
    });
    document
}

/// Reads and writes per second that arrive, which the device keeps up with or not: from time 0 to the
/// last arrival. None in closed replay, where the device sets the pace, and where all arrive at once.
fn offered_iops(host: &HostReport) -> Option<f64> {
    let last_arrival_ns = host.duration_ns.saturating_sub(host.backlog?.lag_ns);
    (last_arrival_ns > 0).then(|| host.requests as f64 * 1e9 / last_arrival_ns as f64)
}

fn trace_facts(trace: &TraceFacts, report: &Report, write_bytes_per_day: Option<f64>) -> Value {
    let TraceFacts { summary, counts, .. } = trace;
    json!({
        "path": trace.path,
        "format": trace.format,
        "options": trace.options,
        "sha256": summary.sha256,
        "label": summary.label,
        "steps": summary.steps,
        "namespaces": trace.namespaces,
        "requests": summary.requests(),
        "reads": summary.reads,
        "writes": summary.writes,
        "flushes": summary.flushes,
        "trims": summary.trims,
        "read_bytes": summary.read_bytes,
        "write_bytes": summary.write_bytes,
        "trim_bytes": summary.trim_bytes,
        "first_ns": summary.first_ns,
        "last_ns": summary.last_ns,
        "write_bytes_per_day": write_bytes_per_day,
        "footprint_bytes": trace.footprint_bytes,
        "offered_iops": offered_iops(&report.host),
        "skipped": summary.skipped,
        "adjusted": {
            "address_wrapped": counts.wrapped,
            "address_clipped": counts.clipped,
            "address_dropped": counts.dropped,
            "address_compacted": counts.compacted,
            "reordered": summary.reordered,
            "kept_unsorted": summary.kept_unsorted,
            "rounded_to_sectors": summary.rounded_to_sectors,
            "rounded_to_ns": summary.rounded_to_ns,
            "spread_inside_seconds": summary.spread_inside_seconds,
            "unterminated_last_line": u8::from(summary.last_line_unterminated),
            "sub_mu_rounded": report.adjusted.sub_mu_rounded,
        },
    })
}

const DAY_NS: f64 = 86_400e9;
/// Cycles of a mean block below which a life is little more than a guess.
const CYCLES_MIN: f64 = 3.0;

/// What the host wrote for each day between the first request and the last of the trace, in its own times,
/// stretched in open replay as asked for; none where all come at once.
fn write_bytes_per_day(config: &RunConfig, trace: &TraceSummary, report: &Report) -> Option<f64> {
    let span_ns = trace.last_ns?.saturating_sub(trace.first_ns?);
    let stretched_ns = span_ns as f64 * TimeScale::of(&config.host).factor();
    (stretched_ns > 0.0).then(|| report.host.write.bytes as f64 * DAY_NS / stretched_ns)
}

/// How long the device lives if it is written to like that.
fn years_at(wear: &WearReport, write_bytes_per_day: Option<f64>) -> Option<f64> {
    let (life, per_day) = (wear.lifetime_host_bytes?, write_bytes_per_day?);
    (per_day > 0.0).then(|| life / (per_day * DAYS_PER_YEAR))
}

/// Why no life is told, or why it is uncertain.
fn life_note(wear: &WearReport) -> Option<String> {
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
