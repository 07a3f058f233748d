//! What can be observed of an episode: statistics of the window just over, signals, knobs.

use super::window::{ratio, Window};
use serde_json::{json, Value};
use slcache_core::base::Cause;
use slcache_core::device::Simulation;
use slcache_core::ftl::knob::{KnobRange, KnobSpec, SignalSpec};

/// A statistic of a window.
pub struct Feature {
    pub name: &'static str,
    pub unit: &'static str,
    /// Upper bound, if there is one; the lower one is 0.
    pub max: Option<f64>,
    /// One line that says what it is.
    pub summary: &'static str,
    pub value: fn(&Window) -> f64,
}

macro_rules! features {
    ($($name:literal, $unit:literal, $max:expr, $summary:literal, $value:expr;)*) => {
        /// Every statistic that a window has on any device.
        pub const FEATURES: &[Feature] = &[
            $(Feature { name: $name, unit: $unit, max: $max, summary: $summary, value: $value },)*
        ];
    };
}

features! {
    "duration_ns", "ns", None, "how long the window lasted", |w| w.counters.duration_ns as f64;
    "read_requests", "requests", None, "reads that arrived", |w| w.counters.reads.requests as f64;
    "read_bytes", "bytes", None, "bytes of those reads", |w| w.counters.reads.bytes as f64;
    "write_requests", "requests", None, "writes that arrived", |w| w.counters.writes.requests as f64;
    "write_bytes", "bytes", None, "bytes of those writes", |w| w.counters.writes.bytes as f64;
    "trim_bytes", "bytes", None, "bytes trimmed", |w| w.counters.trims.bytes as f64;
    "write_request_bytes", "bytes", None, "mean size of the writes that arrived",
        |w| ratio(w.counters.writes.bytes as f64, w.counters.writes.requests as f64);
    "reads_completed", "requests", None, "reads completed", |w| w.reads.requests as f64;
    "read_mean_ns", "ns", None, "mean latency of the reads completed", |w| w.reads.mean_ns;
    "read_p50_ns", "ns", None, "median latency of the reads completed", |w| w.reads.p50_ns;
    "read_p99_ns", "ns", None, "99th percentile of their latencies", |w| w.reads.p99_ns;
    "read_max_ns", "ns", None, "longest of their latencies", |w| w.reads.max_ns;
    "writes_completed", "requests", None, "writes completed", |w| w.writes.requests as f64;
    "write_mean_ns", "ns", None, "mean latency of the writes completed", |w| w.writes.mean_ns;
    "write_p50_ns", "ns", None, "median latency of the writes completed", |w| w.writes.p50_ns;
    "write_p99_ns", "ns", None, "99th percentile of their latencies", |w| w.writes.p99_ns;
    "write_max_ns", "ns", None, "longest of their latencies", |w| w.writes.max_ns;
    "bytes_per_s", "bytes/s", None, "bytes read and written by the host per second of simulated time",
        Window::bytes_per_s;
    "waf", "ratio", None, "bytes programmed per byte that the host wrote; 0 without writes", Window::waf;
    "host_programmed_bytes", "bytes", None, "bytes programmed for the host, read-modify-write included",
        |w| w.bytes_programmed(is_host) as f64;
    "moved_bytes", "bytes", None, "bytes programmed to move data: migration, cleaning, padding",
        |w| w.bytes_programmed(|cause| !is_host(cause)) as f64;
    "host_flash_ns", "ns", None, "service time of the host's flash operations", |w| w.flash_ns(is_host) as f64;
    "migration_flash_ns", "ns", None, "service time of migration out of the cache",
        |w| w.flash_ns(|cause| cause == Cause::Migration) as f64;
    "gc_flash_ns", "ns", None, "service time of cleaning, ahead of need or not",
        |w| w.flash_ns(|cause| matches!(cause, Cause::Gc | Cause::Agc)) as f64;
    "slc_write_flash_ns", "ns", None, "service time of the host's writes to SLC blocks, reads of what they cover in part included",
        |w| w.write_flash_ns(true) as f64;
    "dense_write_flash_ns", "ns", None, "the same of its writes to blocks of other modes",
        |w| w.write_flash_ns(false) as f64;
    "erases", "blocks", None, "blocks erased", |w| w.erases() as f64;
    "backlog", "requests", None, "requests that had arrived and were not complete at the end",
        |w| w.backlog as f64;
    "mapped_bytes", "bytes", None, "bytes of the device that hold data at the end", |w| w.mapped_bytes as f64;
    "utilisation", "share", Some(1.0), "data that the device holds at the end, of its capacity",
        |w| w.utilisation;
    "is_complete", "flag", Some(1.0), "1 where the window has its full length; a trace's last may end early",
        |w| f64::from(u8::from(w.is_complete));
}

fn is_host(cause: Cause) -> bool {
    matches!(cause, Cause::Host | Cause::Rmw | Cause::Flush)
}

/// The statistic that only devices have whose endurance is known.
pub const LIFE_USED: Feature = Feature {
    name: "life_used",
    unit: "share",
    max: Some(1.0),
    summary: "share of the flash's life that the window's erases took, of the pool that ages fastest",
    value: |w| w.life_used.unwrap_or_default(),
};

#[derive(Clone, Copy)]
enum FeatureSource {
    Feature(&'static Feature),
    Signal(usize, &'static SignalSpec),
    Knob(usize, &'static KnobSpec),
}

/// The statistics that windows have on this device.
fn features_of(simulation: &Simulation) -> impl Iterator<Item = &'static Feature> {
    let pools = &simulation.media().array().geometry.pools;
    let mut modes = pools.iter().flat_map(|pool| pool.modes.iter().flatten());
    let knows_life = modes.all(|mode| mode.endurance_cycles.is_some());
    FEATURES.iter().chain(knows_life.then_some(&LIFE_USED))
}

/// What an episode observes, in order.
#[derive(Clone)]
pub struct Observed(Vec<FeatureSource>);

impl Observed {
    /// Everything there is on `simulation`.
    pub fn all(simulation: &Simulation, signals: &'static [SignalSpec]) -> Self {
        let features = features_of(simulation).map(FeatureSource::Feature);
        let signals = signals.iter().enumerate().map(|(i, spec)| FeatureSource::Signal(i, spec));
        let knobs =
            simulation.knobs().into_iter().enumerate().map(|(i, knob)| FeatureSource::Knob(i, knob.spec));
        Self(features.chain(signals).chain(knobs).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Puts the numbers into `out`, which has room for all; without a window its statistics are 0.
    pub fn put(&self, simulation: &Simulation, window: Option<&Window>, out: &mut [f64]) {
        let (knobs, signals) = (simulation.knobs(), simulation.signals());
        for (source, out) in self.0.iter().zip(out) {
            *out = match *source {
                FeatureSource::Feature(feature) => window.map_or(0.0, feature.value),
                FeatureSource::Signal(number, _) => signals[number],
                FeatureSource::Knob(number, _) => knobs[number].value,
            };
        }
    }

    /// What is observed: name, unit, bounds and a line each.
    pub fn to_json(&self, simulation: &Simulation) -> Value {
        let knobs = simulation.knobs();
        let describe = |source: &FeatureSource| {
            let (unit, min, max, summary) = match *source {
                FeatureSource::Feature(feature) => (feature.unit, 0.0, feature.max, feature.summary),
                FeatureSource::Signal(_, spec) => (spec.unit, spec.min, Some(spec.max), spec.summary),
                FeatureSource::Knob(number, spec) => {
                    let (min, max) = bounds(&knobs[number].range);
                    (spec.unit, min, Some(max), spec.summary)
                }
            };
            json!({ "name": source.name(), "unit": unit, "min": min, "max": max, "summary": summary })
        };
        self.0.iter().map(describe).collect()
    }
}

impl FeatureSource {
    fn name(&self) -> String {
        match self {
            Self::Feature(feature) => feature.name.to_owned(),
            Self::Signal(_, spec) => format!("signal.{}", spec.name),
            Self::Knob(_, spec) => format!("knob.{}", spec.name),
        }
    }
}

/// The least and the most that a knob takes now.
pub fn bounds(range: &KnobRange) -> (f64, f64) {
    match range {
        KnobRange::Steps { min, max, .. } => (*min, *max),
        KnobRange::Ladder(values) => {
            (values.first().copied().unwrap_or_default(), values.last().copied().unwrap_or_default())
        }
    }
}
