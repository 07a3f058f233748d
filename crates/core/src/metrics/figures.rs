//! The figures that a run is judged by: one table, from which documents, schemas and tables are made.

use super::cells::UpkeepReport;
use super::components::{components, Component, Needs};
use super::latency::LatencySummary;
use super::report::{BoundFigures, BoundReport, HostOpReport, Report};
use super::state::CacheUseReport;
use crate::base::op::{Cause, OpKind};
use serde::{Serialize, Serializer};

/// Which value of a figure is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureGoal {
    /// The least.
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a figure that counts in whole numbers.
    Whole(u64),
    Real(f64),
}

type Reader<T> = Box<dyn Fn(&Report) -> Option<T>>;

/// How a figure is read from a report; none where the run has no such thing.
pub enum Read {
    /// In whole numbers.
    Whole(Reader<u64>),
    Real(Reader<f64>),
}

/// One row of the table.
#[derive(Serialize)]
pub struct Figure {
    /// Name; ends in the unit, if there is one.
    pub name: String,
    /// Unit: `ns`, `bytes`, ..., `1` for ratios and counts.
    pub unit: &'static str,
    /// Which value is best; none where neither is.
    pub goal: Option<FigureGoal>,
    pub sentence: String,
    /// Whether it is a component of a mean latency.
    pub part: bool,
    /// What the run or its device must have that has it.
    #[serde(skip_serializing_if = "is_nothing")]
    pub needs: Needs,
    #[serde(rename = "whole", serialize_with = "is_whole")]
    pub read: Read,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_nothing(needs: &Needs) -> bool {
    *needs == Needs::Nothing
}

impl Figure {
    /// Whether the run has such a thing at all.
    pub fn is_of(&self, report: &Report) -> bool {
        let cells = report.cells.as_ref();
        match self.needs {
            Needs::Nothing => true,
            Needs::Flushes => report.host.flush.requests > 0,
            Needs::Cells => cells.is_some(),
            Needs::Upkeep => cells.is_some_and(|cells| cells.upkeep.is_some()),
            Needs::BadBlocks => cells.is_some_and(|cells| cells.bad_blocks.is_some()),
        }
    }

    pub fn value(&self, report: &Report) -> Option<Value> {
        match &self.read {
            Read::Whole(read) => read(report).map(Value::Whole),
            Read::Real(read) => read(report).map(Value::Real),
        }
    }
}

fn is_whole<S: Serializer>(read: &Read, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(matches!(read, Read::Whole(_)))
}

/// Every figure: latencies, all others, and the components of the mean latencies, of which those of a side
/// add up to its mean.
pub fn figures() -> Vec<Figure> {
    let mut table: Vec<Figure> =
        SIDES.into_iter().flat_map(|side| latencies(side.name, side.latency_us)).collect();
    let flushes = latencies("flush", |report| report.host.flush.latency_us.as_ref());
    table.extend(flushes.map(|row| Figure { needs: Needs::Flushes, ..row }));
    table.extend(totals());
    table.extend(state());
    table.extend(bound());
    table.extend(pace());
    table.extend(cells());
    table.extend(bad_blocks());
    table.extend(upkeep());
    table.extend(SIDES.into_iter().flat_map(|side| components().map(move |part| component(side, part))));
    table
}

#[derive(Clone, Copy)]
struct Side {
    name: &'static str,
    of: fn(&Report) -> &HostOpReport,
    latency_us: Summary,
}

/// Latencies of one kind of request; none without any.
type Summary = fn(&Report) -> Option<&LatencySummary>;

const SIDES: [Side; 2] = [
    Side {
        name: "read",
        of: |report| &report.host.read,
        latency_us: |report| report.host.read.latency_us.as_ref(),
    },
    Side {
        name: "write",
        of: |report| &report.host.write,
        latency_us: |report| report.host.write.latency_us.as_ref(),
    },
];

/// The percentiles of a latency, us.
type Percentile = (&'static str, &'static str, fn(&LatencySummary) -> f64);

const PERCENTILES: [Percentile; 6] = [
    ("p50", "Median latency", |us| us.p50),
    ("p90", "90th percentile of the latency", |us| us.p90),
    ("p99", "99th percentile of the latency", |us| us.p99),
    ("p99_9", "99.9th percentile of the latency", |us| us.p99_9),
    ("p99_99", "99.99th percentile of the latency", |us| us.p99_99),
    ("max", "Longest latency", |us| us.max),
];

fn latencies(kind: &'static str, summary: Summary) -> impl Iterator<Item = Figure> {
    let row = move |key: &str, what: &str, read| {
        let sentence = format!("{what} of {kind} requests.");
        figure(format!("{kind}_{key}_ns"), "ns", Some(FigureGoal::Min), sentence, read)
    };
    let mean = real(move |report| summary(report).map(|us| us.mean * 1000.0));
    let percentiles = PERCENTILES.into_iter().map(move |(key, what, of)| {
        // Everything but a mean is a time of the model, which counts in whole nanoseconds.
        row(key, what, whole(move |report| summary(report).map(|us| (of(us) * 1000.0).round() as u64)))
    });
    std::iter::once(row("mean", "Mean latency", mean)).chain(percentiles)
}

fn component(side: Side, part: Component) -> Figure {
    let name = format!("{}_{}", side.name, part.column());
    let sentence = format!("What {} adds to the mean latency of {} requests.", part.words, side.name);
    let read = real(move |report| {
        let host = (side.of)(report);
        let parts = &host.attribution_us;
        let parts = if part.is_service { &parts.service } else { &parts.wait };
        let us = parts.get(part.name).copied().unwrap_or(0.0);
        (host.requests > 0).then(|| 1000.0 * us / host.requests as f64)
    });
    Figure { part: true, needs: part.needs, ..figure(name, "ns", Some(FigureGoal::Min), sentence, read) }
}

fn totals() -> [Figure; 4] {
    [
        figure(
            "waf",
            "1",
            Some(FigureGoal::Min),
            "Bytes programmed per byte that the host wrote.",
            real(|report| (report.host.write.bytes > 0).then_some(report.waf.total)),
        ),
        figure("erases", "1", Some(FigureGoal::Min), "Blocks erased.", whole(|report| Some(erases(report)))),
        figure(
            "lifetime_host_bytes",
            "bytes",
            Some(FigureGoal::Max),
            "Bytes that the host can write until the mean block of those that wear out first is used up, an \
             estimate; none where less than a block was programmed or an endurance is not known.",
            real(|report| report.wear.lifetime_host_bytes),
        ),
        figure(
            "slc_bytes",
            "bytes",
            Some(FigureGoal::Min),
            "What the scheme's cache takes in SLC mode.",
            whole(|report| Some(report.cache.slc_bytes)),
        ),
    ]
}

/// Beside what is judged: what it was measured in.
fn state() -> [Figure; 7] {
    [
        figure(
            "full_share",
            "1",
            None,
            "Share of the user capacity that held data at time 0.",
            real(|report| Some(report.state.full_share)),
        ),
        figure(
            "overwritten_share",
            "1",
            None,
            "Random overwrites before time 0 over what was filled; none of a state saved after a run.",
            real(|report| report.state.overwritten_share),
        ),
        figure(
            "steady",
            "1",
            None,
            "1 if the run was steady by `state.steady`, else 0; none where the host wrote too little.",
            whole(|report| report.state.steady.map(u64::from)),
        ),
        figure(
            "cache_peak_bytes",
            "bytes",
            None,
            "What the SLC cache took at most; none without one.",
            whole(|report| of_cache(report).map(|cache| cache.peak_bytes)),
        ),
        figure(
            "cache_mean_bytes",
            "bytes",
            None,
            "What it took on average over time.",
            real(|report| of_cache(report).map(|cache| cache.mean_bytes)),
        ),
        figure(
            "cache_full_ns",
            "ns",
            None,
            "When a write first found no room in it; none if none ever did.",
            whole(|report| of_cache(report).and_then(|cache| cache.full_ns)),
        ),
        figure(
            "cache_left_bytes",
            "bytes",
            None,
            "Live data left in it at the end.",
            whole(|report| of_cache(report).map(|cache| cache.left_bytes)),
        ),
    ]
}

fn bound() -> [Figure; 3] {
    let bytes = |of: fn(&BoundFigures) -> u64| {
        whole(move |report| bound_of(report).map(|bound| of(bound) * report.device.mu_bytes))
    };
    [
        figure(
            "dense_bytes",
            "bytes",
            Some(FigureGoal::Min),
            "Bytes programmed by which data come to dense cells for the first time, or written to the disk; \
             only where `run.bound` has it counted.",
            bytes(|bound| bound.counted),
        ),
        figure(
            "dense_least_bytes",
            "bytes",
            None,
            "The least of that for any scheme with a cache of this size; none where no bound holds.",
            bytes(|bound| bound.least),
        ),
        figure(
            "dense_over_least",
            "1",
            Some(FigureGoal::Min),
            "The one over the other; none where the least is 0.",
            real(|report| {
                let bound = bound_of(report).filter(|bound| bound.least > 0)?;
                Some(bound.counted as f64 / bound.least as f64)
            }),
        ),
    ]
}

fn pace() -> [Figure; 7] {
    [
        figure(
            "iops",
            "1/s",
            Some(FigureGoal::Max),
            "Reads and writes completed per second.",
            real(|report| (report.host.duration_ns > 0).then_some(report.host.iops)),
        ),
        figure(
            "bytes_per_s",
            "bytes/s",
            Some(FigureGoal::Max),
            "Bytes read and written per second.",
            real(|report| over(report.host.bytes as f64 * 1e9, report.host.duration_ns)),
        ),
        figure(
            "duration_ns",
            "ns",
            Some(FigureGoal::Min),
            "From time 0 to the completion of the last request.",
            whole(|report| Some(report.host.duration_ns)),
        ),
        figure(
            "utilisation",
            "1",
            None,
            "Share of the time of the flash's units that operations take, up to the last of them, with what is \
             done after the last request.",
            real(|report| {
                over(flash_time_us(report) * 1e3, report.flash.ops_until_ns * report.device.array_units)
            }),
        ),
        figure(
            "flash_time_ns",
            "ns",
            Some(FigureGoal::Min),
            "Time of array operations, summed over the units of the flash.",
            whole(|report| Some((flash_time_us(report) * 1000.0).round() as u64)),
        ),
        figure(
            "energy_j",
            "J",
            Some(FigureGoal::Min),
            "Energy of the disk; none without one.",
            real(|report| report.disk.as_ref().map(|disk| disk.energy_j)),
        ),
        figure(
            "miss_rate",
            "1",
            Some(FigureGoal::Min),
            "Share of what the host read that came from the disk; none without one.",
            real(|report| report.disk.as_ref().and(report.scheme.figures.get("miss_rate").copied())),
        ),
    ]
}

fn cells() -> [Figure; 2] {
    let rows = [
        figure(
            "retries_per_read",
            "1",
            Some(FigureGoal::Min),
            "Steps at other references, soft sensing aside, per flash page that was read for the host; none \
             where none was.",
            real(|report| {
                let cells = report.cells.as_ref()?;
                let host = cells.reads.iter().filter(|row| row.cause == Cause::Host.name());
                let (steps, reads) =
                    host.fold((0, 0), |(steps, reads), row| (steps + row.steps, reads + row.reads));
                over(steps as f64, reads)
            }),
        ),
        figure(
            "read_errors",
            "1",
            Some(FigureGoal::Min),
            "Host reads that ended as errors.",
            whole(|report| report.host.read_errors),
        ),
    ];
    rows.map(|row| Figure { needs: Needs::Cells, ..row })
}

fn upkeep() -> [Figure; 3] {
    let of = |read: fn(&UpkeepReport) -> u64| {
        whole(move |report| report.cells.as_ref()?.upkeep.as_ref().map(read))
    };
    let rows = [
        figure(
            "reclaimed_blocks",
            "1",
            None,
            "Blocks that were moved because they were read often.",
            of(|upkeep| upkeep.reclaimed_blocks),
        ),
        figure(
            "refreshed_blocks",
            "1",
            None,
            "Blocks that were moved because their data had aged.",
            of(|upkeep| upkeep.refreshed_blocks),
        ),
        figure(
            "levelled_blocks",
            "1",
            None,
            "Blocks whose data were moved because they were worn less than others.",
            of(|upkeep| upkeep.levelled_blocks),
        ),
    ];
    rows.map(|row| Figure { needs: Needs::Upkeep, ..row })
}

fn bad_blocks() -> impl Iterator<Item = Figure> {
    let of = |report: &Report| report.cells.as_ref()?.bad_blocks.clone();
    let rows = [
        figure(
            "retired_blocks",
            "1",
            Some(FigureGoal::Min),
            "Blocks that retired, before a state was saved included.",
            whole(move |report| of(report).map(|bad| bad.retired)),
        ),
        figure(
            "spare_blocks_left",
            "1",
            Some(FigureGoal::Max),
            "Spare blocks left.",
            whole(move |report| of(report).map(|bad| bad.spares_left)),
        ),
        figure(
            "mean_damage",
            "1",
            None,
            "Share of its life that the mean block used has used up, among the blocks where that is most.",
            real(move |report| of(report).and_then(|bad| bad.mean_damage)),
        ),
        figure(
            "end_host_bytes",
            "bytes",
            Some(FigureGoal::Max),
            "Bytes that the host wrote until the end of the device's life; none where that has not come.",
            whole(move |report| of(report).and_then(|bad| bad.end).map(|end| end.host_bytes)),
        ),
    ];
    rows.into_iter().map(|row| Figure { needs: Needs::BadBlocks, ..row })
}

fn erases(report: &Report) -> u64 {
    report.flash.ops.iter().filter(|row| row.kind == OpKind::Erase.name()).map(|row| row.count).sum()
}

fn flash_time_us(report: &Report) -> f64 {
    // The sum of nothing is -0.
    report.flash.ops.iter().map(|row| row.time_us).sum::<f64>() + 0.0
}

fn of_cache(report: &Report) -> Option<&CacheUseReport> {
    report.state.cache.as_ref()
}

fn bound_of(report: &Report) -> Option<&BoundFigures> {
    match report.bound.as_ref()? {
        BoundReport::Dense(bound) | BoundReport::Disk(bound) => Some(bound),
        BoundReport::None { .. } => None,
    }
}

/// A quotient; none where it would be by 0.
fn over(amount: f64, by: u64) -> Option<f64> {
    (by > 0).then(|| amount / by as f64)
}

fn figure(
    name: impl Into<String>,
    unit: &'static str,
    goal: Option<FigureGoal>,
    sentence: impl Into<String>,
    read: Read,
) -> Figure {
    Figure {
        name: name.into(),
        unit,
        goal,
        sentence: sentence.into(),
        part: false,
        needs: Needs::Nothing,
        read,
    }
}

fn whole(read: impl Fn(&Report) -> Option<u64> + 'static) -> Read {
    Read::Whole(Box::new(read))
}

fn real(read: impl Fn(&Report) -> Option<f64> + 'static) -> Read {
    Read::Real(Box::new(read))
}
