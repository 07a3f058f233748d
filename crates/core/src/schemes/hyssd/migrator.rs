//! The data migrator's patience: what stays in the fast tier above its target for too long is to be moved.

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
