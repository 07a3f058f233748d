//! What every SLC cache in front of a dense store has: its sizes, their checks, and the trigger
//! of its reclamation.

use super::device_fit::{
    check_capacity, check_page, densest_beside_slc, held_back, no_pool, pool_beside_slc,
};
use super::dials::{Dials, START_FREE_RATIO};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, CellMode, PlaneId, Problem};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder};
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::region::{Pack, Region, RegionSpec};
use crate::ftl::store::{Store, RESERVE};
use crate::ftl::victim;
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// When the SLC region of a plane is reclaimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// Free SLC blocks fall below `slc.start_free_ratio`.
    #[default]
    FreeBlocks,
    /// Live data of a plane (pages, or mapping units where pages are mixed) exceed
    /// `1 - slc.start_free_ratio` of its SLC blocks (or fewer than `slc.start_free_blocks` are left).
    ValidShare,
}

/// Every operation of a reclamation of the cache: host writes depend on it.
pub const RECLAIM: Job = Job { cause: Cause::Migration, class: Class::Urgent };

/// What `Parameters` says of a split between a cache and a dense store.
macro_rules! of_split {
    ($($split:ident).+) => {
        fn settle(&mut self, device: &$crate::hw::device_config::DeviceConfig) {
            self.$($split).+.settle(device);
        }

        fn separation(&self) -> $crate::ftl::config::Separation {
            self.$($split).+.dense.separation
        }
    };
}
pub(in crate::schemes) use of_split;

/// Why a parameter of the cache changes nothing, if it does not.
pub fn moot(key: &str) -> Option<&'static str> {
    let frontier = "the SLC blocks are emptied into the store, so that nothing is moved among them";
    (key == "slc.separate_frontier").then_some(frontier)
}

/// Fewest SLC blocks per plane of a page-level cache.
const SLC_BLOCKS_MIN: u32 = 3;

/// The parameters of every scheme whose SLC blocks lie in front of a dense store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SplitConfig {
    /// SLC blocks per plane.
    #[default(64)]
    pub slc_blocks: u32,
    /// Cell mode of the store behind the cache; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Cleaning of the dense region.
    pub dense: CleanConfig,
}

/// The parameters of every scheme with a page-level SLC cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct CacheConfig {
    /// What every cache in front of a store has.
    #[serde(flatten)]
    pub split: SplitConfig,
    /// What starts the reclamation of SLC blocks.
    pub trigger: Trigger,
    /// Reclamation of SLC blocks.
    #[default(CleanConfig { start_free_ratio: 0.5, ..CleanConfig::default() })]
    pub slc: CleanConfig,
}

/// Cleaning of the region `section`, where the scheme `name` does none in idle time.
fn check_no_idle(name: &str, section: &str, rule: &CleanConfig, problems: &mut Vec<Problem>) {
    if rule.idle_free_ratio > 0.0 {
        let key = format!("scheme.{name}.{section}.idle_free_ratio");
        let allowed = "0: the scheme cleans nothing in idle time";
        problems.push(Problem::new(key, rule.idle_free_ratio, allowed));
    }
}

impl CacheConfig {
    /// Adds every problem of the parameters of the scheme `name` on `device`.
    pub fn check(&self, name: &str, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        check_no_idle(name, "slc", &self.slc, problems);
        let why = "the SLC blocks are emptied into the store, whose data dense.separation keeps apart";
        self.slc.check_unseparated(&format!("scheme.{name}.slc"), why, problems);
        self.split.check(name, SLC_BLOCKS_MIN, device, problems);
    }

    /// The specification of a region over the SLC blocks, on a checked device.
    pub fn slc_spec(&self, device: &DeviceConfig, pack: Pack) -> RegionSpec {
        self.split.slc_spec(device, pack, &self.slc)
    }

    /// When the cache is reclaimed, where `full` pages or units of live data fill a plane's part.
    pub fn pressure(&self, full: u32) -> Pressure {
        let (trigger, slc, blocks) = (self.trigger, self.slc.clone(), self.split.slc_blocks);
        let mut pressure = Pressure { trigger, slc, blocks, full, free_wanted: 0, live_max: 0 };
        pressure.set_start_free_ratio(self.slc.start_free_ratio);
        pressure
    }
}

impl SplitConfig {
    pub fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        pool_beside_slc(self.mode(device), device)
    }

    /// Cell mode of the store: the chosen one, or what the device suggests.
    pub fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.dense_mode.unwrap_or_else(|| densest_beside_slc(device))
    }

    /// Writes out the mode where none is chosen.
    pub fn settle(&mut self, device: &DeviceConfig) {
        self.dense_mode = Some(self.mode(device));
    }

    /// Adds every problem of the parameters of the scheme `name`, which needs so many SLC blocks per plane.
    pub fn check(&self, name: &str, slc_blocks_min: u32, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let key = format!("scheme.{name}.dense_mode");
        if self.mode(device) == CellMode::Slc {
            problems.push(no_pool(key, CellMode::Slc, device));
            return;
        }
        check_no_idle(name, "dense", &self.dense, problems);
        match self.pool(device) {
            Some(index) => {
                self.check_sizes(name, slc_blocks_min, device, &device.pool[index], problems);
            }
            None => problems.push(no_pool(key, self.mode(device), device)),
        }
    }

    fn check_sizes(
        &self,
        name: &str,
        least: u32,
        device: &DeviceConfig,
        pool: &PoolConfig,
        problems: &mut Vec<Problem>,
    ) {
        check_page(device, pool, &format!("scheme.{name}"), problems);
        let most = pool.blocks.saturating_sub(4);
        if !(least..=most).contains(&self.slc_blocks) {
            let allowed = format!("between {least} and {most} (the plane has {} blocks)", pool.blocks);
            problems.push(Problem::new(format!("scheme.{name}.slc_blocks"), self.slc_blocks, allowed));
            return;
        }
        self.dense.check_separation(&format!("scheme.{name}.dense"), pool.blocks, problems);
        let blocks = pool.blocks - self.slc_blocks;
        let held = held_back(&self.dense, blocks, RESERVE + 1);
        check_capacity(device, pool, self.mode(device), blocks, held, problems);
    }

    /// The specification of a region over the SLC blocks, on a checked device.
    pub fn slc_spec(&self, device: &DeviceConfig, pack: Pack, clean: &CleanConfig) -> RegionSpec {
        RegionSpec { pack, ..self.spec(device, CellMode::Slc, 0, self.slc_blocks, clean) }
    }

    /// The dense store behind the SLC blocks, on a checked device.
    pub fn store(&self, device: &DeviceConfig, io: &mut Io) -> Store {
        let blocks = device.pool[self.pool_index(device)].blocks - self.slc_blocks;
        let spec = self.spec(device, self.mode(device), self.slc_blocks, blocks, &self.dense);
        Store::new(spec, io)
    }

    fn pool_index(&self, device: &DeviceConfig) -> usize {
        self.pool(device).expect("Invariant: the configuration was checked")
    }

    fn spec(
        &self,
        device: &DeviceConfig,
        mode: CellMode,
        first_block: u32,
        blocks: u32,
        clean: &CleanConfig,
    ) -> RegionSpec {
        RegionSpec {
            pack: Pack::Page,
            bank: None,
            pool: self.pool_index(device),
            mode,
            first_block,
            blocks,
            order: self.plane_order.letters(),
            placement: self.placement,
            clean: clean.clone(),
        }
    }
}

/// When the cache's part of a plane is reclaimed.
#[derive(Clone, Serialize, Deserialize)]
pub struct Pressure {
    trigger: Trigger,
    slc: CleanConfig,
    /// Blocks per plane, and the pages or units of live data that fill them.
    blocks: u32,
    full: u32,
    free_wanted: u32,
    live_max: u32,
}

impl Pressure {
    /// Has reclamation begin where `slc.start_free_ratio` stands.
    pub fn follow(&mut self, dials: &Dials) {
        self.set_start_free_ratio(dials.value(&START_FREE_RATIO));
    }

    /// Has reclamation begin at another `slc.start_free_ratio`.
    pub fn set_start_free_ratio(&mut self, ratio: f64) {
        self.slc.start_free_ratio = ratio;
        self.free_wanted = self.slc.threshold(self.blocks);
        self.live_max = (f64::from(self.full) * (1.0 - ratio)) as u32;
    }

    /// Whether `free` blocks, or else `live` pages or units, call for reclamation.
    #[inline]
    pub fn is_high(&self, free: u32, live: impl FnOnce() -> u32) -> bool {
        match self.trigger {
            Trigger::FreeBlocks => free < self.free_wanted,
            Trigger::ValidShare => free < self.slc.start_free_blocks || live() > self.live_max,
        }
    }

    /// The block of `plane` that is emptied next, if `region` has the cache to itself and is to be
    /// reclaimed.
    pub fn victim(&self, region: &Region, plane: PlaneId, io: &mut Io) -> Option<BlockId> {
        let is_high = self.is_high(region.free_blocks(plane, io), || region.live(plane, io));
        is_high.then(|| victim::choose(region, io, plane, true)).flatten()
    }

    /// Free blocks per plane that reclamation keeps.
    pub fn kept_free(&self) -> u32 {
        match self.trigger {
            Trigger::FreeBlocks => self.free_wanted,
            Trigger::ValidShare => self.slc.start_free_blocks,
        }
    }
}

/// What idle time does with the block of a cache that is being filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReclaimOpen {
    /// Nothing: only blocks written to their end are reclaimed.
    Never,
    /// Its data move on and it goes on being filled: each page leaves the cache early, and there is
    /// one erase for all pages of a block.
    #[default]
    Data,
    /// It is closed before its end, emptied and erased: the whole cache is free after a pause, for an
    /// erase per pause.
    Block,
}
