//! The device of two tiers: what lies where, and what the fast tier is to hold.

use super::capacity::Capacity;
use super::classifier::Classifier;
use super::config::{Destage, HyssdSpec, Misses};
use super::migrator::Migrator;
use super::tiers::Units;
use crate::base::{Mu, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::page_level::mapped_in;
use crate::ftl::piece::Piece;
use crate::ftl::store::Store;
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::OpId;
use serde::{Deserialize, Serialize};

/// Units moved since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct TierMoves {
    /// From the fast tier to the dense one, to make way for others.
    pub destaged: u64,
    /// From the dense tier to the fast one, by a write.
    pub passive: u64,
    /// From the fast tier to the dense one, in idle time.
    pub forced: u64,
    /// None: those that the host's writes left in the dense tier.
    pub missed: u64,
}

/// Both tiers, and which units lie in which.
#[derive(Clone, Serialize, Deserialize)]
pub struct TwoTier {
    /// The tier that new data go to.
    pub fast: Store,
    /// The tier that holds the rest.
    pub dense: Store,
    pub(super) fast_slots: u32,
    pub(super) dense_slots: u32,
    pub(super) units: Units,
    /// Which units were written when, and which lie in the fast tier: all of them, or nothing.
    pub classifier: Classifier,
    pub(super) migrator: Migrator,
    /// Where forced migration went last, in this run.
    #[serde(skip)]
    pub(super) forced_to: Option<PlaneId>,
    capacity: Capacity,
    pub(super) units_max: u32,
    pub(super) initial_units: u32,
    /// Utilisation that the fast tier is to have, and what that is in units.
    target: f64,
    pub(super) wanted_units: u32,
    pub(super) destage: Destage,
    pub(super) misses: Misses,
    /// Units that were hot when the period began, ascending, where misses differ by that.
    pub(super) hot: Vec<u32>,
    /// What a write waits for beside its reads: room for both, kept from one to the next.
    #[serde(skip)]
    pub(super) awaited: Vec<OpId>,
    #[serde(skip)]
    pub(super) sources: Vec<OpId>,
    /// Units moved.
    #[serde(skip)]
    pub moved: TierMoves,
}

impl TwoTier {
    /// Empty tiers on a checked device; the fast one is to have the utilisation `target`.
    pub fn new(spec: &HyssdSpec, target: f64, device: &DeviceConfig, io: &mut Io) -> Self {
        io.set_idle_rule(spec.tiers.idle);
        let layout = spec.layout(device).expect("Invariant: the configuration was checked");
        let capacity = Capacity::of(spec, device, &layout);
        let units = spec.units(device);
        let slots = |pool: usize| device.pool[pool].page_bytes / device.mu_bytes;
        Self {
            fast_slots: slots(layout.fast.pool),
            dense_slots: slots(layout.dense.pool),
            fast: Store::new(layout.fast.region(spec, &spec.tiers.fast, device), io),
            dense: Store::new(layout.dense.region(spec, &spec.tiers.dense, device), io),
            units,
            classifier: Classifier::new(units.count, capacity.fast_units as u32),
            migrator: Migrator::new(spec.tiers.force_after_writes()),
            forced_to: None,
            units_max: capacity.units_max(),
            initial_units: capacity.units_at(spec.tiers.initial_utilisation),
            target,
            wanted_units: capacity.units_at(target),
            capacity,
            destage: spec.tiers.destage,
            misses: spec.tiers.misses,
            hot: Vec::new(),
            awaited: Vec::new(),
            sources: Vec::new(),
            moved: TierMoves::default(),
        }
    }

    /// Units that the fast tier is to hold: before time 0 those it has at first.
    #[inline]
    pub fn target_units(&self, io: &Io) -> u32 {
        if io.clockless() && self.migrator.writes() == 0 {
            self.initial_units
        } else {
            self.wanted_units
        }
    }

    /// The utilisation that the fast tier is to have.
    pub fn target(&self) -> f64 {
        self.target
    }

    pub fn set_target(&mut self, target: f64, io: &mut Io) {
        self.target = target;
        self.wanted_units = self.capacity.units_at(target);
        self.note_idle_work(io);
    }

    /// The utilisation that the fast tier has.
    pub fn utilisation(&self) -> f64 {
        f64::from(self.classifier.recency.residents()) / self.capacity.fast_units
    }

    /// Counts what a read of the host touches; it moves nothing.
    pub fn count_read(&mut self, piece: &Piece, io: &Io) {
        let target = self.target_units(io);
        for i in bits(self.units.touched(piece.mask)) {
            self.classifier.read(piece.page * self.units.per_page + i, target);
        }
    }

    #[inline]
    pub fn write_request(&mut self) {
        self.migrator.write_request();
        self.classifier.recency.write_request();
    }

    /// Forgets mapping units `first..end`, and the place of every unit of which nothing is left.
    pub fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        if first < end {
            let mus = self.units.mus;
            for unit in first / mus..=(end - 1) / mus {
                let (page, index) = (unit / self.units.per_page, unit % self.units.per_page);
                if mapped_in(io, page, self.units.span(index).mask()) == 0 {
                    self.classifier.recency.forget(unit);
                }
            }
        }
        self.note_idle_work(io);
    }

    /// Whether residents are the units with data in the fast tier.
    pub fn audit(&self, io: &Io) -> Result<(), String> {
        let geometry = io.geometry();
        let is_fast = |mu: u32| {
            let block = io.lookup(Mu(mu)).map(|slot| geometry.block_of(geometry.page_of(slot)));
            block.is_some_and(|block| self.fast.region.opened(block, io))
        };
        let mus = self.units.mus;
        let differs = |unit: &u32| {
            let stored = (unit * mus..(unit + 1) * mus).any(is_fast);
            stored != self.classifier.recency.is_resident(*unit)
        };
        match (0..self.units.count).find(differs) {
            Some(unit) => Err(format!("unit {unit} lies in another tier than it is said to")),
            None if self.classifier.recency.residents() > self.units_max => {
                Err(format!("more than {} units in the fast tier", self.units_max))
            }
            None => Ok(()),
        }
    }
}
