//! The data migrator: what stays in the fast tier above its target for too long is moved in idle time, a unit
//! at a time.

use super::two_tier::TwoTier;
use crate::base::op::Class;
use crate::base::PlaneId;
use crate::ftl::answer::Idle;
use crate::ftl::io::Io;
use serde::{Deserialize, Serialize};

/// Since when the fast tier holds more than it is to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Migrator {
    force_after: u64,
    /// Write requests so far.
    writes: u64,
    /// How many there were when the fast tier came to hold more than it is to, if it does.
    surplus_since: Option<u64>,
}

impl Migrator {
    /// Nothing was written yet; migration is forced after so many write requests.
    pub fn new(force_after: u64) -> Self {
        Self { force_after, writes: 0, surplus_since: None }
    }

    #[inline]
    pub fn write_request(&mut self) {
        self.writes += 1;
    }

    /// Write requests so far.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// Notes whether the fast tier holds more than it is to; true if it has for so long that migration
    /// is forced.
    #[inline]
    pub fn is_due(&mut self, has_surplus: bool) -> bool {
        self.surplus_since = has_surplus.then(|| self.surplus_since.unwrap_or(self.writes));
        self.surplus_since.is_some_and(|since| self.writes - since >= self.force_after)
    }

    /// Write requests that a unit must not have been written in.
    pub fn force_after(&self) -> u64 {
        self.force_after
    }
}

impl TwoTier {
    /// The coldest unit, if it is to be moved in idle time.
    #[inline]
    fn forced(&mut self, io: &Io) -> Option<u32> {
        let has_surplus = self.classifier.recency.residents() > self.target_units(io);
        if !self.migrator.is_due(has_surplus) {
            return None;
        }
        self.classifier.recency.coldest_resident().filter(|&unit| self.is_forgotten(unit))
    }

    /// Whether `unit` was not written for long.
    fn is_forgotten(&self, unit: u32) -> bool {
        let unwritten = self.classifier.recency.writes_since(unit);
        unwritten.is_some_and(|writes| u64::from(writes) >= self.migrator.force_after())
    }

    /// Has idle work done where there is some: to be called when anything changed.
    #[inline]
    pub fn note_idle_work(&mut self, io: &mut Io) {
        let plane = self.forced(io).and_then(|unit| self.plane_of(unit, io));
        if let Some(plane) = plane {
            io.mark_idle_work(plane);
        }
    }

    /// Moves the coldest unit to the dense tier, if it lies in `plane`; or as many of the surplus as fill
    /// a page there. Reading is soon done and frees the plane, programming is not: the next step waits
    /// until the plane that the last one went to is idle, else a pause would queue programs without end.
    pub fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let Some(unit) = self.forced(io) else {
            return Idle::Nothing;
        };
        if let Some(busy) = self.forced_to.filter(|&to| !io.is_idle(to)) {
            io.mark_idle_work(busy);
            return Idle::Nothing;
        }
        if self.plane_of(unit, io) != Some(plane) {
            self.note_idle_work(io);
            return Idle::Nothing;
        }
        self.awaited.clear();
        let target = self.target_units(io);
        let may =
            |tiers: &Self, unit| tiers.classifier.recency.residents() > target && tiers.is_forgotten(unit);
        let moved = self.move_coldest(Class::Background, may, io);
        if moved == 0 {
            return Idle::Nothing;
        }
        self.forced_to = if io.clockless() { None } else { self.plane_of(unit, io) };
        self.moved.forced += u64::from(moved) * u64::from(!io.clockless());
        self.note_idle_work(io);
        Idle::Step
    }
}
