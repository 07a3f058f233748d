//! The result document.

use super::address::AddressCounts;
use super::life;
use super::scan::Footprint;
use super::source::Source;
use super::RunRequest;
use crate::config::RunConfig;
use crate::provenance::provenance;
use crate::resources::{peak_rss_bytes, Stopwatch};
use crate::trace_options;
use serde_json::{json, Value};
use slcache_core::metrics::figures::figures;
use slcache_core::metrics::report::{HostReport, Report};
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
            options: json!(trace_options::said(&request.trace_options)),
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
    let per_day = life::write_bytes_per_day(config, &trace.summary, report);
    document["trace"] = told(trace, report, per_day);
    document["wear"]["years"] = life::years(&report.wear, per_day).into();
    document["wear"]["note"] = life::note(&report.wear).into();
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

fn told(trace: &TraceFacts, report: &Report, write_bytes_per_day: Option<f64>) -> Value {
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
