//! Parameters of `sector`.

use super::super::cache::{CacheSpec, Trigger};
use crate::base::problem::{check_range, Problem};
use crate::base::CellMode;
use crate::ftl::config::{CleanConfig, MergeConfig, Placement, PlaneOrder};
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a piece goes that covers a logical page wholly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FullPieces {
    /// Its sectors are packed by their hotness like any others.
    #[default]
    Packed,
    /// It becomes a flash page of its own.
    OwnPage,
}

/// Parameters of `sector`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SectorConfig {
    /// SLC blocks per plane.
    pub slc_blocks: u32,
    /// Cell mode of the store behind the cache; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive pages go to planes.
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    pub placement: Placement,
    /// What starts the reclamation of SLC blocks.
    pub trigger: Trigger,
    /// Reclamation of SLC blocks.
    pub slc: CleanConfig,
    /// Cleaning of the dense region.
    pub dense: CleanConfig,
    /// How sectors wait for others.
    pub merge: MergeConfig,
    /// Classes of update frequency that share no page: 2 (hot and cold) or 1 (none).
    pub hotness_classes: u32,
    /// Write requests after which update counters are halved, 1-1000000000.
    pub window_writes: u32,
    /// Where a piece goes that covers a logical page wholly.
    pub full_pieces: FullPieces,
}

impl Default for SectorConfig {
    fn default() -> Self {
        let cache = super::super::baseline::BaselineConfig::default();
        Self {
            slc_blocks: cache.slc_blocks,
            dense_mode: cache.dense_mode,
            plane_order: cache.plane_order,
            placement: cache.placement,
            trigger: cache.trigger,
            slc: cache.slc,
            dense: cache.dense,
            merge: MergeConfig::default(),
            hotness_classes: 2,
            window_writes: 1024,
            full_pieces: FullPieces::default(),
        }
    }
}

impl SectorConfig {
    pub(super) fn cache(&self) -> CacheSpec<'_> {
        CacheSpec {
            name: "sector",
            slc_blocks: self.slc_blocks,
            slc_blocks_min: 3,
            dense_mode: self.dense_mode,
            plane_order: self.plane_order,
            placement: self.placement,
            trigger: self.trigger,
            slc: &self.slc,
            dense: &self.dense,
        }
    }

    /// Adds every problem of the parameters on `device`.
    pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.sector.merge", device.piece_bytes(), problems);
        check_range(problems, "scheme.sector.hotness_classes", self.hotness_classes, 1..=2);
        check_range(problems, "scheme.sector.window_writes", self.window_writes, 1..=1_000_000_000);
        self.cache().check(device, problems);
    }
}
