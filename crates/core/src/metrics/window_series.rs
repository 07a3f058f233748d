//! One value per window of requests, in bounded memory: when there are too many, every second goes.

use super::shape::Signed;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::json;
use std::num::NonZeroU64;

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
