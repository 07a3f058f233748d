//! A disk's books: its operations, and how long it was in each power state and what that took, in whole
//! numbers (mW times ns is pJ), in all and over time.

use super::config::DiskPowerConfig;
use super::mechanics::{Order, Service, SECTOR_BYTES};
use crate::base::op::{Cause, CAUSES};
use crate::base::power_state::{PowerState, POWER_STATES};

/// Picojoules in a millijoule.
const PJ_PER_MJ: u128 = 1_000_000_000;

/// What a state takes.
#[derive(Clone, Copy, Debug)]
enum Rate {
    Power {
        mw: u64,
    },
    /// So much over the whole of a transition.
    Transition {
        pj: u128,
        length_ns: u64,
    },
}

impl Rate {
    /// The energy from one time to another of a stay that ends at `end_ns`. The parts of a
    /// transition add up to its energy, wherever it is cut.
    fn energy_pj(self, from_ns: u64, to_ns: u64, end_ns: u64) -> u128 {
        match self {
            Self::Power { mw } => u128::from(mw) * u128::from(to_ns - from_ns),
            Self::Transition { length_ns: 0, .. } => 0,
            Self::Transition { pj, length_ns } => {
                let ahead = |at_ns: u64| pj * u128::from(end_ns - at_ns) / u128::from(length_ns);
                ahead(from_ns) - ahead(to_ns)
            }
        }
    }
}

/// Times and energies by state.
#[derive(Clone, Debug)]
pub struct Books {
    rates: [Rate; POWER_STATES],
    time_ns: [u64; POWER_STATES],
    energy_pj: [u128; POWER_STATES],
    spin_ups: u64,
    spin_downs: u64,
    series: StateSeries,
    /// Whether nothing is added.
    closed: bool,
}

impl Books {
    /// Empty books.
    pub fn new(config: &DiskPowerConfig) -> Self {
        let transition = |mj: u64, length_ns| Rate::Transition { pj: u128::from(mj) * PJ_PER_MJ, length_ns };
        let rates = PowerState::ALL.map(|state| match state {
            PowerState::Active => Rate::Power { mw: config.active_mw },
            PowerState::ToIdle => transition(config.to_idle_mj, config.to_idle_ns),
            PowerState::Idle => Rate::Power { mw: config.idle_mw },
            PowerState::FromIdle => transition(config.from_idle_mj, config.from_idle_ns),
            PowerState::SpinDown => transition(config.spin_down_mj, config.spin_down_ns),
            PowerState::Standby => Rate::Power { mw: config.standby_mw },
            PowerState::SpinUp => transition(config.spin_up_mj, config.spin_up_ns),
        });
        Self {
            rates,
            time_ns: [0; POWER_STATES],
            energy_pj: [0; POWER_STATES],
            spin_ups: 0,
            spin_downs: 0,
            series: StateSeries::default(),
            closed: false,
        }
    }

    /// Adds a part of a stay that ends at `end_ns`.
    pub fn add(&mut self, state: PowerState, from_ns: u64, to_ns: u64, end_ns: u64) {
        if !self.closed {
            let place = state as usize;
            self.time_ns[place] += to_ns - from_ns;
            self.energy_pj[place] += self.rates[place].energy_pj(from_ns, to_ns, end_ns);
            self.series.add(state, to_ns - from_ns);
        }
    }

    pub fn enter(&mut self, state: PowerState) {
        if !self.closed {
            self.spin_ups += u64::from(state == PowerState::SpinUp);
            self.spin_downs += u64::from(state == PowerState::SpinDown);
        }
    }

    /// Whether nothing is added from now on.
    pub fn set_closed(&mut self, closed: bool) {
        self.closed = closed;
    }

    /// All times in them, ns.
    pub fn until_ns(&self) -> u64 {
        self.time_ns.iter().sum()
    }

    pub fn time_ns(&self, state: PowerState) -> u64 {
        self.time_ns[state as usize]
    }

    /// Energy taken in a state, pJ.
    pub fn energy_pj(&self, state: PowerState) -> u128 {
        self.energy_pj[state as usize]
    }

    /// How often the disk began to spin up.
    pub fn spin_ups(&self) -> u64 {
        self.spin_ups
    }

    /// How often the disk began to spin down.
    pub fn spin_downs(&self) -> u64 {
        self.spin_downs
    }

    /// The states over time.
    pub fn series(&self) -> &StateSeries {
        &self.series
    }
}

/// Totals of one (kind, cause).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskOpCount {
    /// Operations.
    pub count: u64,
    /// Bytes read or written.
    pub bytes: u64,
    /// The parts of their service times, summed.
    pub time: Service,
}

/// A table of counters: reads, then writes.
#[derive(Clone, Debug, Default)]
pub struct DiskOpCounters([[DiskOpCount; CAUSES]; 2]);

impl DiskOpCounters {
    pub fn add(&mut self, order: &Order, service: &Service) {
        let own = &mut self.0[usize::from(order.write)][order.cause as usize];
        own.count += 1;
        own.bytes += u64::from(order.sectors) * SECTOR_BYTES;
        own.time.overhead_ns += service.overhead_ns;
        own.time.seek_ns += service.seek_ns;
        own.time.rotation_ns += service.rotation_ns;
        own.time.transfer_ns += service.transfer_ns;
    }

    pub fn get(&self, write: bool, cause: Cause) -> &DiskOpCount {
        &self.0[usize::from(write)][cause as usize]
    }

    /// Every combination that occurred: whether it writes, cause, totals.
    pub fn iter(&self) -> impl Iterator<Item = (bool, Cause, &DiskOpCount)> {
        let rows = [false, true].into_iter().zip(&self.0);
        let cells = rows.flat_map(|(write, row)| {
            Cause::ALL.into_iter().zip(row).map(move |(cause, count)| (write, cause, count))
        });
        cells.filter(|(.., count)| count.count > 0)
    }
}

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
