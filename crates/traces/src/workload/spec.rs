//! The keys of a workload file. Streams are named as in fio where fio has them, figures of a twin as in `trace info`.

use super::quantity::{FigureBytes, SizeBytes, SizeText, TimeNs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A workload file. It describes either patterns (`global`, `stream`,
/// `arrivals`) or, with `twin`, a stand-in for a published trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkloadSpec {
    /// Name of the workload.
    pub name: Option<String>,
    /// What it is, in one line.
    pub about: Option<String>,
    /// Where its figures come from.
    pub source: Option<String>,
    /// Requests to make, flushes and trims included; left out, a pattern has no
    /// end and a twin has as many as its figures say. A twin with fewer is
    /// scaled: shares, sizes and rates stay, footprint and duration shrink along.
    pub requests: Option<u64>,
    /// Patterns end with the last request that arrives by this time.
    pub duration_ns: Option<TimeNs>,
    /// Bytes of address space that patterns use; required for them.
    pub footprint_bytes: Option<SizeBytes>,
    /// First byte of that address space; default 0. A multiple of 512 (twins: of 4096).
    pub offset_bytes: Option<SizeBytes>,
    /// When requests arrive; default: all at time 0 (`closed`).
    pub arrivals: Option<ArrivalsSpec>,
    /// Settings of every stream that does not say otherwise.
    pub global: Option<StreamSpec>,
    /// Streams mixed at random by weight; left out, `global` is the only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stream: Vec<StreamSpec>,
    /// Figures of a published trace to meet.
    pub twin: Option<TwinSpec>,
}

/// When requests arrive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ArrivalsSpec {
    /// The process; default `closed`.
    pub process: ArrivalProcess,
    /// Mean time between requests; with `bursts`, inside a burst (default 0).
    pub mean_gap_ns: Option<TimeNs>,
    /// Requests per second, in place of `mean_gap_ns`.
    pub rate_iops: Option<f64>,
    /// Mean requests in a burst, 1 or more; required for `bursts`.
    pub burst_requests: Option<f64>,
    /// How burst lengths vary; default `geometric`.
    pub burst_length: Option<BurstLength>,
    /// Mean idle time between bursts; required for `bursts`.
    pub idle_ns: Option<TimeNs>,
    /// How idle times vary: `fixed`, `exponential`, `lognormal:SIGMA` or
    /// `pareto:ALPHA` (ALPHA above 1); default `exponential`.
    pub idle_distribution: Option<String>,
    /// Relative rates of the 24 hours of the day; time 0 is midnight. The mean
    /// rate stays what the process says.
    pub hourly: Option<Vec<f64>>,
    /// Daily rhythm as a sine of this amplitude around the mean rate, 0 to 1,
    /// in steps of a minute.
    pub daily_amplitude: Option<f64>,
    /// Hour at which the sine is highest; default 14.
    pub peak_hour: Option<f64>,
}

/// The process by which requests arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalProcess {
    /// All at time 0: the queue depth of the replay paces them.
    #[default]
    Closed,
    /// Times between requests are all the same.
    Constant,
    /// Times between requests are exponential.
    Poisson,
    /// Bursts of requests with idle times between.
    Bursts,
}

/// How burst lengths vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BurstLength {
    /// Geometric with the given mean.
    #[default]
    Geometric,
    /// Always the mean, which is then a whole number.
    Fixed,
}

macro_rules! stream_spec {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        /// One stream of requests. Everything left out is taken from `global`.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct StreamSpec {
            $($(#[$doc])* pub $field: Option<$type>,)*
        }

        impl StreamSpec {
            /// This stream, with what it leaves out taken from `global`.
            pub(in crate::workload) fn over(&self, global: &Self) -> Self {
                Self { $($field: self.$field.clone().or_else(|| global.$field.clone()),)* }
            }
        }
    };
}

stream_spec! {
    /// A name for messages.
    name: String,
    /// Number of the stream (volume, namespace or queue) in the requests; default 0.
    stream: u16,
    /// Its part of the requests, relative to the other streams; default 1.
    weight: f64,
    /// `read`, `write`, `trim`, `rw` (sequential) or `randread`, `randwrite`,
    /// `randtrim`, `randrw` (random); required.
    rw: String,
    /// Reads among the reads and writes of `rw` and `randrw`, in percent; default 50.
    rwmixread: f64,
    /// Trims among the requests of a stream that reads or writes, from 0 to 1; default 0.
    trim_share: f64,
    /// Size of every request: `"4k"`, or one each for reads, writes and trims:
    /// `"4k,16k,1M"`; default 4k.
    bs: SizeText,
    /// Sizes with weights: `"4k/60:16k/40"`, or such a list each for reads,
    /// writes and trims with commas between.
    bssplit: String,
    /// Sizes drawn evenly from a range in steps of `blockalign`: `"4k-64k"`, or
    /// one range each for reads, writes and trims with commas between.
    bsrange: String,
    /// Sizes in steps of `blockalign` with a given mean: `"geometric:MEAN:MAX"`
    /// or `"lognormal:MEAN:SIGMA:MAX"`, or one each with commas between.
    bs_distribution: String,
    /// Requests start at multiples of this; default the smallest size of all.
    blockalign: SizeBytes,
    /// Requests moved off `blockalign` to another multiple of 512, from 0 to 1; default 0.
    unaligned_share: f64,
    /// Where random requests go: `random` (uniform), `zipf:SKEW`, `pareto:H`,
    /// `zoned:ACCESSES/SIZE:...` in percent, or `hotcold:ACCESSES/SIZE` (a hot
    /// part and the rest); default `random`.
    random_distribution: String,
    /// Whether places of similar popularity are scattered over the address
    /// space; default `true` for `zipf` and `pareto`, otherwise `false`.
    scramble: bool,
    /// Random requests among all of a random stream, in percent; the others
    /// continue where the last one of their kind ended; default 100.
    percentage_random: f64,
    /// First byte of the stream's part of the footprint; default 0.
    offset: SizeBytes,
    /// Bytes of the stream's part of the footprint; default all behind `offset`.
    size: SizeBytes,
    /// A flush after every so many writes; default none.
    fsync: u64,
    /// Flushes among the requests, from 0 to 1; default 0.
    flush_share: f64,
}

/// Figures of a published trace. Those listed under `free` are chosen, all
/// others are given by the source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TwinSpec {
    /// The trace it stands in for; required.
    pub of: Option<String>,
    /// The paper and table the figures are from; required.
    pub from: Option<String>,
    /// Reads and writes.
    pub requests: Option<u64>,
    /// Writes among the requests, from 0 to 1.
    pub write_share: Option<f64>,
    /// Bytes written among the bytes requested, from 0 to 1.
    pub write_bytes_share: Option<f64>,
    /// Bytes read.
    pub read_bytes: Option<FigureBytes>,
    /// Bytes written.
    pub write_bytes: Option<FigureBytes>,
    /// Mean size of a read.
    pub mean_read_bytes: Option<FigureBytes>,
    /// Mean size of a write.
    pub mean_write_bytes: Option<FigureBytes>,
    /// Largest read; default 128 KiB.
    pub max_read_bytes: Option<SizeBytes>,
    /// Largest write; default 128 KiB.
    pub max_write_bytes: Option<SizeBytes>,
    /// Writes of at most 4 KiB among the writes, from 0 to 1.
    pub small_write_share: Option<f64>,
    /// Sizes of reads in ascending ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_sizes: Vec<SizeShare>,
    /// Sizes of writes in ascending ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_sizes: Vec<SizeShare>,
    /// Whether the shares of `read_sizes` and `write_sizes` count requests or
    /// bytes; required with them.
    pub size_shares_by: Option<SizeSharesBy>,
    /// Bytes in the different 4 KiB pages written.
    pub footprint_written_bytes: Option<SizeBytes>,
    /// Bytes in the different 4 KiB pages read or written; default what is written.
    pub footprint_touched_bytes: Option<SizeBytes>,
    /// Page writes to a 4 KiB page written before among all page writes, from 0 to 1.
    pub update_ratio: Option<f64>,
    /// Of the writes whose 4 KiB pages were all written before, those that repeat
    /// start and length of an earlier write, from 0 to 1. With it, data are written
    /// in extents that are read and written again as wholes; without, updates go to
    /// any pages.
    pub repeated_extent_share: Option<f64>,
    /// Different writes that the data of a written 16 KiB page are from in the end, on
    /// average; with `repeated_extent_share`. Default: extents lie side by side.
    pub writers_per_16kib_page: Option<f64>,
    /// Writes to 4 KiB pages written before; with `repeated_extent_share`. Default: the
    /// same share of each size.
    pub update_writes: Option<u64>,
    /// Requests whose start or length is not a multiple of 4 KiB, from 0 to 1; default 0.
    pub not_4kib_aligned_share: Option<f64>,
    /// Requests that start where the one before ended, from 0 to 1; default 0.
    pub sequential_share: Option<f64>,
    /// Zipf skew of the pages that updates go to, from 0 to 5; default 0.
    pub update_skew: Option<f64>,
    /// Zipf skew of the pages that updates by writes over 128 KiB go to, from 0 to 5; default `update_skew`.
    pub large_update_skew: Option<f64>,
    /// Zipf skew of the pages that reads go to, from 0 to 5; default 0.
    pub read_skew: Option<f64>,
    /// From the first request to the last; without any time figure all
    /// requests arrive at time 0.
    pub duration_ns: Option<TimeNs>,
    /// Requests in a burst on average: one idle gap per so many requests.
    pub burst_requests: Option<f64>,
    /// Part of the duration that lies in idle gaps, from 0 to 1; with `burst_requests`.
    pub idle_share: Option<f64>,
    /// Idle gaps are longer than this; with `burst_requests`.
    pub idle_over_ns: Option<TimeNs>,
    /// Times between requests in ascending classes; in place of the three above.
    /// With a duration the last class takes what is left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gap_classes: Vec<GapShare>,
    /// Gaps of at most 1 ms among the gaps that follow such a gap, from 0 to 1;
    /// without it gaps come in random order.
    pub short_gap_runs: Option<f64>,
    /// Of the gaps over 1 ms, those of at most 100 ms among those that follow
    /// one of at most 100 ms, from 0 to 1; with `short_gap_runs`, without it
    /// they come in random order.
    pub short_pause_runs: Option<f64>,
    /// Gaps of at most 10 us among the gaps that follow such a gap, from 0 to 1;
    /// with `short_gap_runs`, without it such gaps lie anywhere in the bursts.
    pub tight_gap_runs: Option<f64>,
    /// Half of the requests are in bursts of at most so many; with
    /// `short_gap_runs`, without it what geometric lengths give.
    pub median_burst_requests: Option<f64>,
    /// Writes among the requests that follow a write, from 0 to 1; without it
    /// reads and writes come in random order.
    pub write_after_write_share: Option<f64>,
    /// Measured volumes from which `gap_classes`, `short_gap_runs`,
    /// `tight_gap_runs`, `short_pause_runs`, `median_burst_requests` and `write_after_write_share` are taken where
    /// they are not stated; with a duration, which says how long the longest gaps are.
    pub class: Option<MeasuredClass>,
    /// Which of the figures above no source gives, why their values were
    /// chosen and over which values to sweep them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub free: BTreeMap<String, FreeFigure>,
}

/// Requests of one range of sizes, up to `to_bytes`, above the range before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeShare {
    /// Largest size of the range; in the last it may be left out for
    /// `max_read_bytes` or `max_write_bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_bytes: Option<SizeBytes>,
    /// Its share, relative to the sum of all.
    pub share: f64,
}

/// Gaps of one class, up to `to_ns`, longer than the class before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapShare {
    /// Longest gap of the class; left out in the last for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ns: Option<TimeNs>,
    /// Its share of the gaps, relative to the sum of all.
    pub share: f64,
    /// Mean of its gaps; in the last class it may be left out where
    /// `duration_ns` says what is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<TimeNs>,
}

/// What shares of sizes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SizeSharesBy {
    /// Requests.
    Count,
    /// Bytes.
    Volume,
}

/// Kinds of volumes that were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MeasuredClass {
    /// Most requests in long bursts with gaps of microseconds: MSR hm_0 and rsrch_1.
    Dense,
    /// Requests singly or a few together: MSR mds_0 and the median of 106
    /// CloudPhysics machines.
    Sparse,
}

/// Why a figure that no source gives has its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FreeFigure {
    /// Why this value.
    pub reason: String,
    /// Values worth sweeping over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<SweepValue>,
}

/// A value of a sweep, as it would stand in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SweepValue {
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A size or time with a unit.
    Text(String),
}
