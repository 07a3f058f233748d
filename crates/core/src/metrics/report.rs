//! The shape of a run's figures, as `docs/results.md` describes it.

use super::cells::CellsReport;
use super::latency::{LatencySummary, RequestsBeyond};
use super::series::{SeriesReport, WindowSeriesReport};
use super::shape::{self, Share, Signed};
use super::state::StateReport;
use crate::base::op::{Cause, OpKind};
use crate::base::power_state::PowerState;
use crate::base::CellMode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{json, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Where the time of all requests of one kind went, us; `total` is the sum of the rest.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Attribution {
    /// The sum of the latencies; service and waiting add up to it.
    pub total: f64,
    /// Time of work for the request itself, on its critical path.
    #[schemars(transform = shape::services)]
    pub service: BTreeMap<String, f64>,
    /// Waiting by the cause of the work waited for, or for what docs/results.md lists; what did not occur is
    /// absent.
    #[schemars(transform = shape::waits)]
    pub wait: BTreeMap<String, f64>,
}

/// Reads or writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostOpReport {
    /// Requests of this kind.
    pub requests: u64,
    /// Bytes that the requests of this kind cover.
    pub bytes: u64,
    /// Latencies: from arrival (open replay) or entry into the device (closed) to completion; none without
    /// requests.
    #[serde(serialize_with = "LatencySummary::or_nulls")]
    #[schemars(with = "LatencySummary<Option<f64>>")]
    pub latency_us: Option<LatencySummary>,
    /// Requests that took longer than each percentile, by rank; one that fewer than ten lie beyond says little.
    pub requests_beyond: RequestsBeyond,
    /// Where the time of all these requests went; the parts add up to total, the sum of their latencies.
    pub attribution_us: Attribution,
    /// [latency in µs, fraction of requests at or below it], ascending.
    #[schemars(with = "Vec<(f64, Share)>")]
    pub cdf: Vec<(f64, f64)>,
}

/// Trims.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct TrimReport {
    /// Requests of this kind.
    pub requests: u64,
    /// Bytes that the requests of this kind cover.
    pub bytes: u64,
}

/// Flushes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct FlushReport {
    /// Requests of this kind.
    pub requests: u64,
    /// Latencies: from arrival (open replay) or entry into the device (closed) to completion; none without
    /// requests.
    #[serde(serialize_with = "LatencySummary::or_nulls")]
    #[schemars(with = "LatencySummary<Option<f64>>")]
    pub latency_us: Option<LatencySummary>,
    /// Requests that took longer than each percentile, by rank; one that fewer than ten lie beyond says little.
    pub requests_beyond: RequestsBeyond,
}

/// How far the device fell behind what arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BacklogReport {
    /// Most requests that had arrived and were not complete.
    pub requests_max: u64,
    /// From the last arrival to the last completion.
    pub lag_ns: u64,
}

/// What the host saw.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostReport {
    /// From time 0 to the completion of the last request.
    pub duration_ns: u64,
    /// Reads and writes completed.
    pub requests: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Reads and writes completed per second.
    pub iops: f64,
    /// The reads: counts, latencies and what they consist of.
    pub read: HostOpReport,
    /// The writes: counts, latencies and what they consist of.
    pub write: HostOpReport,
    /// The TRIM requests.
    pub trim: TrimReport,
    /// The flush requests and their latencies.
    pub flush: FlushReport,
    /// Reads of pages that hold no data, served without flash.
    pub unmapped_reads: u64,
    /// Reads that ended as errors: data that could not be corrected; only of a device whose cells err.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_errors: Option<u64>,
    /// How far the device fell behind what arrived; null in closed replay.
    pub backlog: Option<BacklogReport>,
}

/// One line of the flash operation table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OpRow {
    /// The pool of chips.
    pub pool: String,
    /// What the array did: read, program, reprogram, copy-back or erase.
    #[schemars(with = "OpKind")]
    pub kind: &'static str,
    /// The cell mode of the block.
    #[schemars(with = "CellMode")]
    pub mode: &'static str,
    /// Why it was done.
    #[schemars(with = "Cause")]
    pub cause: &'static str,
    /// Operations.
    pub count: u64,
    /// Pages that they read or programmed.
    pub pages: u64,
    /// Bytes of these pages.
    pub bytes: u64,
    /// Time of the arrays, summed over all units.
    pub time_us: f64,
}

/// Mapping units programmed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SlotRow {
    /// The pool of chips.
    pub pool: String,
    /// The cell mode of the block.
    #[schemars(with = "CellMode")]
    pub mode: &'static str,
    /// Why it was done.
    #[schemars(with = "Cause")]
    pub cause: &'static str,
    /// Mapping units.
    pub count: u64,
}

/// What the flash did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlashReport {
    /// A row for each pool, kind of operation, cell mode and cause that occurred.
    pub ops: Vec<OpRow>,
    /// Mapping units that were programmed, by cause.
    pub slots: Vec<SlotRow>,
    /// When the last operation of flash or disk ended: they are counted up to it.
    pub ops_until_ns: u64,
}

/// What the disk did.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[allow(dead_code, reason = "the words of the schema")]
enum DiskOpKind {
    Read,
    Write,
}

/// Disk operations of one kind and cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DiskOpRow {
    /// Whether the disk read or wrote.
    #[schemars(with = "DiskOpKind")]
    pub kind: &'static str,
    /// Why it was done.
    #[schemars(with = "Cause")]
    pub cause: &'static str,
    /// Operations.
    pub count: u64,
    /// Bytes that they read or wrote.
    pub bytes: u64,
    /// Time of moving the heads.
    pub seek_us: f64,
    /// Time of waiting for the platters to turn.
    pub rotation_us: f64,
    /// Time of transferring the data.
    pub transfer_us: f64,
    /// Service time in all, the disk's overhead with it.
    pub time_us: f64,
}

/// A power state of the disk.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PowerStateRow {
    /// The power state.
    #[schemars(with = "PowerState")]
    pub state: &'static str,
    /// Time in this state.
    pub time_s: f64,
    /// Energy in this state.
    pub energy_j: f64,
}

/// The disk's power states over time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PowerSeriesReport {
    /// Time that one value covers.
    pub window_ns: u64,
    /// The power states over time.
    #[schemars(with = "BTreeMap<String, Vec<Share>>", transform = shape::by_power_state)]
    pub states: BTreeMap<&'static str, Vec<f64>>,
}

/// What the disk behind the flash did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DiskReport {
    /// A row for each kind of operation and cause that occurred.
    pub ops: Vec<DiskOpRow>,
    /// Energy of the disk until until_ns.
    pub energy_j: f64,
    /// Energy divided by time.
    pub mean_power_w: f64,
    /// The completion of the last request: energy and states are told up to it.
    pub until_ns: u64,
    /// Time and energy by power state.
    pub states: Vec<PowerStateRow>,
    /// How often the platters were set turning.
    pub spin_ups: u64,
    /// How often the platters were brought to rest.
    pub spin_downs: u64,
    /// The share of each window that the disk was in each power state: equally long lists, one entry per
    /// window.
    pub series: PowerSeriesReport,
}

/// Write amplification: bytes programmed over bytes the host wrote.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WafReport {
    /// Bytes of all pages programmed over the bytes that the host wrote.
    pub total: f64,
    /// The total by why mapping units were programmed; only causes that occurred.
    #[schemars(transform = shape::by_cause)]
    pub by_cause: BTreeMap<String, f64>,
    /// The total by the cell mode in which pages were programmed.
    #[schemars(transform = shape::by_mode)]
    pub by_mode: BTreeMap<&'static str, f64>,
}

/// Wear of one pool in one mode, over the blocks ever used in it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WearRow {
    /// The pool of chips.
    pub pool: String,
    /// The cell mode.
    #[schemars(with = "CellMode")]
    pub mode: &'static str,
    /// Blocks that the scheme uses in this mode.
    pub blocks: u64,
    /// Erases of all of them.
    pub erases: u64,
    /// Cycles of all of them: a program counts when it is made, and so does what is erased before it was
    /// programmed.
    pub cycles: f64,
    /// Mean erases of a block.
    pub mean: f64,
    /// Erases of the block with the fewest.
    pub min: u32,
    /// Erases of the block with the most.
    pub max: u32,
    /// Standard deviation of the blocks' erases.
    pub stddev: f64,
    /// Erases that a block stands, as the device says; none where it does not.
    pub endurance_cycles: Option<u32>,
    /// [erase count, blocks erased so often].
    pub histogram: Vec<(u32, u64)>,
}

/// What blocks went through in one cell mode, whatever the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ModeWear {
    /// Bytes of the blocks erased over bytes the host wrote; none where it wrote nothing.
    pub erase_factor: Option<f64>,
    /// What cycles in this mode used of the life of the mean block, in per cent, among the blocks where that
    /// is most; none where no endurance is known.
    pub percent_used: Option<f64>,
}

/// Days of a year in what is told of lives.
pub const DAYS_PER_YEAR: f64 = 365.0;

/// What blocks that regions share have used of their life.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Damage {
    /// The pool of the blocks that wear out first.
    pub pool: String,
    /// The cell modes that wore them; those that change it wear in each.
    #[schemars(with = "Vec<CellMode>")]
    pub modes: Vec<&'static str>,
    /// How many they are: all that regions share.
    pub blocks: u64,
    /// Cycles of their mean block, in all modes.
    pub cycles: f64,
    /// Share of its life that their mean block has used: the sum over modes of cycles by endurance.
    pub mean: f64,
    /// The same of the most worn block.
    pub max: f64,
}

/// A life by one rule of how cycles in several modes wear a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuleLife {
    /// Share of its life that the mean block has used, among the blocks that wear out first.
    pub mean: f64,
    /// The same of the most worn block.
    pub max: f64,
    /// Host bytes until the mean block has used its life.
    pub lifetime_host_bytes: f64,
}

/// Wear of the device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WearReport {
    /// The rule by which lives are told; only of a device whose cells err.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// Lives by every rule.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_rule: BTreeMap<&'static str, RuleLife>,
    /// A row for each pool and cell mode that has blocks.
    pub pools: Vec<WearRow>,
    /// Wear by cell mode, whatever the pool.
    #[schemars(transform = shape::wear_by_mode)]
    pub by_mode: BTreeMap<&'static str, ModeWear>,
    /// What the blocks that wear out first have used of their life; null where no life is told.
    pub damage: Option<Damage>,
    /// Bytes that the host can write until the mean block has used its life; null where less than a block was
    /// programmed or an endurance is not known.
    pub lifetime_host_bytes: Option<f64>,
    /// The same until the most worn block has.
    pub lifetime_most_worn_host_bytes: Option<f64>,
    /// Times a day that the whole device can be written for five years, by its mean block.
    pub drive_writes_per_day: Option<f64>,
    /// What only who knows the trace can tell.
    #[serde(flatten)]
    #[schemars(with = "LifeReport")]
    pub life: Option<LifeReport>,
}

/// How long the device lives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LifeReport {
    /// How long that is at trace.write_bytes_per_day.
    pub years: Option<f64>,
    /// Why no life is told, or why it is a guess.
    pub note: Option<String>,
}

/// What the mapping cache did, of a device that has one. Pages are translation pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapReport {
    /// Translation pages of the whole map.
    pub pages: u64,
    /// Translation pages that the cache has room for.
    pub capacity: u64,
    /// Translation pages in the cache at the end.
    pub cached: u64,
    /// Look-ups: a request, or a write-back, looks once for each translation page that it touches.
    pub look_ups: u64,
    /// Those for what the scheme moves; only where there were such.
    #[serde(skip_serializing_if = "is_none")]
    pub look_ups_for_moves: u64,
    /// Look-ups that found their page in the cache.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Misses that read flash; a page that was never written, or that the controller still has, needs none.
    pub reads: u64,
    /// Pages that left the cache as they were last written.
    pub evicted_clean: u64,
    /// Pages that left it changed, and are programmed.
    pub evicted_dirty: u64,
    /// Translation pages moved by the cleaning of their blocks.
    pub moved: u64,
    /// Blocks that hold translation pages, beside those of the scheme.
    pub blocks: u64,
    /// Erases of those blocks, before a state was saved included.
    pub erases: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A mapping table as the scheme would have to keep it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TableReport {
    /// What the table is.
    pub name: String,
    /// Its entries, at most.
    pub entries: u64,
    /// Its bytes in a real controller, at most.
    pub bytes: u64,
}

/// One side of a histogram.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AxisReport {
    /// What is told apart along this axis.
    pub name: String,
    /// The bins of the axis, in order.
    pub bins: Vec<String>,
}

/// How often each combination of bins occurred.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HistogramReport {
    /// What is counted.
    pub name: String,
    /// What the counts are divided by; those of the last axis lie side by side.
    pub axes: Vec<AxisReport>,
    /// How often each combination of bins occurred.
    pub counts: Vec<u64>,
}

/// A quantity over another one: as a model predicts it, and as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CurveReport {
    /// What the curve shows.
    pub name: String,
    /// What is varied.
    pub x: String,
    /// What depends on it, with its unit.
    pub y: String,
    /// (x, y) by rising x, as computed; only where y is finite.
    #[schemars(with = "Vec<(Signed, Signed)>")]
    pub computed: Vec<(f64, f64)>,
    /// (x, y) in the order of measuring.
    #[schemars(with = "Vec<(Signed, Signed)>")]
    pub measured: Vec<(f64, f64)>,
}

/// The size of a scheme's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheReport {
    /// What it takes in SLC mode, at most where its size changes: on an empty device; 0 without one.
    pub slc_bytes: u64,
}

/// The least that the run could have programmed dense, if it was measured, and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum BoundReport {
    /// There is no bound.
    None {
        /// Why.
        why: &'static str,
    },
    /// Of slots programmed by which versions come to dense cells.
    Dense(BoundFigures),
    /// Of units written to the disk.
    Disk(BoundFigures),
}

/// What is bounded, and beside it either why it is not or the figures.
impl JsonSchema for BoundReport {
    fn schema_name() -> Cow<'static, str> {
        "BoundReport".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = BoundFigures::json_schema(generator);
        schema.insert("required".into(), json!(["kind"]));
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let properties = properties.expect("Invariant: figures have keys");
        let kind =
            "What is bounded: slots programmed by which data come to dense cells, or units written to the \
                    disk. Where it is none, why says it, and nothing else is there.";
        properties.insert("kind".into(), json!({ "description": kind, "enum": ["dense", "disk", "none"] }));
        properties.insert("why".into(), json!({ "description": "Why there is no bound.", "type": "string" }));
        schema
    }
}

/// A bound, in mapping units. A version is a unit touched by a write, until the next write of it or a trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoundFigures {
    /// Most units that the cache and the controller's memory can hold at once.
    pub capacity_slots: u64,
    /// The controller's memory of that.
    pub buffer_slots: u64,
    /// Versions written: a unit touched by a write, until its next write or trim.
    pub versions: u64,
    /// Most versions that so large a cache can hold from birth to death.
    pub kept: u64,
    /// The same of those that died before the end.
    pub kept_died: u64,
    /// Whether nothing was left in the cache at the end: then least is versions less kept_died, else less kept.
    pub drained: bool,
    /// The least that any scheme with such a cache programs dense, or writes to the disk.
    pub least: u64,
    /// What this one did.
    pub counted: u64,
}

/// A scheme's own figures.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SchemeReport {
    /// What the scheme is called in tables.
    pub name: String,
    /// The scheme's own figures.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub figures: BTreeMap<String, f64>,
    /// What the scheme's tables would take in a real controller.
    pub tables: Vec<TableReport>,
    /// Values over the windows of the run; one key names the windows' unit.
    pub series: Vec<WindowSeriesReport>,
    /// What occurred how often, of schemes that count it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histograms: Vec<HistogramReport>,
    /// What a model predicts beside what was measured, of schemes that have a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurveReport>,
}

/// What was adjusted on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Adjusted {
    /// Writes rounded outwards to whole mapping units.
    pub sub_mu_rounded: u64,
}

/// What figures of a run need to know of its device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceScale {
    /// Mapping unit, bytes.
    pub mu_bytes: u64,
    /// Array operations that the flash can do at a time.
    pub array_units: u64,
}

/// What is told of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// What the host asked for and how long it took.
    pub host: HostReport,
    /// What the flash did.
    pub flash: FlashReport,
    /// What the disk behind the flash did; only of devices with a disk. Times and energy run from 0 to
    /// until_ns, the completion of the last request; operations are counted to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskReport>,
    /// What the mapping cache did, of devices that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<MapReport>,
    /// Bytes programmed per byte the host wrote, in all and by cause.
    pub waf: WafReport,
    /// What erasing has done to the blocks.
    pub wear: WearReport,
    /// What reads took, of a device whose cells err.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsReport>,
    /// The size of the scheme's cache.
    pub cache: CacheReport,
    /// The state before the run, and what became of the cache in it.
    pub state: StateReport,
    /// The least that any scheme with a cache of this size programs dense, or writes to the disk, and what this
    /// one did, in mapping units; only where run.bound asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundReport>,
    /// What the scheme tells of itself.
    pub scheme: SchemeReport,
    /// Equally long lists, one entry per window; program_pages_CAUSE is there for each cause that occurred.
    pub series: SeriesReport,
    /// What was adjusted on request.
    #[serde(skip)]
    pub adjusted: Adjusted,
    /// The device's scale, which the configuration tells.
    #[serde(skip)]
    pub device: DeviceScale,
}
