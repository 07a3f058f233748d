//! How long a disk was in each power state and what that took, in whole numbers: mW times ns is pJ.

use super::config::DiskPowerConfig;
use super::series::StateSeries;
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
