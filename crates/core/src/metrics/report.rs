//! The shape of a run's figures, as `docs/results.md` describes it.

use super::latency::{LatencySummary, RequestsBeyond};
use super::series::SeriesReport;
use super::state::StateReport;
use super::window_series::WindowSeriesReport;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Where the time of all requests of one kind went, us; `total` is the sum of the rest.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Attribution {
    /// Sum of all latencies.
    pub total: f64,
    /// Being served, by what.
    pub service: BTreeMap<String, f64>,
    /// Waiting, by what occupied the resource.
    pub wait: BTreeMap<String, f64>,
}

/// Reads or writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostOpReport {
    /// Requests completed.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Latency summary, us.
    #[serde(serialize_with = "LatencySummary::or_nulls")]
    #[schemars(with = "LatencySummary<Option<f64>>")]
    pub latency_us: Option<LatencySummary>,
    /// Requests beyond each percentile.
    pub requests_beyond: RequestsBeyond,
    /// Where the time went.
    pub attribution_us: Attribution,
    /// Cumulative distribution: (us, share).
    pub cdf: Vec<(f64, f64)>,
}

/// Trims.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct TrimReport {
    /// Requests.
    pub requests: u64,
    /// Bytes declared unused.
    pub bytes: u64,
}

/// Flushes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct FlushReport {
    /// Requests.
    pub requests: u64,
    /// Latency summary, us.
    #[serde(serialize_with = "LatencySummary::or_nulls")]
    #[schemars(with = "LatencySummary<Option<f64>>")]
    pub latency_us: Option<LatencySummary>,
    /// Requests beyond each percentile.
    pub requests_beyond: RequestsBeyond,
}

/// How far the device fell behind what arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BacklogReport {
    /// Most requests that had arrived and were not complete.
    pub requests_max: u64,
    /// From the last arrival to the last completion, ns.
    pub lag_ns: u64,
}

/// What the host saw.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostReport {
    /// From time 0 to the last completion, ns.
    pub duration_ns: u64,
    /// Reads and writes completed.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Reads and writes per second of simulated time.
    pub iops: f64,
    /// Reads.
    pub read: HostOpReport,
    /// Writes.
    pub write: HostOpReport,
    /// Trims.
    pub trim: TrimReport,
    /// Flushes.
    pub flush: FlushReport,
    /// Reads of logical pages that hold no data (served without flash).
    pub unmapped_reads: u64,
    /// How far the device fell behind; none in closed replay, where it cannot.
    pub backlog: Option<BacklogReport>,
}

/// One line of the flash operation table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OpRow {
    /// Pool.
    pub pool: String,
    /// Kind.
    pub kind: &'static str,
    /// Cell mode.
    pub mode: &'static str,
    /// Cause.
    pub cause: &'static str,
    /// Operations.
    pub count: u64,
    /// Pages.
    pub pages: u64,
    /// Bytes.
    pub bytes: u64,
    /// Service time, us.
    pub time_us: f64,
}

/// Mapping units programmed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SlotRow {
    /// Pool.
    pub pool: String,
    /// Cell mode.
    pub mode: &'static str,
    /// Cause.
    pub cause: &'static str,
    /// Mapping units.
    pub count: u64,
}

/// What the flash did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlashReport {
    /// Operations by pool, kind, mode and cause.
    pub ops: Vec<OpRow>,
    /// Mapping units programmed by pool, mode and cause.
    pub slots: Vec<SlotRow>,
    /// When the last operation of flash or disk ended, ns: operations are counted up to it.
    pub ops_until_ns: u64,
}

/// Disk operations of one kind and cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DiskOpRow {
    /// Kind: read or write.
    pub kind: &'static str,
    /// Cause.
    pub cause: &'static str,
    /// Operations.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
    /// Moving the heads, us.
    pub seek_us: f64,
    /// Waiting for the first sector, us.
    pub rotation_us: f64,
    /// Reading or writing, us.
    pub transfer_us: f64,
    /// Service time in all, the disk's overhead with it, us.
    pub time_us: f64,
}

/// A power state of the disk.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PowerStateRow {
    /// State.
    pub state: &'static str,
    /// Time in it, s.
    pub time_s: f64,
    /// Energy taken in it, J.
    pub energy_j: f64,
}

/// The disk's power states over time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PowerSeriesReport {
    /// Window length, ns.
    pub window_ns: u64,
    /// The share of each window that was spent in each state.
    pub states: BTreeMap<&'static str, Vec<f64>>,
}

/// What the disk behind the flash did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DiskReport {
    /// Operations by kind and cause, to the end of the run.
    pub ops: Vec<DiskOpRow>,
    /// Energy taken until `until_ns`, J.
    pub energy_j: f64,
    /// That over the time, W; 0 where no time passed.
    pub mean_power_w: f64,
    /// Until when times and energy are taken: the completion of the last request, ns.
    pub until_ns: u64,
    /// Time and energy by power state.
    pub states: Vec<PowerStateRow>,
    /// How often the disk began to spin up.
    pub spin_ups: u64,
    /// How often the disk began to spin down.
    pub spin_downs: u64,
    /// The power states over time.
    pub series: PowerSeriesReport,
}

/// Write amplification: bytes programmed over bytes the host wrote.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WafReport {
    /// All causes.
    pub total: f64,
    /// Each cause's part; they add up to the total.
    pub by_cause: BTreeMap<String, f64>,
    /// Each cell mode's part; they add up to the total.
    pub by_mode: BTreeMap<&'static str, f64>,
}

/// Wear of one pool in one mode, over the blocks ever used in it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WearRow {
    /// Pool.
    pub pool: String,
    /// Cell mode.
    pub mode: &'static str,
    /// Blocks that belong to this mode.
    pub blocks: u64,
    /// Erases during the run.
    pub erases: u64,
    /// Their cycles: pages programmed by those of a block, and what was erased before it was programmed.
    pub cycles: f64,
    /// Mean erases per block.
    pub mean: f64,
    /// Fewest.
    pub min: u32,
    /// Most.
    pub max: u32,
    /// Standard deviation over blocks.
    pub stddev: f64,
    /// Rated endurance, cycles.
    pub endurance_cycles: Option<u32>,
    /// (erase count, blocks).
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
    /// Their pool.
    pub pool: String,
    /// The cell modes that wore them.
    pub modes: Vec<&'static str>,
    /// How many they are.
    pub blocks: u64,
    /// Cycles of the mean block in all modes; a program counts when it is made, not when it is erased.
    pub cycles: f64,
    /// Share of its life that the mean block has used: the sum over modes of cycles by endurance.
    pub mean: f64,
    /// The same of the most worn block.
    pub max: f64,
}

/// Wear of the device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WearReport {
    /// Per pool and mode.
    pub pools: Vec<WearRow>,
    /// Per mode.
    pub by_mode: BTreeMap<&'static str, ModeWear>,
    /// Of the blocks that wear out first; none where less than a block was programmed or an endurance is
    /// not known.
    pub damage: Option<Damage>,
    /// Host bytes until their mean block has used its life, at this run's rate.
    pub lifetime_host_bytes: Option<f64>,
    /// Host bytes until their most worn block has used its life.
    pub lifetime_most_worn_host_bytes: Option<f64>,
    /// Times a day that the device can be written whole for five years, by its mean block.
    pub drive_writes_per_day: Option<f64>,
}

/// What the mapping cache did, of a device that has one. Pages are translation pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapReport {
    /// Pages of the whole map.
    pub pages: u64,
    /// Pages that the cache has room for.
    pub capacity: u64,
    /// Pages in the cache at the end.
    pub cached: u64,
    /// Look-ups: a request, or a write-back, looks once for each page that it touches.
    pub look_ups: u64,
    /// Those for what the scheme moves, where they are charged.
    #[serde(skip_serializing_if = "is_none")]
    pub look_ups_for_moves: u64,
    /// Those that found their page in the cache.
    pub hits: u64,
    /// Those that did not.
    pub misses: u64,
    /// Misses that read flash.
    pub reads: u64,
    /// Pages that left the cache unchanged.
    pub evicted_clean: u64,
    /// Pages that left it changed, to be programmed.
    pub evicted_dirty: u64,
    /// Pages moved by the cleaning of their blocks.
    pub moved: u64,
    /// Blocks that hold them, beside those of the scheme.
    pub blocks: u64,
    /// Erases of those in the device's life.
    pub erases: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A mapping table as the scheme would have to keep it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TableReport {
    /// Name.
    pub name: String,
    /// Entries at the peak.
    pub entries: u64,
    /// Bytes at the peak.
    pub bytes: u64,
}

/// One side of a histogram.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AxisReport {
    /// What is divided into bins.
    pub name: String,
    /// The bins, in order.
    pub bins: Vec<String>,
}

/// How often each combination of bins occurred.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HistogramReport {
    /// Name.
    pub name: String,
    /// What the counts are divided by.
    pub axes: Vec<AxisReport>,
    /// The counts; those of the last axis lie side by side.
    pub counts: Vec<u64>,
}

/// A quantity over another one: as a model predicts it, and as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CurveReport {
    /// Name.
    pub name: String,
    /// What is varied.
    pub x: String,
    /// What depends on it, with its unit.
    pub y: String,
    /// (x, y) by rising x, as computed; only where y is finite.
    pub computed: Vec<(f64, f64)>,
    /// (x, y) in the order of measuring.
    pub measured: Vec<(f64, f64)>,
}

/// The size of a scheme's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CacheReport {
    /// What it takes in SLC mode, at most where its size changes: on an empty device; 0 without a cache or
    /// SLC pages in it.
    pub slc_bytes: u64,
}

/// The least that the run could have programmed dense, if it was measured, and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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

/// A bound, in mapping units. A version is a unit touched by a write, until the next write of it or a trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoundFigures {
    /// Most that the cache and the controller's memory can hold at once.
    pub capacity_slots: u64,
    /// The controller's memory of that.
    pub buffer_slots: u64,
    /// Versions written.
    pub versions: u64,
    /// Most of them that so large a cache can hold from birth to death.
    pub kept: u64,
    /// The same of those that died before the end.
    pub kept_died: u64,
    /// Whether nothing was left in the cache at the end: then `least` is versions less `kept_died`, else less
    /// `kept`.
    pub drained: bool,
    /// The least that any scheme with such a cache programs dense, or writes to the disk.
    pub least: u64,
    /// What this one did.
    pub counted: u64,
}

/// A scheme's own figures.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SchemeReport {
    /// Scheme.
    pub name: String,
    /// Named figures.
    pub figures: BTreeMap<String, f64>,
    /// Tables.
    pub tables: Vec<TableReport>,
    /// Values over the windows of the run.
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
    /// What the host saw.
    pub host: HostReport,
    /// What the flash did.
    pub flash: FlashReport,
    /// What the disk did, of a device that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskReport>,
    /// What the mapping cache did, of a device that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<MapReport>,
    /// Write amplification.
    pub waf: WafReport,
    /// Wear.
    pub wear: WearReport,
    /// The size of the scheme's cache.
    pub cache: CacheReport,
    /// The state before the run, and what became of the cache in it.
    pub state: StateReport,
    /// What could have been kept from dense cells, if it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundReport>,
    /// The scheme's own figures.
    pub scheme: SchemeReport,
    /// Time series.
    pub series: SeriesReport,
    /// What was adjusted on request.
    #[serde(skip)]
    pub adjusted: Adjusted,
    /// The device's scale, which the configuration tells.
    #[serde(skip)]
    pub device: DeviceScale,
}
