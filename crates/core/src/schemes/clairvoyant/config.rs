//! The parameters of `clairvoyant`.

use crate::base::{CellMode, Problem};
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use crate::schemes::common::cache::{of_split, SplitConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

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

/// Parameters of `clairvoyant`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ClairvoyantConfig {
    /// What every cache in front of a store has.
    #[serde(flatten)]
    pub split: SplitConfig,
    /// Share of the cache's pages for which the plan chooses data; the rest is room for dead pages.
    #[default(0.9)]
    pub plan_share: f64,
    /// Windows of time, each with an open block; default: an eighth of the blocks that share them, 1 to 16.
    pub windows: Option<u32>,
    /// Length of a window in pages written; default: the pages of the cache.
    pub window_pages: Option<u32>,
    /// Share of a victim's pages that may stay in the cache, those that die first; 0: none.
    #[default(0.75)]
    pub stay_share: f64,
    /// Whether a page goes to the block of another window before anything is reclaimed for it.
    pub mix_windows: bool,
    /// What shares open blocks.
    pub spread: Spread,
}

impl Parameters for ClairvoyantConfig {
    const LOOKS_AHEAD: bool = true;

    fn keeps_places(&self) -> Option<&'static str> {
        Some("its plan knows what lies in which block")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let key = |key: &str| format!("scheme.clairvoyant.{key}");
        let count = problems.len();
        self.split.check("clairvoyant", SLC_BLOCKS_MIN, device, problems);
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

    of_split!(split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        let single = self.windows == Some(1) && ["window_pages", "mix_windows"].contains(&key);
        single.then_some("there is one window only")
    }
}

impl ClairvoyantConfig {
    /// SLC blocks that share open ones, and pages of the cache.
    fn sizes(&self, device: &DeviceConfig) -> (u32, u32) {
        let pool = self.split.pool(device).map(|index| &device.pool[index]);
        let planes = pool.map_or(1, |pool| pool.plane_count());
        let pages = pool.map_or(1, |pool| pool.pages_per_block(CellMode::Slc));
        let all = self.split.slc_blocks.saturating_mul(planes);
        let sharing = if self.spread == Spread::Device { all } else { self.split.slc_blocks };
        (sharing, all.saturating_mul(pages))
    }

    /// How many windows there are, and how many page writes long each is.
    pub fn windows(&self, device: &DeviceConfig) -> (u32, u32) {
        let (sharing, pages) = self.sizes(device);
        let count = self.windows.unwrap_or((sharing / 8).clamp(1, WINDOWS_MAX));
        (count, self.window_pages.unwrap_or(pages.max(1)))
    }
}
