//! One value per window of requests, in bounded memory: when there are too many, every second goes.

use serde::Serialize;

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

    /// The series as reported, of windows of `window_writes` write requests.
    pub fn report(&self, name: &str, window_writes: u32) -> WindowSeriesReport {
        let writes_per_value = self.stride * u64::from(window_writes);
        WindowSeriesReport { name: name.into(), writes_per_value, values: self.values.clone() }
    }
}

/// A value that a scheme reports over the write requests of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowSeriesReport {
    /// Name.
    pub name: String,
    /// Write requests from one value to the next; the first value is that many requests in.
    pub writes_per_value: u64,
    /// The values.
    pub values: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_those_of_the_windows_they_end() {
        let mut series = WindowSeries::default();
        (1..=10_000).for_each(|window| series.push(f64::from(window)));
        let report = series.report("x", 1024);
        assert_eq!(report.writes_per_value, 4 * 1024);
        assert_eq!(report.values.len(), 2500);
        assert!(report.values.iter().enumerate().all(|(i, &v)| v == (i + 1) as f64 * 4.0));
    }
}
