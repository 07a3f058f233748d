//! Parameters of `sector`.

use super::super::common::cache_config::cache_config;
use crate::base::Problem;
use crate::ftl::config::MergeConfig;
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

cache_config! {
    /// Parameters of `sector`.
    pub struct SectorConfig("sector") {
        /// How sectors wait for others.
        pub merge: MergeConfig = MergeConfig::default(),
        /// Classes of update frequency that share no page: 2 (hot and cold) or 1 (none).
        #[schemars(range(min = 1, max = 2))]
        pub hotness_classes: u32 = 2,
        /// Write requests after which update counters are halved.
        #[schemars(range(min = 1, max = 1_000_000_000))]
        pub window_writes: u32 = 1024,
        /// Where a piece goes that covers a logical page wholly.
        pub full_pieces: FullPieces = FullPieces::default(),
    }
    check SectorConfig::check_own;
    moot SectorConfig::moot_own;
}

impl SectorConfig {
    fn check_own(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.merge.check("scheme.sector.merge", device.piece_bytes(), problems);
    }

    fn moot_own(&self, key: &str) -> Option<&'static str> {
        (key == "window_writes" && self.hotness_classes == 1)
            .then_some("with one class nothing counts updates (hotness_classes = 2 does)")
            .or_else(|| self.merge.moot(key))
    }
}
