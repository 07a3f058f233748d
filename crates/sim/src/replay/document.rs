//! The result document.

use super::address::{AddressCounts, Namespace};
use super::scan::Footprint;
use super::source::{TimeScale, TraceSource};
use super::RunRequest;
use crate::config::RunConfig;
use crate::provenance::{Provenance, SHA256_HEX};
use crate::resources::{peak_rss_bytes, Stopwatch};
use crate::trace_options;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{json, Value};
use slcache_core::metrics::cells::EndReport;
use slcache_core::metrics::figures::figures;
use slcache_core::metrics::report::{HostReport, LifeReport, Report, WearReport, DAYS_PER_YEAR};
use slcache_traces::{Skipped, TraceError, TraceSummary};
use std::collections::BTreeMap;

/// Version of the document's shape.
pub const SCHEMA_VERSION: u32 = 3;

/// A result: one run of one scheme over one trace. Times end in their unit, sizes are bytes, fractions lie
/// between 0 and 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResultDocument {
    /// Version of the document's shape; others are refused.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The resolved configuration that ran.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub config: Value,
    /// What was replayed: where it is, how it was read and what it holds.
    pub trace: TraceReport,
    /// What the run is judged by: every metric but those that need another run.
    pub figures: BTreeMap<String, Value>,
    #[serde(flatten)]
    pub report: Report,
    /// What made the result.
    pub provenance: Provenance,
    /// Only where knobs were turned between windows: the result is that of no constant setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeReport>,
    /// What simulating took; the only part besides provenance.time and provenance.host that differs between
    /// equal runs.
    pub sim: SimReport,
}

/// What was replayed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TraceReport {
    /// The trace as it was named: a file, - for standard input, or a workload.
    pub path: String,
    /// The trace's format, as named or as recognised (see slcache trace formats).
    pub format: &'static str,
    /// Which event is the request, of formats that record several: queue, issue or completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub event: Option<&'static str>,
    /// What was said about reading it (--trace-option, --volume, --workload and so on).
    #[schemars(transform = options_shape)]
    pub options: BTreeMap<String, String>,
    /// SHA-256 of the trace's file as stored, compressed or not; of a workload that of what defines it.
    #[schemars(with = "String", regex(pattern = SHA256_HEX))]
    pub sha256: Option<String>,
    /// What the requests are where they are not a recording, such as a twin.
    pub label: Option<String>,
    /// Transformations that made the file out of its source.
    pub steps: Vec<String>,
    /// Where the volumes lie on the device, if each has its own addresses.
    pub namespaces: Vec<Namespace>,
    /// Reads and writes.
    pub requests: u64,
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Flush requests.
    pub flushes: u64,
    /// TRIM (discard) requests.
    pub trims: u64,
    /// Bytes that the reads ask for.
    pub read_bytes: u64,
    /// Bytes that the writes bring.
    pub write_bytes: u64,
    /// Bytes that are trimmed; a range counts as often as it is trimmed.
    pub trim_bytes: u64,
    /// Time of the first request.
    #[schemars(with = "u64")]
    pub first_ns: Option<u64>,
    /// Time of the last request.
    #[schemars(with = "u64")]
    pub last_ns: Option<u64>,
    /// What the host wrote for each day between the first request and the last, by the trace's own times
    /// (stretched by host.time_scale in open replay); null where all come at once.
    pub write_bytes_per_day: Option<f64>,
    /// Bytes that the trace touches, each counted once.
    pub footprint_bytes: u64,
    /// Reads and writes that arrive per second, from time 0 to the last arrival; host.iops is what was
    /// served. Null in closed replay and where all arrive at once.
    pub offered_iops: Option<f64>,
    /// Lines of the trace left out, by reason.
    pub skipped: Vec<Skipped>,
    /// Requests that a named policy changed.
    pub adjusted: AdjustedReport,
}

/// Requests that a named policy changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AdjustedReport {
    /// Requests beyond the device that start over at address 0 (trace.address = wrap).
    pub address_wrapped: u64,
    /// Requests cut at the end of the device (trace.address = clip).
    pub address_clipped: u64,
    /// Requests of which nothing was left on the device.
    pub address_dropped: u64,
    /// Requests whose addresses were renumbered (trace.address = compact).
    pub address_compacted: u64,
    /// Requests put in the order of their times.
    pub reordered: u64,
    /// Requests whose time runs backwards, kept as given.
    pub kept_unsorted: u64,
    /// Requests widened to whole sectors of 512 bytes.
    pub rounded_to_sectors: u64,
    /// Times rounded to whole nanoseconds.
    pub rounded_to_ns: u64,
    /// Requests moved inside their second, as the trace tells whole seconds.
    pub spread_inside_seconds: u64,
    /// 1 where the trace's last line has no line end: it may have been cut short inside it.
    #[schemars(range(max = 1))]
    pub unterminated_last_line: u8,
    /// Writes of a part of a mapping unit that were widened to all of it.
    pub sub_mu_rounded: u64,
}

/// Windows and turned knobs of a run under a controller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EpisodeReport {
    /// Windows that were run before the end.
    pub windows: u64,
    /// Knobs turned, also to the value they had.
    #[schemars(range(min = 1))]
    pub turns: u64,
}

/// What simulating took.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SimReport {
    /// How long the run took.
    pub wall_s: f64,
    /// Processor time of the run.
    pub cpu_s: f64,
    /// Requests simulated per second of replay.
    pub requests_per_s: f64,
    /// null where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
}

impl ResultDocument {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        // It is plain data with text keys, so it always has a JSON form.
        serde_json::to_value(self).expect("a result is plain data")
    }
}

fn options_shape(schema: &mut Schema) {
    if let Some(Value::Object(values)) = schema.get_mut("additionalProperties") {
        let words = "One option of the trace's reader as text, such as volume = each.";
        values.insert("description".into(), words.into());
    }
}

#[derive(Clone)]
pub struct TraceFacts {
    path: String,
    format: &'static str,
    event: Option<&'static str>,
    /// How it was read, where that was said.
    options: BTreeMap<String, String>,
    summary: TraceSummary,
    namespaces: Vec<Namespace>,
    footprint_bytes: u64,
    counts: AddressCounts,
}

impl TraceFacts {
    /// Of a source that has been read to its end.
    pub fn of(
        request: &RunRequest,
        source: &TraceSource,
        counts: AddressCounts,
        footprint: &Footprint,
    ) -> Result<Self, TraceError> {
        let summary = source.summary()?;
        let namespaces = source.namespaces();
        Ok(Self {
            path: request.trace.name().to_owned(),
            format: source.format(),
            event: slcache_traces::event(&request.trace_options, source.format()),
            options: trace_options::texts(&request.trace_options),
            namespaces: namespaces.map_or_else(Vec::new, |all| all.places(&summary.volumes)),
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
    mut report: Report,
    stopwatch: &Stopwatch,
    replay_s: f64,
) -> ResultDocument {
    let per_day = write_bytes_per_day(config, &trace.summary, &mut report);
    if let Some(end) = end_of(&mut report) {
        end.years = years(end.host_bytes as f64, per_day);
    }
    report.wear.life =
        Some(LifeReport { years: years_at(&report.wear, per_day), note: life_note(&report.wear) });
    ResultDocument {
        schema_version: SCHEMA_VERSION,
        figures: figures()
            .iter()
            .filter(|figure| figure.is_of(&report))
            .map(|figure| (figure.name.clone(), json!(figure.value(&report))))
            .collect(),
        config: config.to_json(),
        trace: trace_report(trace, &report, per_day),
        provenance: Provenance::of(config),
        episode: None,
        sim: SimReport {
            wall_s: stopwatch.wall_s(),
            cpu_s: stopwatch.cpu_s(),
            requests_per_s: trace.requests() as f64 / replay_s.max(1e-9),
            peak_rss_bytes: peak_rss_bytes(),
        },
        report,
    }
}

/// Reads and writes per second that arrive, which the device keeps up with or not: from time 0 to the
/// last arrival. None in closed replay, where the device sets the pace, and where all arrive at once.
fn offered_iops(host: &HostReport) -> Option<f64> {
    let last_arrival_ns = host.duration_ns.saturating_sub(host.backlog?.lag_ns);
    (last_arrival_ns > 0).then(|| host.requests as f64 * 1e9 / last_arrival_ns as f64)
}

fn trace_report(trace: &TraceFacts, report: &Report, write_bytes_per_day: Option<f64>) -> TraceReport {
    let TraceFacts { summary, counts, .. } = trace;
    TraceReport {
        path: trace.path.clone(),
        format: trace.format,
        event: trace.event,
        options: trace.options.clone(),
        sha256: summary.sha256.clone(),
        label: summary.label.clone(),
        steps: summary.steps.clone(),
        namespaces: trace.namespaces.clone(),
        requests: summary.requests(),
        reads: summary.reads,
        writes: summary.writes,
        flushes: summary.flushes,
        trims: summary.trims,
        read_bytes: summary.read_bytes,
        write_bytes: summary.write_bytes,
        trim_bytes: summary.trim_bytes,
        first_ns: summary.first_ns,
        last_ns: summary.last_ns,
        write_bytes_per_day,
        footprint_bytes: trace.footprint_bytes,
        offered_iops: offered_iops(&report.host),
        skipped: summary.skipped.clone(),
        adjusted: AdjustedReport {
            address_wrapped: counts.wrapped,
            address_clipped: counts.clipped,
            address_dropped: counts.dropped,
            address_compacted: counts.compacted,
            reordered: summary.reordered,
            kept_unsorted: summary.kept_unsorted,
            rounded_to_sectors: summary.rounded_to_sectors,
            rounded_to_ns: summary.rounded_to_ns,
            spread_inside_seconds: summary.spread_inside_seconds,
            unterminated_last_line: u8::from(summary.last_line_unterminated),
            sub_mu_rounded: report.adjusted.sub_mu_rounded,
        },
    }
}

const DAY_NS: f64 = 86_400e9;
/// Cycles of a mean block below which a life is little more than a guess.
const CYCLES_MIN: f64 = 3.0;

/// The end of the device's life, if it has come.
fn end_of(report: &mut Report) -> Option<&mut EndReport> {
    report.cells.as_mut()?.bad_blocks.as_mut()?.end.as_mut()
}

/// What the host wrote for each day between the first request and the last of the trace, in its own times,
/// stretched in open replay as asked for; none where all come at once. Of a device that ended before the
/// last one, what the trace would write.
fn write_bytes_per_day(config: &RunConfig, trace: &TraceSummary, report: &mut Report) -> Option<f64> {
    let span_ns = trace.last_ns?.saturating_sub(trace.first_ns?);
    let stretched_ns = span_ns as f64 * TimeScale::of(&config.host).factor();
    let served = report.host.write.bytes;
    let bytes = end_of(report).map_or(served, |_| trace.write_bytes);
    (stretched_ns > 0.0).then(|| bytes as f64 * DAY_NS / stretched_ns)
}

/// How long the device lives if it is written to like that.
fn years_at(wear: &WearReport, write_bytes_per_day: Option<f64>) -> Option<f64> {
    years(wear.lifetime_host_bytes?, write_bytes_per_day)
}

/// How long it takes to write `bytes` like that.
fn years(bytes: f64, write_bytes_per_day: Option<f64>) -> Option<f64> {
    let per_day = write_bytes_per_day.filter(|&per_day| per_day > 0.0)?;
    Some(bytes / (per_day * DAYS_PER_YEAR))
}

/// Cycles in two decimals, few in three significant digits; without an exponent.
fn few_cycles(cycles: f64) -> String {
    let decimals = if cycles > 0.0 && cycles < 0.1 { 2.0 - cycles.log10().floor() } else { 2.0 };
    format!("{cycles:.0$}", decimals as usize)
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
        let cycles = few_cycles(damage.cycles);
        format!("the life is a guess: the run took {cycles} cycles of a block, and below {CYCLES_MIN} what was free at first decides")
    })
}

#[cfg(test)]
mod tests {
    use super::few_cycles;

    #[test]
    fn a_life_of_few_cycles_has_its_digits_however_short() {
        for cycles in [2.999, 2.5, 1.0, 0.96, 0.099_96, 0.041_7, 0.001_234, 4.56e-7] {
            let told = few_cycles(cycles);
            let read: f64 = told.parse().unwrap();
            assert!((read - cycles).abs() <= cycles * 0.005 && !told.contains('e'), "{cycles}: {told}");
        }
        assert_eq!([2.5, 0.96, 0.0].map(few_cycles), ["2.50", "0.96", "0.00"]);
    }
}
