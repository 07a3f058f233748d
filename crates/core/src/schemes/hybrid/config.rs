//! The parameters that every scheme with an SLC region of changing size has.

use super::super::common::device_fit::{
    check_capacity, check_page, densest_beside_slc, no_pool, pool_beside_slc,
};
use super::control::{blocks_of, Limits, SPARE_SHARE};
use super::dense::RESERVE;
use crate::base::op::Class;
use crate::base::{CellMode, Problem};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder, Victim, WearLevelling};
use crate::ftl::region::{Pack, RegionSpec};
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Open blocks per plane of a dense region: the host's and the one of what is moved.
const FRONTIERS: u32 = 2;

/// When the host's requests meet the work that makes room for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reclaim {
    /// The work is done as a whole at once: the write that needs the room, and all that comes
    /// meanwhile, waits for it.
    #[default]
    Foreground,
    /// The host's requests go first, until no erased block is left for them.
    Deferred,
}

impl Reclaim {
    /// The class of its operations.
    pub fn class(self) -> Class {
        match self {
            Self::Foreground => Class::Run,
            Self::Deferred => Class::Urgent,
        }
    }
}

/// When the SLC region is reclaimed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SlcRule {
    /// Migration starts when a plane has fewer free SLC blocks; default: 5, fewer on planes
    /// of less than 160 blocks.
    #[schemars(range(min = 1, max = 1024))]
    pub start_free_blocks: Option<u32>,
}

/// When the dense region is cleaned, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DenseRule {
    /// Cleaning starts when a plane has fewer free blocks, and never later than at 2.
    #[schemars(range(min = 1, max = CleanConfig::START_FREE_BLOCKS_MAX))]
    pub start_free_blocks: u32,
    /// Which block is cleaned next.
    pub victim: Victim,
}

impl Default for DenseRule {
    fn default() -> Self {
        let CleanConfig { start_free_blocks, victim, .. } = CleanConfig::default();
        Self { start_free_blocks, victim }
    }
}

impl DenseRule {
    /// Free blocks per plane below which cleaning starts.
    pub fn threshold(&self) -> u32 {
        self.start_free_blocks.max(RESERVE + 1)
    }

    /// Blocks per plane that cannot hold user data.
    pub fn held_back(&self) -> u32 {
        FRONTIERS + self.threshold()
    }

    /// The cleaning of its region.
    pub fn clean(&self, wear_levelling: WearLevelling) -> CleanConfig {
        CleanConfig { victim: self.victim, wear_levelling, ..CleanConfig::default() }
    }
}

/// The paper's threshold of free blocks, scaled to planes of few blocks.
fn default_free(blocks: u32) -> u32 {
    (blocks / 32).clamp(1, 5)
}

/// The parameters of every scheme with an SLC region of changing size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct HybridConfig {
    /// Cell mode of the dense region; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Which free block is opened next.
    #[default(WearLevelling::Fifo)]
    pub wear_levelling: WearLevelling,
    /// When the SLC region is reclaimed.
    pub slc: SlcRule,
    /// Cleaning of the dense region.
    pub dense: DenseRule,
    /// Share of a plane's blocks held back from the SLC region for cleaning; what the scheme
    /// keeps SLC in any case comes before it.
    #[schemars(range(min = 0.0, max = 0.9))]
    #[default(SPARE_SHARE)]
    pub dense_spare_share: f64,
    /// When the host's requests meet the work that makes room for them.
    pub reclaim: Reclaim,
}

impl HybridConfig {
    /// Cell mode of the dense region: the chosen one, or what the device suggests.
    pub fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.dense_mode.unwrap_or_else(|| densest_beside_slc(device))
    }

    fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        pool_beside_slc(self.mode(device), device)
    }

    /// Blocks of each plane of the pool used, if the device has one.
    pub fn plane_blocks(&self, device: &DeviceConfig) -> Option<u32> {
        self.pool(device).map(|pool| device.pool[pool].blocks)
    }

    /// Free SLC blocks per plane of `blocks` below which migration starts.
    pub fn slc_threshold(&self, blocks: u32) -> u32 {
        self.slc.start_free_blocks.unwrap_or_else(|| default_free(blocks))
    }

    /// Blocks of a plane of `blocks` that neither data nor the SLC region may count on.
    pub fn spare_blocks(&self, blocks: u32) -> u32 {
        blocks_of(self.dense_spare_share, blocks)
    }

    /// Writes out what is not chosen; the blocks of a plane, if the device has a pool for it.
    pub fn settle(&mut self, device: &DeviceConfig) -> Option<u32> {
        self.dense_mode = Some(self.mode(device));
        let blocks = self.plane_blocks(device)?;
        self.slc.start_free_blocks = Some(self.slc_threshold(blocks));
        Some(blocks)
    }

    /// Adds every problem of the parameters of the scheme `name` on `device`.
    pub fn check(&self, name: &str, limits: &Limits, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let pool = self.pool(device).filter(|_| self.mode(device) != CellMode::Slc);
        let Some(pool) = pool else {
            problems.push(no_pool(format!("scheme.{name}.dense_mode"), self.mode(device), device));
            return;
        };
        let pool = &device.pool[pool];
        check_page(device, pool, &format!("scheme.{name}"), problems);
        let blocks = pool.blocks.saturating_sub(limits.slc_blocks_min(pool.blocks));
        let held = self.dense.held_back();
        check_capacity(device, pool, self.mode(device), blocks, held, problems);
    }

    /// The specification of a region over all blocks of the pool used, on a checked device.
    pub fn region(&self, device: &DeviceConfig, mode: CellMode) -> RegionSpec {
        let pool = self.pool(device).expect("Invariant: the configuration was checked");
        let clean = match mode {
            CellMode::Slc => CleanConfig { wear_levelling: self.wear_levelling, ..CleanConfig::default() },
            _ => self.dense.clean(self.wear_levelling),
        };
        RegionSpec {
            pack: Pack::Mu,
            bank: None,
            pool,
            mode,
            first_block: 0,
            blocks: device.pool[pool].blocks,
            order: self.plane_order.letters(),
            placement: self.placement,
            clean,
        }
    }
}
