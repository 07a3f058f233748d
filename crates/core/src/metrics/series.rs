//! Series in bounded memory. Of windows of time neighbours merge when they run out; of one value per window of
//! requests every second goes when there are too many.

use super::latency::Bucket;
use super::shape::Signed;
use super::spectrum::Spectra;
use crate::base::op::{Cause, CAUSES};
use crate::base::request::HostOp;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// Windows kept at most where nobody asks for a length, and where somebody does; powers of two.
const WINDOWS_MAX: usize = 1024;
const ASKED_WINDOWS_MAX: usize = 65_536;
/// First window length where nobody asks for one, ns.
const FIRST_WINDOW_NS: u64 = 1_000_000;
/// Percentiles told of every window, in parts of ten thousand.
const PERCENTILES: [(&str, u64); 3] = [("p50", 5_000), ("p99", 9_900), ("p99_9", 9_990)];

/// Requests of one kind that were completed in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Completed {
    requests: u64,
    bytes: u64,
    latency_ns_sum: u64,
    latency_ns_max: u64,
}

impl Completed {
    #[inline]
    pub fn add(&mut self, bytes: u64, latency_ns: u64) {
        self.absorb(&Completed {
            requests: 1,
            bytes,
            latency_ns_sum: latency_ns,
            latency_ns_max: latency_ns,
        });
    }

    #[inline]
    fn absorb(&mut self, other: &Completed) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.latency_ns_sum += other.latency_ns_sum;
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
    }
}

/// One window's sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesWindow {
    /// Reads completed.
    pub reads: Completed,
    /// Writes completed.
    pub writes: Completed,
    /// Pages programmed, by cause.
    pub program_pages: [u64; CAUSES],
    /// Blocks erased.
    pub erases: u64,
    /// Live bytes in the cache at the window's end.
    pub cache_live_bytes: u64,
}

impl SeriesWindow {
    fn absorb(&mut self, later: &SeriesWindow) {
        self.reads.absorb(&later.reads);
        self.writes.absorb(&later.writes);
        for i in 0..CAUSES {
            self.program_pages[i] += later.program_pages[i];
        }
        self.erases += later.erases;
        self.cache_live_bytes = later.cache_live_bytes;
    }
}

/// A series of windows of equal length from time 0.
#[derive(Clone, Debug)]
pub struct Series {
    window_ns: u64,
    windows_max: u64,
    windows: Vec<SeriesWindow>,
    /// The latencies of reads and of writes in each window.
    spectra: [Spectra; 2],
    /// End of the last window, to keep the hot path to one comparison.
    end_ns: u64,
}

impl Default for Series {
    fn default() -> Self {
        Self::new(FIRST_WINDOW_NS, WINDOWS_MAX)
    }
}

impl Series {
    fn new(window_ns: u64, windows_max: usize) -> Self {
        Self {
            window_ns,
            windows_max: windows_max as u64,
            windows: vec![SeriesWindow::default()],
            spectra: Default::default(),
            end_ns: window_ns,
        }
    }

    /// An empty series in windows of `window_ns`: twice that, four times, ... where more than 65,536
    /// would be needed.
    pub fn in_windows_of(window_ns: NonZeroU64) -> Self {
        Self::new(window_ns.get(), ASKED_WINDOWS_MAX)
    }

    /// Whether `now_ns` lies beyond the current window.
    #[inline(always)]
    pub fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.end_ns
    }

    /// Opens the window that contains `now_ns`; what the closing one ends with is given.
    pub fn advance(&mut self, now_ns: u64, cache_live_bytes: u64) {
        while now_ns >= self.end_ns {
            if let Some(last) = self.windows.last_mut() {
                last.cache_live_bytes = cache_live_bytes;
            }
            while now_ns / self.window_ns >= self.windows_max {
                self.halve();
            }
            if now_ns < self.windows.len() as u64 * self.window_ns {
                self.end_ns = self.windows.len() as u64 * self.window_ns;
                return;
            }
            self.windows.push(SeriesWindow { cache_live_bytes, ..SeriesWindow::default() });
            self.spectra.iter_mut().for_each(Spectra::open);
            self.end_ns = self.windows.len() as u64 * self.window_ns;
        }
    }

    fn halve(&mut self) {
        self.spectra.iter_mut().for_each(Spectra::halve);
        self.windows = self
            .windows
            .chunks(2)
            .map(|pair| {
                let mut first = pair[0];
                if let Some(second) = pair.get(1) {
                    first.absorb(second);
                }
                first
            })
            .collect();
        self.window_ns *= 2;
    }

    #[inline(always)]
    pub fn current(&mut self) -> &mut SeriesWindow {
        let last = self.windows.len() - 1;
        &mut self.windows[last]
    }

    /// Adds a read or write that is complete in the current window, and the bucket of its latency.
    #[inline(always)]
    pub fn complete(&mut self, op: HostOp, bytes: u64, latency_ns: u64, bucket: Bucket) {
        let window = self.current();
        let (completed, kind) =
            if op == HostOp::Read { (&mut window.reads, 0) } else { (&mut window.writes, 1) };
        completed.add(bytes, latency_ns);
        self.spectra[kind].record(bucket);
    }

    /// The series as columns, the last window closed with `cache_live_bytes`.
    pub fn report(&mut self, cache_live_bytes: u64) -> SeriesReport {
        self.current().cache_live_bytes = cache_live_bytes;
        let column = |f: &dyn Fn(&SeriesWindow) -> u64| Column::Counts(self.windows.iter().map(f).collect());
        let mut columns = BTreeMap::new();
        let starts = (0..self.windows.len() as u64).map(|i| i * self.window_ns);
        columns.insert("t_ns".to_string(), Column::Counts(starts.collect()));
        type Of = fn(&SeriesWindow) -> &Completed;
        let kinds: [(&str, Of); 2] = [("read", |w| &w.reads), ("write", |w| &w.writes)];
        for (i, (kind, of)) in kinds.into_iter().enumerate() {
            columns.insert(format!("{kind}_requests"), column(&|w| of(w).requests));
            columns.insert(format!("{kind}_bytes"), column(&|w| of(w).bytes));
            columns.insert(format!("{kind}_latency_ns_sum"), column(&|w| of(w).latency_ns_sum));
            let longest = |done: &Completed| (done.requests > 0).then_some(done.latency_ns_max);
            let longest = self.windows.iter().map(|window| longest(of(window)));
            columns.insert(format!("{kind}_latency_ns_max"), Column::Latencies(longest.collect()));
            let longest = self.windows.iter().map(|window| of(window).latency_ns_max);
            let told = self.spectra[i].percentiles_ns(PERCENTILES.map(|(_, share)| share), longest);
            for (p, (name, _)) in PERCENTILES.into_iter().enumerate() {
                let told = Column::Latencies(told.iter().map(|window| window[p]).collect());
                columns.insert(format!("{kind}_latency_ns_{name}"), told);
            }
        }
        for cause in Cause::ALL {
            let values = column(&|w| w.program_pages[cause as usize]);
            if cause == Cause::Host || values.counts().iter().any(|&v| v > 0) {
                columns.insert(format!("program_pages_{}", cause.name()), values);
            }
        }
        columns.insert("erases".to_string(), column(&|w| w.erases));
        columns.insert("cache_live_bytes".to_string(), column(&|w| w.cache_live_bytes));
        SeriesReport { window_ns: self.window_ns, columns }
    }
}

/// A value for every window.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Column {
    /// Counts, sums and times.
    Counts(Vec<u64>),
    /// Latencies, of windows with requests.
    Latencies(Vec<Option<u64>>),
}

impl Column {
    /// The values of a column that has one for every window.
    pub fn counts(&self) -> &[u64] {
        match self {
            Self::Counts(values) => values,
            Self::Latencies(_) => &[],
        }
    }

    /// The latencies, none where a window had no request; nothing of other columns.
    pub fn latencies(&self) -> &[Option<u64>] {
        match self {
            Self::Counts(_) => &[],
            Self::Latencies(values) => values,
        }
    }

    /// Windows.
    pub fn len(&self) -> usize {
        match self {
            Self::Counts(values) => values.len(),
            Self::Latencies(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The series as reported: equal-length columns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SeriesReport {
    /// Time that one value covers.
    pub window_ns: u64,
    /// A list of values for each figure, all of one length.
    #[schemars(with = "BTreeMap<String, Vec<u64>>", transform = super::shape::columns)]
    pub columns: BTreeMap<String, Column>,
}

/// Values kept at most; a power of two.
const VALUES_MAX: usize = 4096;

/// A value per window.
#[derive(Clone, Debug)]
pub struct WindowSeries {
    values: Vec<f64>,
    /// Windows per value.
    stride: u64,
    windows: u64,
}

impl Default for WindowSeries {
    fn default() -> Self {
        Self { values: Vec::new(), stride: 1, windows: 0 }
    }
}

impl WindowSeries {
    /// The value at the end of the next window.
    pub fn push(&mut self, value: f64) {
        self.windows += 1;
        if self.windows % self.stride != 0 {
            return;
        }
        self.values.push(value);
        if self.values.len() == VALUES_MAX {
            self.stride *= 2;
            let mut place = 0;
            // The value at the end of every longer window stays.
            self.values.retain(|_| {
                place += 1;
                place % 2 == 0
            });
        }
    }

    /// The series as reported, of windows as long as `window`.
    pub fn report(&self, name: &str, window: PerValue) -> WindowSeriesReport {
        WindowSeriesReport {
            name: name.into(),
            per_value: window.times(self.stride),
            values: self.values.clone(),
        }
    }
}

/// What lies between a value and the next; the first value is that much in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PerValue {
    /// So many requests of the host, flushes aside.
    #[serde(rename = "requests_per_value")]
    Requests(u64),
    /// So many write requests.
    #[serde(rename = "writes_per_value")]
    Writes(u64),
    /// So many bytes that the host writes.
    #[serde(rename = "write_bytes_per_value")]
    WriteBytes(u64),
}

impl PerValue {
    fn times(self, factor: u64) -> Self {
        match self {
            Self::Requests(count) => Self::Requests(count * factor),
            Self::Writes(count) => Self::Writes(count * factor),
            Self::WriteBytes(count) => Self::WriteBytes(count * factor),
        }
    }
}

/// The keys that a distance may stand under, one of which is there.
#[derive(Serialize, JsonSchema)]
#[allow(dead_code, reason = "the keys of the schema")]
struct Distance {
    /// Write requests from one value to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    writes_per_value: Option<NonZeroU64>,
    /// Bytes that the host writes from one value to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    write_bytes_per_value: Option<NonZeroU64>,
    /// Requests from one value to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests_per_value: Option<NonZeroU64>,
}

fn one_distance(schema: &mut Schema) {
    let keys = ["writes_per_value", "write_bytes_per_value", "requests_per_value"];
    schema.insert("oneOf".into(), keys.map(|key| json!({ "required": [key] })).to_vec().into());
}

/// A value that a scheme reports over the windows of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(transform = one_distance)]
pub struct WindowSeriesReport {
    /// What the values are.
    pub name: String,
    /// The values' distance, under a key that names its unit.
    #[serde(flatten)]
    #[schemars(with = "Distance")]
    pub per_value: PerValue,
    /// null where a value is infinite.
    #[schemars(with = "Vec<Option<Signed>>")]
    pub values: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::latency::Latency;

    #[test]
    fn sums_survive_every_merge() {
        let mut series = Series::default();
        let mut want = 0;
        for i in 0..50_000_u64 {
            let now = i * i * 1000;
            if series.is_over(now) {
                series.advance(now, i);
            }
            series.complete(HostOp::Write, i, 0, Bucket::default());
            want += i;
        }
        let report = series.report(7);
        assert_eq!(report.columns["write_bytes"].counts().iter().sum::<u64>(), want);
        assert!(report.columns["t_ns"].len() <= WINDOWS_MAX);
        assert_eq!(report.columns["cache_live_bytes"].counts().last(), Some(&7));
        assert!(report.columns.values().all(|c| c.len() == report.columns["t_ns"].len()));
    }

    /// Every request at its time with its latency, in windows of a length.
    fn report_of(mut series: Series, requests: &[(u64, HostOp, u64)]) -> SeriesReport {
        for &(at_ns, op, latency_ns) in requests {
            if series.is_over(at_ns) {
                series.advance(at_ns, 0);
            }
            series.complete(op, 512, latency_ns, Latency::default().record(latency_ns));
        }
        series.report(0)
    }

    #[test]
    fn percentiles_of_merged_windows_are_those_of_their_requests() {
        let mut rng = crate::base::rng::RngStream::new(3, "series");
        let mut requests: Vec<(u64, HostOp, u64)> = (0..40_000)
            .map(|i| {
                let op = if rng.below(3) == 0 { HostOp::Read } else { HostOp::Write };
                (i * i * 1_000, op, u64::from(rng.below(1 << 30)) >> rng.below(30))
            })
            .collect();
        // A pause across many windows.
        requests.push((5_000_000_000_000, HostOp::Read, 42));
        let report = report_of(Series::default(), &requests);
        let windows = report.columns["t_ns"].len();
        for (kind, wanted) in [("read", HostOp::Read), ("write", HostOp::Write)] {
            for window in 0..windows {
                let within = |at_ns: u64| (at_ns / report.window_ns) as usize == window;
                let mut list: Vec<u64> =
                    requests.iter().filter(|r| r.1 == wanted && within(r.0)).map(|r| r.2).collect();
                list.sort_unstable();
                for (name, per_myriad) in PERCENTILES.into_iter().chain([("max", 10_000)]) {
                    let got = report.columns[&format!("{kind}_latency_ns_{name}")].latencies()[window];
                    let rank = (list.len() as u64 * per_myriad).div_ceil(10_000) as usize;
                    let want = rank.checked_sub(1).map(|i| list[i]);
                    assert_eq!(got.is_some(), want.is_some(), "{kind} {name} of window {window}");
                    if let (Some(got), Some(want)) = (got, want) {
                        assert!(got >= want && got - want <= want / 100, "{kind} {name}: {got}, not {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn windows_asked_for_are_kept_until_there_are_too_many() {
        let (at, seven) = (|at_ns| (at_ns, HostOp::Read, 1), NonZeroU64::new(7).unwrap());
        let last_ns = 7 * (ASKED_WINDOWS_MAX as u64 - 1);
        let report = report_of(Series::in_windows_of(seven), &[at(0), at(3), at(last_ns)]);
        assert_eq!((report.window_ns, report.columns["t_ns"].len()), (7, ASKED_WINDOWS_MAX));
        let report = report_of(Series::in_windows_of(seven), &[at(0), at(3), at(last_ns + 7)]);
        assert_eq!((report.window_ns, report.columns["t_ns"].len()), (14, ASKED_WINDOWS_MAX / 2 + 1));
        assert_eq!(report.columns["read_requests"].counts()[0], 2);
    }

    #[test]
    fn values_stay_those_of_the_windows_they_end() {
        let mut series = WindowSeries::default();
        (1..=10_000).for_each(|window| series.push(f64::from(window)));
        let report = series.report("x", PerValue::Writes(1024));
        assert_eq!(report.per_value, PerValue::Writes(4 * 1024));
        assert_eq!(report.values.len(), 2500);
        assert!(report.values.iter().enumerate().all(|(i, &v)| v == (i + 1) as f64 * 4.0));
    }

    #[test]
    fn the_distance_names_its_unit() {
        let mut series = WindowSeries::default();
        series.push(0.5);
        series.push(f64::INFINITY);
        for (per_value, key) in [
            (PerValue::Requests(10), "requests_per_value"),
            (PerValue::Writes(10), "writes_per_value"),
            (PerValue::WriteBytes(10), "write_bytes_per_value"),
        ] {
            let report = serde_json::to_value(series.report("x", per_value)).unwrap();
            assert_eq!(report, serde_json::json!({ "name": "x", key: 10, "values": [0.5, null] }));
        }
    }
}
