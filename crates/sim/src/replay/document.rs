//! The result document.

use super::address::AddressCounts;
use super::scan::Footprint;
use super::source::Source;
use super::RunRequest;
use crate::config::RunConfig;
use crate::provenance::provenance;
use crate::resources::{peak_rss_bytes, Stopwatch};
use serde_json::{json, Value};
use slcache_core::metrics::report::Report;
use slcache_traces::TraceError;

/// Version of the document's shape.
const SCHEMA_VERSION: u32 = 1;

/// What a run was made of.
pub struct Parts<'a> {
    pub request: &'a RunRequest,
    pub config: &'a RunConfig,
    pub source: &'a Source,
    pub counts: AddressCounts,
    pub footprint: Footprint,
}

/// Puts the document together.
pub fn assemble(
    parts: &Parts<'_>,
    report: &Report,
    stopwatch: &Stopwatch,
    replay_s: f64,
) -> Result<Value, TraceError> {
    // The report is plain data with text keys, so it always has a JSON form.
    let mut document = serde_json::to_value(report).expect("a report is plain data");
    document["schema_version"] = SCHEMA_VERSION.into();
    document["config"] = parts.config.to_json();
    document["trace"] = trace(parts, report)?;
    document["provenance"] = provenance(parts.config);
    let summary = parts.source.summary()?;
    let requests = summary.requests() + summary.flushes + summary.trims;
    document["sim"] = json!({
        "wall_s": stopwatch.wall_s(),
        "cpu_s": stopwatch.cpu_s(),
        "requests_per_s": requests as f64 / replay_s.max(1e-9),
        "peak_rss_bytes": peak_rss_bytes(),
    });
    Ok(document)
}

fn trace(parts: &Parts<'_>, report: &Report) -> Result<Value, TraceError> {
    let summary = parts.source.summary()?;
    let namespaces = parts.source.namespaces();
    Ok(json!({
        "path": parts.request.trace.name(),
        "format": parts.source.format(),
        "sha256": summary.sha256,
        "label": summary.label,
        "steps": summary.steps,
        "namespaces": namespaces.map_or_else(|| json!([]), |all| all.to_json(&summary.volumes)),
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
        "footprint_bytes": parts.footprint.bytes(),
        "skipped": summary.skipped,
        "adjusted": {
            "address_wrapped": parts.counts.wrapped,
            "address_clipped": parts.counts.clipped,
            "address_dropped": parts.counts.dropped,
            "address_compacted": parts.counts.compacted,
            "reordered": summary.reordered,
            "kept_unsorted": summary.kept_unsorted,
            "rounded_to_sectors": summary.rounded_to_sectors,
            "rounded_to_ns": summary.rounded_to_ns,
            "spread_inside_seconds": summary.spread_inside_seconds,
            "unterminated_last_line": u8::from(summary.last_line_unterminated),
            "sub_mu_rounded": report.adjusted.sub_mu_rounded,
        },
    }))
}
