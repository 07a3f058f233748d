//! The power states of a disk: they follow from the end of its last operation and are worked out
//! when somebody asks, so that sleeping costs no events.
//!
//! ```text
//! active -> to-idle -> idle -> spin-down -> standby        without operations
//!    ^----- from-idle ----'                    |           an operation waits
//!    ^----------------- spin-up ---------------'
//! ```
//! What waits in a transition waits for its end, and then for the way back.

use super::books::Books;
use super::config::{AtStart, DiskConfig, DiskPowerConfig};
use crate::base::power_state::PowerState;

/// A stay in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stay {
    state: PowerState,
    /// When it ends if no operation comes, ns; `u64::MAX` in standby.
    end_ns: u64,
    /// Whether an operation waits for the disk.
    awaited: bool,
}

impl Stay {
    fn new(config: &DiskPowerConfig, state: PowerState, from_ns: u64, awaited: bool) -> Self {
        let length_ns = match state {
            PowerState::Active => config.idle_after_ns,
            PowerState::ToIdle => config.to_idle_ns,
            PowerState::Idle => config.standby_after_ns,
            PowerState::FromIdle => config.from_idle_ns,
            PowerState::SpinDown => config.spin_down_ns,
            PowerState::Standby => u64::MAX,
            PowerState::SpinUp => config.spin_up_ns,
        };
        Self { state, end_ns: from_ns.saturating_add(length_ns), awaited }
    }

    /// The one that follows it.
    fn next(&self, config: &DiskPowerConfig) -> Self {
        let state = match (self.state, self.awaited) {
            (PowerState::Active, _) => PowerState::ToIdle,
            (PowerState::ToIdle, false) => PowerState::Idle,
            (PowerState::ToIdle, true) => PowerState::FromIdle,
            (PowerState::Idle, _) => PowerState::SpinDown,
            (PowerState::SpinDown, false) => PowerState::Standby,
            (PowerState::SpinDown | PowerState::Standby, _) => PowerState::SpinUp,
            (PowerState::FromIdle | PowerState::SpinUp, _) => PowerState::Active,
        };
        Self::new(config, state, self.end_ns, self.awaited && state != PowerState::Active)
    }

    fn at(mut self, config: &DiskPowerConfig, now_ns: u64) -> Self {
        while self.end_ns <= now_ns {
            self = self.next(config);
        }
        self
    }
}

/// The power states of a disk, and what they took.
#[derive(Clone, Debug)]
pub struct Power {
    config: DiskPowerConfig,
    stay: Stay,
    /// Up to when the states are worked out, ns.
    at_ns: u64,
    /// End of the last operation, ns.
    idle_since_ns: u64,
    books: Books,
}

impl Power {
    /// A disk at time 0.
    pub fn new(config: &DiskConfig) -> Self {
        let state = match config.at_start {
            AtStart::Active => PowerState::Active,
            AtStart::Standby => PowerState::Standby,
        };
        let stay = Stay::new(&config.power, state, 0, false);
        Self { config: config.power, stay, at_ns: 0, idle_since_ns: 0, books: Books::new(&config.power) }
    }

    /// The state at a time not before the last one told.
    pub fn state(&self, now_ns: u64) -> PowerState {
        self.stay.at(&self.config, now_ns).state
    }

    /// Books what has passed; whether the disk left active meanwhile.
    pub fn advance(&mut self, now_ns: u64) -> bool {
        let mut left = false;
        while self.stay.end_ns <= now_ns {
            self.book(self.stay.end_ns);
            left |= self.stay.state == PowerState::Active;
            self.stay = self.stay.next(&self.config);
            self.books.enter(self.stay.state);
        }
        if now_ns > self.at_ns {
            self.book(now_ns);
        }
        left
    }

    fn book(&mut self, to_ns: u64) {
        self.books.add(self.stay.state, self.at_ns, to_ns, self.stay.end_ns);
        self.at_ns = to_ns;
    }

    /// An operation waits, the states being worked out up to now: when the disk can serve it.
    pub fn wake(&mut self) -> u64 {
        let config = &self.config;
        let way_back = match self.stay.state {
            PowerState::Active => return self.at_ns,
            PowerState::Idle => Some(PowerState::FromIdle),
            PowerState::Standby => Some(PowerState::SpinUp),
            _ => None,
        };
        if let Some(state) = way_back {
            self.stay = Stay::new(config, state, self.at_ns, true);
            self.books.enter(state);
        }
        self.stay.awaited = true;
        let mut stay = self.stay;
        while stay.next(config).state != PowerState::Active {
            stay = stay.next(config);
        }
        stay.end_ns
    }

    /// An operation takes the disk, which is active, until `end_ns`.
    pub fn serve(&mut self, end_ns: u64) {
        assert!(self.stay.state == PowerState::Active, "an operation on a disk in {:?}", self.stay.state);
        self.stay = Stay::new(&self.config, PowerState::Active, end_ns, false);
        self.idle_since_ns = end_ns;
    }

    /// Ends the books, or goes on with them.
    pub fn set_closed(&mut self, closed: bool) {
        self.books.set_closed(closed);
    }

    /// What the states took.
    pub fn books(&self) -> &Books {
        &self.books
    }

    /// The last time that is known of the disk, ns.
    pub fn latest_ns(&self) -> u64 {
        self.at_ns.max(self.idle_since_ns)
    }

    /// The state at the last time that is known and how long it still lasts, ns; nothing waits.
    pub fn rest(&self) -> (PowerState, u64) {
        let now_ns = self.latest_ns();
        let stay = self.stay.at(&self.config, now_ns);
        let left_ns = if stay.state == PowerState::Standby { 0 } else { stay.end_ns - now_ns };
        (stay.state, left_ns)
    }

    /// Puts a disk at time 0 into a state that still lasts so long; whether it can.
    pub fn put(&mut self, (state, left_ns): (PowerState, u64)) -> bool {
        let mut stay = Stay::new(&self.config, state, 0, false);
        let fits = if state == PowerState::Standby { left_ns == 0 } else { left_ns <= stay.end_ns };
        if state != PowerState::Standby {
            stay.end_ns = left_ns;
        }
        self.stay = stay;
        fits
    }
}
