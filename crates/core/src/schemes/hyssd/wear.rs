//! How much of their lifetime the tiers have used.

use super::config::Wear;
use super::lifetime::remaining;
use super::tiers::{Layout, TierBlocks};
use super::two_tier::TwoTier;
use crate::ftl::io::Io;
use crate::ftl::region::Region;
use crate::hw::device_config::DeviceConfig;
use serde::{Deserialize, Serialize};

/// A tier's rated cycles, and what wears it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Rated {
    place: TierBlocks,
    bytes: f64,
    endurance_cycles: Option<u32>,
    /// Bytes programmed before the device was restored, and until the run ended.
    #[serde(skip)]
    before_bytes: u64,
    until_bytes: u64,
}

impl Rated {
    fn of(place: TierBlocks, device: &DeviceConfig) -> Self {
        let mode = device.pool[place.pool].mode(place.mode);
        let endurance_cycles = mode.and_then(|mode| mode.endurance_cycles);
        Self { place, bytes: place.bytes(device) as f64, endurance_cycles, before_bytes: 0, until_bytes: 0 }
    }

    fn programmed_bytes(&self, io: &Io) -> u64 {
        let rows = io
            .counters()
            .iter()
            .filter(|row| row.pool == self.place.pool && row.mode == self.place.mode && row.kind.stores());
        self.before_bytes + rows.map(|row| row.totals.bytes).sum::<u64>()
    }

    fn used_cycles(&self, by: Wear, region: &Region, io: &Io) -> f64 {
        match by {
            Wear::Programmed => self.programmed_bytes(io) as f64 / self.bytes,
            Wear::Erases => mean_erases(&self.place, region, io),
        }
    }
}

fn mean_erases(place: &TierBlocks, region: &Region, io: &Io) -> f64 {
    let blocks = region.planes().iter().flat_map(|&plane| region.blocks(plane, io));
    let erases: u64 = blocks.map(|block| u64::from(io.array().erases(block, place.mode))).sum();
    erases as f64 / region.share().blocks as f64
}

/// The lifetime of both tiers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Lifetimes {
    by: Wear,
    fast: Rated,
    dense: Rated,
}

impl Lifetimes {
    /// Of tiers that nothing was written to.
    pub fn new(by: Wear, layout: &Layout, device: &DeviceConfig) -> Self {
        Self { by, fast: Rated::of(layout.fast, device), dense: Rated::of(layout.dense, device) }
    }

    /// What was programmed until now was programmed before the device was restored.
    pub fn resume(&mut self) {
        for tier in [&mut self.fast, &mut self.dense] {
            tier.before_bytes = tier.until_bytes;
        }
    }

    /// Cycles used, `E_used` of the fast and of the dense tier.
    pub fn used_cycles(&self, tiers: &TwoTier, io: &Io) -> (f64, f64) {
        let fast = self.fast.used_cycles(self.by, &tiers.fast.region, io);
        (fast, self.dense.used_cycles(self.by, &tiers.dense.region, io))
    }

    /// What is left of the lifetimes, where the endurance of both tiers is known.
    pub fn remaining(&self, tiers: &TwoTier, io: &Io) -> Option<(f64, f64)> {
        let (fast, dense) = (self.fast.endurance_cycles?, self.dense.endurance_cycles?);
        let used = self.used_cycles(tiers, io);
        Some((remaining(f64::from(fast), used.0), remaining(f64::from(dense), used.1)))
    }

    /// Notes what was programmed: a snapshot may be taken once a run has ended.
    pub fn note(&mut self, io: &Io) {
        for tier in [&mut self.fast, &mut self.dense] {
            tier.until_bytes = tier.programmed_bytes(io);
        }
    }
}
