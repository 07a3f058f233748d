//! What a mapping unit takes at least in the cells of a cache and of the store behind it.

use crate::config::{ConfigErrors, Origin, RunConfig};
use slcache_core::base::CellMode;
use slcache_core::device::config::Acknowledge;
use slcache_core::hw::config::{PlaneParallelism, PoolConfig, ProgramRule};

/// What a unit takes in one cell mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCost {
    /// Of the fastest page, all planes of a die together where they can, ns.
    pub program_ns: f64,
    /// What a program of it takes of the life of a block; none where endurance is not known.
    pub block_life: Option<f64>,
}

impl UnitCost {
    /// In a pool's mode, where the pool has it.
    fn of(pool: &PoolConfig, mode: CellMode, unit_bytes: u32) -> Option<Self> {
        let config = pool.mode(mode)?;
        let bits = f64::from(mode.bits());
        let slots = f64::from(pool.page_bytes / unit_bytes);
        let planes = match pool.plane_parallelism {
            PlaneParallelism::MultiPlane => f64::from(pool.planes),
            PlaneParallelism::Independent | PlaneParallelism::Serial => 1.0,
        };
        let shot = if config.program == ProgramRule::OneShot { bits } else { 1.0 };
        let shortest = |ns: &u32| f64::from(*ns) * (1.0 - config.program_variation) / shot;
        let page = config.program_ns.iter().min().map(shortest);
        // A fold fills a wordline, a copy-back a page; both may be faster, and do not vary.
        let fold = config.fold.and_then(|fold| fold.program_ns).map(|ns| f64::from(ns) / bits);
        let copy = config.copyback_ns.map(f64::from);
        let fastest_ns = [page, fold, copy].into_iter().flatten().fold(f64::INFINITY, f64::min);
        let cycles = config.endurance_cycles.map(f64::from);
        Some(Self {
            program_ns: fastest_ns / (slots * planes),
            block_life: cycles.map(|cycles| 1.0 / (slots * f64::from(pool.wordlines) * bits * cycles)),
        })
    }

    /// The least of several: a scheme may use any of them.
    fn least(self, other: Self) -> Self {
        Self {
            program_ns: self.program_ns.min(other.program_ns),
            block_life: self.block_life.zip(other.block_life).map(|(one, another)| one.min(another)),
        }
    }
}

/// The cells of a device that a cache and the store behind it can have.
#[derive(Clone, Debug)]
pub struct CacheCells {
    pub unit_bytes: u32,
    pub slc: UnitCost,
    pub dense: UnitCost,
    /// A block in SLC mode on each plane.
    pub row_bytes: u64,
    /// How many of them there are.
    pub rows: u32,
    /// Units that may die in the DRAM buffer.
    pub buffer_slots: u32,
}

impl CacheCells {
    /// Those of a configuration; an error where there is no cache with a store behind it, or where all flash is
    /// cache.
    pub fn of(config: &RunConfig) -> Result<Self, ConfigErrors> {
        let device = &config.device;
        let refused =
            |key: &str, what: &str| Err(ConfigErrors::one(Origin::Nowhere, key, format!("{key}{what}")));
        if device.disk.is_some() {
            return refused(
                "device.disk",
                " = present: with a disk all flash is cache; run.bound = true counts that in a run",
            );
        }
        let unit_bytes = device.mu_bytes;
        let costs = |modes: &[CellMode]| {
            let offered = device.pool.iter().flat_map(|pool| modes.iter().map(move |&mode| (pool, mode)));
            offered.filter_map(|(pool, mode)| UnitCost::of(pool, mode, unit_bytes)).reduce(UnitCost::least)
        };
        let missing = |modes: &str| {
            refused(
                "device.pool",
                &format!(": none offers {modes}: there is no cache with a store behind it"),
            )
        };
        let Some(slc) = costs(&[CellMode::Slc]) else { return missing("slc") };
        let Some(dense) = costs(&CellMode::ALL[1..]) else { return missing("mlc, tlc or qlc") };
        let Some(cache) = device.pool.iter().find(|pool| pool.slc.is_some()) else { return missing("slc") };
        let planes = u64::from(cache.channels * cache.chips * cache.dies * cache.planes);
        let holds = config.buffer.filter(|buffer| buffer.acknowledge == Acknowledge::OnBuffer);
        Ok(Self {
            unit_bytes,
            slc,
            dense,
            row_bytes: planes * u64::from(cache.wordlines) * u64::from(cache.page_bytes),
            rows: cache.blocks,
            buffer_slots: holds.map_or(0, |buffer| (buffer.bytes / u64::from(unit_bytes)) as u32),
        })
    }

    /// Sizes of 1, 2, 4, ... blocks on each plane up to all of them, in bytes.
    pub fn sizes(&self) -> Vec<u64> {
        let powers = (0..u32::BITS).map(|power| 1 << power).take_while(|&rows| rows < self.rows);
        powers.chain([self.rows]).map(|rows| u64::from(rows) * self.row_bytes).collect()
    }

    /// The least of a weight of all programs: what is not `kept` is programmed dense; what is, but does not
    /// die in the buffer, once in some mode.
    fn weighed(&self, counts: &Counts, weight: impl Fn(&UnitCost) -> Option<f64>) -> Option<f64> {
        let (slc, dense) = (weight(&self.slc)?, weight(&self.dense)?);
        let kept = (counts.kept - counts.in_buffer) as f64;
        Some(dense * (counts.versions - counts.kept) as f64 + slc.min(dense) * kept)
    }

    /// The least time of programs, summed over the arrays, and the least share of the life of a block, summed
    /// over the blocks.
    pub fn least(&self, counts: &Counts) -> (Option<f64>, Option<f64>) {
        (self.weighed(counts, |cost| Some(cost.program_ns)), self.weighed(counts, |cost| cost.block_life))
    }
}

/// Versions of units, all of a trace and those that stay out of dense cells.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub versions: u64,
    /// In the cache or the buffer all their life.
    pub kept: u64,
    /// In the buffer alone.
    pub in_buffer: u64,
}
