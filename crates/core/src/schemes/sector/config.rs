//! Parameters of `sector`.

use super::super::common::cache::{self, of_split, CacheConfig};
use crate::base::Problem;
use crate::ftl::config::MergeConfig;
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SectorConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
    /// How sectors wait for others.
    pub merge: MergeConfig,
    /// Classes of update frequency that share no page: 2 (hot and cold) or 1 (none).
    #[schemars(range(min = 1, max = 2))]
    #[default(2)]
    pub hotness_classes: u32,
    /// Write requests after which update counters are halved.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[default(1024)]
    pub window_writes: u32,
    /// Where a piece goes that covers a logical page wholly.
    pub full_pieces: FullPieces,
}

impl Parameters for SectorConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.sector.merge", device.piece_bytes(), problems);
        self.cache.check("sector", device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        let alone = key == "window_writes" && self.hotness_classes == 1;
        let why = "with one class nothing counts updates (hotness_classes = 2 does)";
        alone.then_some(why).or_else(|| self.merge.moot(key)).or_else(|| cache::moot(key))
    }
}
