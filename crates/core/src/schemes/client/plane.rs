//! What `client` knows of a plane beside its blocks.

use serde::{Deserialize, Serialize};

/// Where a plane is between an empty cache and a full device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// The host writes to SLC blocks.
    #[default]
    Slc,
    /// The cache is full: the host writes past it.
    Closed,
    /// No block is free: what the host needs is folded first.
    Folding,
}

/// A plane's part of a snapshot, and of the scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaneState {
    /// Where the plane is.
    pub phase: Phase,
    /// Mapping units folded since `Phase::Folding` began.
    pub folded_units: u64,
    /// Slots of the pages that the host took since then.
    pub host_units: u64,
    /// Units to be folded for what the host wrote, by `flush.busy_ratio` and `flush.inside_ratio`.
    pub owed_units: f64,
    /// Whether a lazy flush goes on.
    pub flushing: bool,
}

impl PlaneState {
    /// Begins to fold for the host.
    pub fn begin_folding(&mut self) {
        (self.folded_units, self.host_units) = (0, 0);
    }

    /// Whether the figures can be those of a plane.
    pub fn is_sound(&self) -> bool {
        self.owed_units.is_finite() && self.owed_units >= 0.0
    }
}
