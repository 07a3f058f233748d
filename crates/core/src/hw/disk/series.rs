//! The power states over time, in a bounded number of windows: when they run out, neighbours merge.

use crate::base::power_state::{PowerState, POWER_STATES};

/// Windows kept at most; a power of two.
const WINDOWS_MAX: usize = 1024;
/// First window length, ns: that of the series of requests.
const FIRST_WINDOW_NS: u64 = 1_000_000;

/// Time in each state by window, from time 0.
#[derive(Clone, Debug)]
pub struct StateSeries {
    window_ns: u64,
    windows: Vec<[u64; POWER_STATES]>,
    /// Up to when they are filled, ns.
    until_ns: u64,
}

impl Default for StateSeries {
    fn default() -> Self {
        Self { window_ns: FIRST_WINDOW_NS, windows: Vec::with_capacity(WINDOWS_MAX), until_ns: 0 }
    }
}

impl StateSeries {
    /// Adds a stretch of time in one state, behind the last one.
    pub fn add(&mut self, state: PowerState, length_ns: u64) {
        let (mut from_ns, to_ns) = (self.until_ns, self.until_ns + length_ns);
        self.until_ns = to_ns;
        while from_ns < to_ns {
            while (to_ns - 1) / self.window_ns >= WINDOWS_MAX as u64 {
                self.halve();
            }
            let window = (from_ns / self.window_ns) as usize;
            let end_ns = to_ns.min((window as u64 + 1) * self.window_ns);
            if window == self.windows.len() {
                self.windows.push([0; POWER_STATES]);
            }
            self.windows[window][state as usize] += end_ns - from_ns;
            from_ns = end_ns;
        }
    }

    fn halve(&mut self) {
        for i in 0..self.windows.len().div_ceil(2) {
            let second = self.windows.get(2 * i + 1).copied().unwrap_or_default();
            self.windows[i] = std::array::from_fn(|state| self.windows[2 * i][state] + second[state]);
        }
        self.windows.truncate(self.windows.len().div_ceil(2));
        self.window_ns *= 2;
    }

    /// Window length, ns.
    pub fn window_ns(&self) -> u64 {
        self.window_ns
    }

    /// The share of each window's time that was spent in a state; of the last window, of the part that passed.
    pub fn shares(&self, state: PowerState) -> Vec<f64> {
        let share =
            |window: &[u64; POWER_STATES]| window[state as usize] as f64 / window.iter().sum::<u64>() as f64;
        self.windows.iter().map(share).collect()
    }
}
