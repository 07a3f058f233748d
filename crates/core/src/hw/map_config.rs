//! Configuration of the mapping cache: how much of the map is in DRAM, and where the rest is.

use super::config::{PoolConfig, ProgramRule};
use crate::base::defaults::number;
use crate::base::problem::{check_range, Problem};
use crate::base::units;
use crate::base::CellMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether what schemes move has to find its translation pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MapMoves {
    /// They are looked up and changed, each once for every block that is emptied.
    #[default]
    Charged,
    /// They change at no cost.
    Free,
}

/// The mapping cache: translation pages in DRAM, of which the least recently used leaves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapConfig {
    /// Room for the map in DRAM or host memory, bytes; at least one translation page, at most 256 GiB.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    pub cache_bytes: u64,
    /// Bytes of an entry, which maps one mapping unit.
    #[serde(default = "number::<4, u32>")]
    #[schemars(range(min = 1, max = 64))]
    pub entry_bytes: u32,
    /// Bytes of a translation page: a power of two, 512 to the flash page.
    #[serde(default = "number::<4096, u32>")]
    pub page_bytes: u32,
    /// Time of a look-up that finds its page, ns.
    #[serde(default)]
    pub access_ns: u32,
    /// Cell mode of the blocks that hold translation pages, in the first pool that has it.
    #[serde(default = "default_mode")]
    pub mode: CellMode,
    /// Blocks of each plane that hold translation pages, beside those of the pool; absent = an eighth
    /// more than the least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u32>,
    /// Whether what folding and cleaning move has to find its translation pages.
    #[serde(default)]
    pub moves: MapMoves,
}

fn default_mode() -> CellMode {
    CellMode::Slc
}

/// The largest map there can be: an entry of 64 bytes for each of 2^32 mapping units.
const LARGEST_BYTES: u64 = 1 << 38;
/// Free blocks kept for translation pages: cleaning begins below.
pub const KEPT_BLOCKS: u32 = 3;

/// The shape of the blocks that hold translation pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapShape {
    /// Planes.
    pub planes: u32,
    /// Blocks of each plane.
    pub blocks: u32,
    /// Flash pages of a block.
    pub pages: u32,
    /// Translation pages of a flash page.
    pub slots: u32,
}

impl MapShape {
    /// Blocks in all.
    pub fn total(self) -> u32 {
        self.planes * self.blocks
    }

    /// The fewest blocks in all that hold `translations` pages: one is open in every plane, some are
    /// kept free, and one of the others always has as many dead ones as a flash page holds.
    fn least(self, translations: u32) -> u32 {
        translations / ((self.pages - 1) * self.slots) + 1 + self.planes + KEPT_BLOCKS
    }
}

impl MapConfig {
    /// The pool that holds translation pages.
    pub fn pool<'a>(&self, pools: &'a [PoolConfig]) -> Option<(usize, &'a PoolConfig)> {
        pools.iter().enumerate().find(|(_, pool)| pool.mode(self.mode).is_some())
    }

    /// Mapping units of a translation page.
    pub fn entries(&self) -> u32 {
        self.page_bytes / self.entry_bytes
    }

    /// Translation pages of a device of so many mapping units.
    pub fn translations(&self, mus: u64) -> u32 {
        mus.div_ceil(u64::from(self.entries())) as u32
    }

    /// The shape of their blocks in `pool`, and the fewest blocks of a plane.
    pub fn shape(&self, pool: &PoolConfig, translations: u32) -> (MapShape, u32) {
        let (planes, pages) = (pool.plane_count(), pool.pages_per_block(self.mode));
        let shape = MapShape { planes, blocks: 0, pages, slots: pool.page_bytes / self.page_bytes };
        let least = shape.least(translations);
        let blocks = self.blocks.unwrap_or((least + least / 8).div_ceil(planes));
        (MapShape { blocks, ..shape }, least.div_ceil(planes))
    }

    /// Adds every problem of the section, for a device of so many mapping units.
    pub fn check(&self, pools: &[PoolConfig], mus: u64, problems: &mut Vec<Problem>) {
        let before = problems.len();
        let mut refuse = |key: &str, value: String, allowed: String| {
            problems.push(Problem::new(format!("device.map.{key}"), value, allowed));
        };
        let pool = self.pool(pools).map(|(_, pool)| pool);
        let most = pool.map_or(4096, |pool| pool.page_bytes);
        if !self.page_bytes.is_power_of_two() || !(512..=most).contains(&self.page_bytes) {
            let allowed = format!("a power of two between 512 and the flash page of {most}");
            refuse("page_bytes", self.page_bytes.to_string(), allowed);
        }
        if !(u64::from(self.page_bytes)..=LARGEST_BYTES).contains(&self.cache_bytes) {
            let page = self.page_bytes;
            let allowed =
                format!("between a translation page of {page} bytes and {LARGEST_BYTES}, the largest map");
            refuse("cache_bytes", self.cache_bytes.to_string(), allowed);
        }
        let config = pool.and_then(|pool| pool.mode(self.mode));
        let one_shot = config.is_some_and(|mode| mode.program == ProgramRule::OneShot);
        let pages = pool.map_or(0, |pool| pool.pages_per_block(self.mode));
        if (one_shot && self.mode.bits() > 1) || pages < 2 {
            let allowed = "a mode that a pool has, programmed page by page, with 2 pages or more in a block";
            refuse("mode", self.mode.name().to_owned(), allowed.to_owned());
        }
        if let (Some(pool), true) = (pool, problems.len() == before) {
            self.check_blocks(pool, mus, problems);
        }
    }

    fn check_blocks(&self, pool: &PoolConfig, mus: u64, problems: &mut Vec<Problem>) {
        let (shape, least) = self.shape(pool, self.translations(mus));
        check_range(problems, "device.map.blocks", shape.blocks, least..=65_536);
    }
}
