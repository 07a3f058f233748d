//! Parameters of `ust`.

use super::super::common::device_fit::{check_page, densest_beside_slc, offered_modes, pool_beside_slc};
use super::super::hybrid::Reclaim;
use super::space::{FRONTIERS, OPEN_ABOVE};
use crate::base::{units, CellMode, Problem};
use crate::ftl::config::{PlaneOrder, WearLevelling};
use crate::ftl::scheme::Parameters;
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Most SLC blocks that a logical block may be allowed.
pub const SLC_BLOCKS_MAX: u32 = 64;
/// Most free blocks that may be asked for.
pub const FREE_BLOCKS_MAX: u32 = 1024;

/// Parameters of `ust`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct UstConfig {
    /// SLC blocks that a logical block may have.
    #[schemars(range(min = 1, max = SLC_BLOCKS_MAX))]
    #[default(6)]
    pub max_slc_blocks: u32,
    /// An SLC block is opened only where a plane has at least this many free blocks; where it has
    /// fewer, blocks are reclaimed first; default: 5, fewer on planes of less than 160 blocks.
    #[schemars(range(min = OPEN_ABOVE, max = FREE_BLOCKS_MAX))]
    pub free_blocks: Option<u32>,
    /// Pages of the write buffer in which mapping units wait to fill a page with others of their
    /// logical block.
    #[schemars(range(min = 1, max = 256))]
    #[default(1)]
    pub buffer_pages: u32,
    /// Cell mode of the cold data: mlc, tlc or qlc; default: the densest that a pool offers beside slc.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive logical blocks go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// Which free block is opened next.
    #[default(WearLevelling::Fifo)]
    pub wear_levelling: WearLevelling,
    /// When the host's requests meet the work that makes room for them.
    pub reclaim: Reclaim,
    /// Bytes that the host writes from one value of the series of SLC blocks to the next (integer or a
    /// string such as "32MiB"): 4 KiB to 1 TiB.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(min = 4096, max = 1u64 << 40))]
    #[default(32 << 20)]
    pub window_bytes: u64,
}

impl UstConfig {
    /// Cell mode of the cold data.
    pub fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.dense_mode.unwrap_or_else(|| densest_beside_slc(device))
    }

    /// Free blocks per plane of `blocks` without which blocks are reclaimed.
    pub fn free_blocks(&self, blocks: u32) -> u32 {
        self.free_blocks.unwrap_or((blocks / 32).clamp(OPEN_ABOVE, 5))
    }

    pub fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        pool_beside_slc(self.mode(device), device)
    }

    fn check_capacity(&self, device: &DeviceConfig, pool: &PoolConfig, problems: &mut Vec<Problem>) {
        let pages = u64::from(pool.pages_per_block(self.mode(device)));
        let slots = u64::from(pool.page_bytes / device.mu_bytes);
        let held = u64::from(FRONTIERS + OPEN_ABOVE);
        // A block that lacks less than a page of units is not worth cleaning.
        let needed = |blocks: u64| blocks + blocks * (slots - 1) / (pages * slots - (slots - 1)) + held;
        let most = (0..=u64::from(pool.blocks)).rev().find(|&b| needed(b) <= u64::from(pool.blocks));
        let usable = most.unwrap_or(0) * u64::from(pool.plane_count()) * pages * u64::from(pool.page_bytes);
        if device.user_bytes > usable {
            let allowed = format!(
                "at most {usable}: {} blocks per plane, of which {held} are held back for frontiers, SLC and cleaning",
                pool.blocks
            );
            problems.push(Problem::new("device.user_bytes", device.user_bytes, allowed));
        }
    }
}

impl Parameters for UstConfig {
    fn settle(&mut self, device: &DeviceConfig) {
        self.dense_mode = Some(self.mode(device));
        let pool = self.pool(device).map(|index| &device.pool[index]);
        self.free_blocks = pool.map(|pool| self.free_blocks(pool.blocks)).or(self.free_blocks);
    }

    fn keeps_places(&self) -> Option<&'static str> {
        Some("it knows which SLC blocks are of which logical block")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let modes = offered_modes(device);
        let mode = self.mode(device);
        let pool = self.pool(device).filter(|_| mode != CellMode::Slc);
        let Some(pool) = pool.map(|index| &device.pool[index]) else {
            let allowed = format!("mlc, tlc or qlc beside slc in one pool; the device offers {modes}");
            problems.push(Problem::new("scheme.ust.dense_mode", mode.name(), allowed));
            return;
        };
        check_page(device, pool, "scheme.ust", problems);
        if device.mu_bytes > 0 && pool.page_bytes >= device.mu_bytes {
            self.check_capacity(device, pool, problems);
        }
    }
}
