//! Time series with a bounded number of windows: when they run out, neighbours merge.

use crate::base::op::{Cause, CAUSES};
use serde::Serialize;

/// Windows kept at most; a power of two.
const WINDOWS_MAX: usize = 1024;
/// First window length, ns.
const FIRST_WINDOW_NS: u64 = 1_000_000;

/// Requests of one kind that were completed in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Completed {
    requests: u64,
    bytes: u64,
    latency_ns_sum: u64,
    latency_ns_max: u64,
}

impl Completed {
    /// Adds a request.
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
pub struct Window {
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

impl Window {
    fn absorb(&mut self, later: &Window) {
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
    windows: Vec<Window>,
    /// End of the last window, to keep the hot path to one comparison.
    end_ns: u64,
}

impl Default for Series {
    fn default() -> Self {
        Self { window_ns: FIRST_WINDOW_NS, windows: vec![Window::default()], end_ns: FIRST_WINDOW_NS }
    }
}

impl Series {
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
            while now_ns / self.window_ns >= WINDOWS_MAX as u64 {
                self.halve();
            }
            if now_ns < self.windows.len() as u64 * self.window_ns {
                self.end_ns = self.windows.len() as u64 * self.window_ns;
                return;
            }
            self.windows.push(Window { cache_live_bytes, ..Window::default() });
            self.end_ns = self.windows.len() as u64 * self.window_ns;
        }
    }

    fn halve(&mut self) {
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

    /// The current window.
    #[inline(always)]
    pub fn current(&mut self) -> &mut Window {
        let last = self.windows.len() - 1;
        &mut self.windows[last]
    }

    /// The series as columns, the last window closed with `cache_live_bytes`.
    pub fn report(&mut self, cache_live_bytes: u64) -> SeriesReport {
        self.current().cache_live_bytes = cache_live_bytes;
        let column = |f: &dyn Fn(&Window) -> u64| self.windows.iter().map(f).collect::<Vec<u64>>();
        let mut columns = std::collections::BTreeMap::new();
        columns
            .insert("t_ns".to_string(), (0..self.windows.len() as u64).map(|i| i * self.window_ns).collect());
        type Of = fn(&Window) -> &Completed;
        let kinds: [(&str, Of); 2] = [("read", |w| &w.reads), ("write", |w| &w.writes)];
        for (kind, of) in kinds {
            columns.insert(format!("{kind}_requests"), column(&|w| of(w).requests));
            columns.insert(format!("{kind}_bytes"), column(&|w| of(w).bytes));
            columns.insert(format!("{kind}_latency_ns_sum"), column(&|w| of(w).latency_ns_sum));
            columns.insert(format!("{kind}_latency_ns_max"), column(&|w| of(w).latency_ns_max));
        }
        for cause in Cause::ALL {
            let values = column(&|w| w.program_pages[cause as usize]);
            if cause == Cause::Host || values.iter().any(|&v| v > 0) {
                columns.insert(format!("program_pages_{}", cause.name()), values);
            }
        }
        columns.insert("erases".to_string(), column(&|w| w.erases));
        columns.insert("cache_live_bytes".to_string(), column(&|w| w.cache_live_bytes));
        SeriesReport { window_ns: self.window_ns, columns }
    }
}

/// The series as reported: equal-length columns.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesReport {
    /// Window length, ns.
    pub window_ns: u64,
    /// Columns by name; `t_ns` is each window's start.
    pub columns: std::collections::BTreeMap<String, Vec<u64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_survive_every_merge() {
        let mut series = Series::default();
        let mut want = 0;
        for i in 0..50_000_u64 {
            let now = i * i * 1000;
            if series.is_over(now) {
                series.advance(now, i);
            }
            series.current().writes.add(i, 0);
            want += i;
        }
        let report = series.report(7);
        assert_eq!(report.columns["write_bytes"].iter().sum::<u64>(), want);
        assert!(report.columns["t_ns"].len() <= WINDOWS_MAX);
        assert_eq!(report.columns["cache_live_bytes"].last(), Some(&7));
        assert!(report.columns.values().all(|c| c.len() == report.columns["t_ns"].len()));
    }
}
