//! The disk behind the flash: how long its operations take, when it sleeps and what that saves.
//!
//! A pure device model: it is told what starts when, and knows neither queues nor requests.

mod books;
pub mod config;
mod mechanics;
mod power;

pub use crate::base::power_state::{PowerState, POWER_STATES};
pub use books::{Books, DiskOpCount, DiskOpCounters, StateSeries};
pub use mechanics::{Order, Service};

use config::DiskConfig;
use mechanics::Mechanics;
use power::Power;
use serde::{Deserialize, Serialize};

/// A disk: its mechanics, its power states and what it took so far. Times told must not go back.
#[derive(Clone, Debug)]
pub struct Disk {
    mechanics: Mechanics,
    power: Power,
    counters: DiskOpCounters,
}

/// What a snapshot holds of a disk at rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskState {
    /// The sector after the last one passed; none with parked heads.
    head: Option<u64>,
    /// The platters' angle, ns of a turn.
    turned_ns: u64,
    power: PowerState,
    /// How long the power state still lasts without an operation, ns; 0 in standby.
    left_ns: u64,
}

impl Disk {
    /// A disk of so many bytes at time 0.
    pub fn new(config: &DiskConfig, capacity_bytes: u64) -> Self {
        Self {
            mechanics: Mechanics::new(config, capacity_bytes),
            power: Power::new(config),
            counters: DiskOpCounters::default(),
        }
    }

    /// An operation waits: when the disk can serve it, ns. Now if it is active; else after the
    /// transition in course and the way back to active, which begins as soon as it can.
    pub fn wake(&mut self, now_ns: u64) -> u64 {
        self.advance(now_ns);
        self.power.wake()
    }

    /// Does an operation that starts now, on a disk that is active; it is busy until now and all of it.
    pub fn serve(&mut self, now_ns: u64, order: &Order) -> Service {
        self.advance(now_ns);
        let service = self.mechanics.serve(now_ns, order);
        self.power.serve(now_ns + service.total_ns());
        self.counters.add(order, &service);
        service
    }

    /// The power state at a time not before the last one told.
    pub fn state(&self, now_ns: u64) -> PowerState {
        self.power.state(now_ns)
    }

    /// Whether it spins, at least on the way to or from a stop.
    pub fn spins(&self, now_ns: u64) -> bool {
        self.state(now_ns) != PowerState::Standby
    }

    /// Books time and energy up to now and ends the books: what the disk does later takes nothing.
    pub fn settle(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.power.set_closed(true);
    }

    /// Goes on with books that were ended; what passed meanwhile is left out.
    pub fn resume(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.power.set_closed(false);
    }

    /// Every operation served, by kind and cause.
    pub fn counters(&self) -> &DiskOpCounters {
        &self.counters
    }

    /// Times and energies by power state.
    pub fn books(&self) -> &Books {
        self.power.books()
    }

    fn advance(&mut self, now_ns: u64) {
        if self.power.advance(now_ns) {
            self.mechanics.park();
        }
    }

    /// What a snapshot holds of the disk at rest, at the end of its last operation or the last time told.
    pub fn save(&self) -> DiskState {
        let now_ns = self.power.latest_ns();
        let (head, turned_ns) = self.mechanics.place(now_ns);
        let (power, left_ns) = self.power.rest();
        DiskState { head, turned_ns, power, left_ns }
    }

    /// Takes a snapshot's part into a new disk, or says why it does not fit.
    pub fn load(&mut self, state: DiskState) -> Result<(), String> {
        let placed = self.mechanics.put((state.head, state.turned_ns));
        if !placed || !self.power.put((state.power, state.left_ns)) {
            return Err(format!("a disk with {state:?}"));
        }
        Ok(())
    }
}
