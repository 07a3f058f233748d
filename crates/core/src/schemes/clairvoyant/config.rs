//! The parameters of `clairvoyant`.

use crate::base::{CellMode, Problem};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder};
use crate::hw::device_config::DeviceConfig;
use crate::schemes::common::cache::{CacheSpec, Trigger};
use crate::schemes::common::parameters::parameters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest SLC blocks per plane: one being written, one full, one held back.
const SLC_BLOCKS_MIN: u32 = 3;
/// Blocks beside the windows': one full, one held back.
const BESIDE_WINDOWS: u32 = 2;
/// Most windows where nothing is chosen.
const WINDOWS_MAX: u32 = 16;

/// What shares open blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Each plane has open blocks of its own.
    #[default]
    Plane,
    /// All planes together have one open block of each window.
    Device,
}

parameters! {
    /// Parameters of `clairvoyant`.
    pub struct ClairvoyantConfig {
        /// SLC blocks per plane.
        pub slc_blocks: u32 = 64,
        /// Cell mode of the store behind the cache; default: the densest that one pool offers beside SLC.
        pub dense_mode: Option<CellMode> = None,
        /// Order in which consecutive pages go to planes.
        pub plane_order: PlaneOrder = PlaneOrder::Cwdp,
        /// How a page's plane is chosen.
        pub placement: Placement = Placement::RoundRobin,
        /// Share of the cache's pages for which the plan chooses data; the rest is room for dead pages.
        pub plan_share: f64 = 0.9,
        /// Windows of time, each with an open block; default: an eighth of the blocks that share them, 1 to 16.
        pub windows: Option<u32> = None,
        /// Length of a window in pages written; default: the pages of the cache.
        pub window_pages: Option<u32> = None,
        /// Share of a victim's pages that may stay in the cache, those that die first; 0: none.
        pub stay_share: f64 = 0.75,
        /// Whether a page goes to the block of another window before anything is reclaimed for it.
        pub mix_windows: bool = false,
        /// What shares open blocks.
        pub spread: Spread = Spread::default(),
        /// Cleaning of the dense region.
        pub dense: CleanConfig = CleanConfig::default(),
    }
    const LOOKS_AHEAD: bool = true;
    check ClairvoyantConfig::find_problems;
    settle ClairvoyantConfig::settle_for;
    moot ClairvoyantConfig::is_moot;
}

impl ClairvoyantConfig {
    /// The cache's part; `slc` opens its blocks in turn.
    pub fn cache<'a>(&'a self, slc: &'a CleanConfig) -> CacheSpec<'a> {
        CacheSpec {
            name: "clairvoyant",
            slc_blocks: self.slc_blocks,
            slc_blocks_min: SLC_BLOCKS_MIN,
            dense_mode: self.dense_mode,
            plane_order: self.plane_order,
            placement: self.placement,
            trigger: Trigger::FreeBlocks,
            slc,
            dense: &self.dense,
        }
    }

    /// SLC blocks that share open ones, and pages of the cache.
    fn sizes(&self, device: &DeviceConfig) -> (u32, u32) {
        let slc = CleanConfig::default();
        let pool = self.cache(&slc).pool(device).map(|index| &device.pool[index]);
        let planes = pool.map_or(1, |pool| pool.plane_count());
        let pages = pool.map_or(1, |pool| pool.pages_per_block(CellMode::Slc));
        let all = self.slc_blocks.saturating_mul(planes);
        let sharing = if self.spread == Spread::Device { all } else { self.slc_blocks };
        (sharing, all.saturating_mul(pages))
    }

    /// How many windows there are, and how many page writes long each is.
    pub fn windows(&self, device: &DeviceConfig) -> (u32, u32) {
        let (sharing, pages) = self.sizes(device);
        let count = self.windows.unwrap_or((sharing / 8).clamp(1, WINDOWS_MAX));
        (count, self.window_pages.unwrap_or(pages.max(1)))
    }

    fn settle_for(&mut self, device: &DeviceConfig) {
        self.dense_mode = Some(self.cache(&CleanConfig::default()).mode(device));
    }

    fn find_problems(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let key = |key: &str| format!("scheme.clairvoyant.{key}");
        let count = problems.len();
        self.cache(&CleanConfig::default()).check(device, problems);
        if !(0.0..=1.0).contains(&self.plan_share) {
            problems.push(Problem::new(key("plan_share"), self.plan_share, "between 0 and 1"));
        }
        if !(0.0..1.0).contains(&self.stay_share) {
            let allowed = "0, or more up to less than 1: each victim must leave room behind";
            problems.push(Problem::new(key("stay_share"), self.stay_share, allowed));
        }
        if self.window_pages == Some(0) {
            problems.push(Problem::new(key("window_pages"), 0, "at least 1"));
        }
        let most = self.sizes(device).0.saturating_sub(BESIDE_WINDOWS);
        if let Some(windows) = self.windows.filter(|windows| !(1..=most).contains(windows)) {
            if problems.len() == count || windows == 0 {
                let allowed = format!("between 1 and {most}: a block is being filled, another held back");
                problems.push(Problem::new(key("windows"), windows, allowed));
            }
        }
    }

    fn is_moot(&self, key: &str) -> Option<&'static str> {
        let single = self.windows == Some(1) && ["window_pages", "mix_windows"].contains(&key);
        single.then_some("there is one window only")
    }
}
