//! The two tiers: where they are on a device, and the units they hold.

use super::super::hybrid::DenseRule;
use super::config::HyssdSpec;
use crate::base::{CellMode, Problem};
use crate::ftl::config::CleanConfig;
use crate::ftl::piece::Span;
use crate::ftl::region::{Pack, RegionSpec};
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;
use serde::{Deserialize, Serialize};

/// Fewest blocks per plane that a fast tier in a shared pool has where none are chosen, in a plane that
/// has twice as many.
const FAST_BLOCKS_LEAST: u32 = 8;
/// Fewest blocks per plane that either tier of a shared pool has.
const BLOCKS_MIN: u32 = 4;

/// What the analyser looks at: some mapping units that move between the tiers together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Units {
    /// Mapping units of each.
    pub mus: u32,
    /// Units of a logical page.
    pub per_page: u32,
    /// Units of the device.
    pub count: u32,
}

impl Units {
    /// The mapping units of unit `index` of a logical page.
    #[inline]
    pub fn span(&self, index: u32) -> Span {
        Span { first: index * self.mus, units: self.mus }
    }

    /// The logical page of `unit`, and its mapping units there.
    #[inline]
    pub fn place(&self, unit: u32) -> (u32, Span) {
        (unit / self.per_page, self.span(unit % self.per_page))
    }

    /// The units of a logical page that the mapping units `mask` lie in.
    #[inline]
    pub fn touched(&self, mask: u32) -> u32 {
        if self.mus == 1 || mask == 0 {
            return mask;
        }
        let (first, last) = (mask.trailing_zeros() / self.mus, mask.ilog2() / self.mus);
        (first..=last).filter(|&i| mask & self.span(i).mask() != 0).fold(0, |all, i| all | 1 << i)
    }
}

impl HyssdSpec<'_> {
    /// Where the tiers are, or which key does not fit the device.
    pub fn layout(&self, device: &DeviceConfig) -> Result<Layout, Problem> {
        Layout::of(self, device)
    }

    pub fn units(&self, device: &DeviceConfig) -> Units {
        let (unit, page) = (self.tiers.unit_bytes(device), device.piece_bytes());
        let per_page = page / unit;
        let pages = (device.user_bytes / u64::from(page)) as u32;
        Units { mus: unit / device.mu_bytes, per_page, count: pages * per_page }
    }
}

/// The blocks of a tier.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TierBlocks {
    pub pool: usize,
    pub mode: CellMode,
    /// First block of each plane.
    pub first_block: u32,
    /// Blocks per plane.
    pub blocks: u32,
}

impl TierBlocks {
    pub fn planes(&self, device: &DeviceConfig) -> u32 {
        device.pool[self.pool].plane_count()
    }

    pub fn block_bytes(&self, device: &DeviceConfig) -> u64 {
        let pool = &device.pool[self.pool];
        u64::from(pool.pages_per_block(self.mode)) * u64::from(pool.page_bytes)
    }

    /// Bytes of all blocks, `S` of the paper.
    pub fn bytes(&self, device: &DeviceConfig) -> u64 {
        u64::from(self.planes(device)) * u64::from(self.blocks) * self.block_bytes(device)
    }

    /// The specification of its region: a page that holds several units is mixed.
    pub fn region(&self, spec: &HyssdSpec, rule: &DenseRule, device: &DeviceConfig) -> RegionSpec {
        let is_mixed = spec.tiers.unit_bytes(device) < device.pool[self.pool].page_bytes;
        RegionSpec {
            pack: if is_mixed { Pack::Mu } else { Pack::Page },
            bank: None,
            pool: self.pool,
            mode: self.mode,
            first_block: self.first_block,
            blocks: self.blocks,
            order: spec.tiers.plane_order.letters(),
            placement: spec.tiers.placement,
            clean: CleanConfig {
                start_free_blocks: rule.threshold(),
                separate_frontier: spec.tiers.separate_frontier,
                ..rule.clean(spec.tiers.wear_levelling)
            },
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The tier that new data go to.
    pub fast: TierBlocks,
    /// The tier that holds the rest.
    pub dense: TierBlocks,
}

impl Layout {
    pub fn of(spec: &HyssdSpec, device: &DeviceConfig) -> Result<Self, Problem> {
        match device.pool.as_slice() {
            [pool] => Self::in_one(spec, pool),
            [_, _] => Self::in_two(spec, device),
            pools => {
                let allowed = format!("a list of 1 or 2 pools for scheme.{}, which has two tiers", spec.name);
                Err(Problem::new("device.pool", format!("{} pools", pools.len()), allowed))
            }
        }
    }

    /// Whether both lie in one pool.
    pub fn is_shared(&self) -> bool {
        self.fast.pool == self.dense.pool
    }

    /// Both tiers in one pool: the first blocks of each plane are the fast one's.
    fn in_one(spec: &HyssdSpec, pool: &PoolConfig) -> Result<Self, Problem> {
        if let [only] = offered(pool)[..] {
            let allowed =
                format!("given a second cell mode beside {only}: the tiers of scheme.{} share it", spec.name);
            return Err(Problem::new("device.pool[0]", format!("\"{}\"", pool.name), allowed));
        }
        let fast_mode = spec.tiers.fast_mode.unwrap_or(CellMode::Slc);
        let dense_mode = spec.tiers.dense_mode.unwrap_or_else(|| pool.densest());
        check_offered(spec, "fast_mode", fast_mode, pool)?;
        check_offered(spec, "dense_mode", dense_mode, pool)?;
        if fast_mode.bits() >= dense_mode.bits() {
            let allowed = format!("a mode that stores more than the {} of the fast tier", fast_mode.name());
            return Err(Problem::new(key(spec, "dense_mode"), dense_mode.name(), allowed));
        }
        let blocks = spec.tiers.fast_blocks.unwrap_or_else(|| default_fast_blocks(pool.blocks));
        let most = pool.blocks.saturating_sub(BLOCKS_MIN);
        if !(BLOCKS_MIN..=most).contains(&blocks) {
            let allowed = format!("between {BLOCKS_MIN} and {most} (the plane has {} blocks)", pool.blocks);
            return Err(Problem::new(key(spec, "fast_blocks"), blocks, allowed));
        }
        let fast = TierBlocks { pool: 0, mode: fast_mode, first_block: 0, blocks };
        let dense =
            TierBlocks { mode: dense_mode, first_block: blocks, blocks: pool.blocks - blocks, ..fast };
        Ok(Self { fast, dense })
    }

    /// Each tier is a pool: the fast one that with fewer bits per cell, the first on a tie.
    fn in_two(spec: &HyssdSpec, device: &DeviceConfig) -> Result<Self, Problem> {
        if let Some(blocks) = spec.tiers.fast_blocks {
            let allowed = "left out: on a device of two pools each tier is a pool";
            return Err(Problem::new(key(spec, "fast_blocks"), blocks, allowed));
        }
        let bits = |i: usize| device.pool[i].densest().bits();
        let (fast, dense) = if bits(1) < bits(0) { (1, 0) } else { (0, 1) };
        let place = |pool: usize, name: &str, chosen: Option<CellMode>| {
            let config = &device.pool[pool];
            let mode = chosen.unwrap_or_else(|| config.densest());
            check_offered(spec, name, mode, config)?;
            Ok(TierBlocks { pool, mode, first_block: 0, blocks: config.blocks })
        };
        let fast = place(fast, "fast_mode", spec.tiers.fast_mode)?;
        let dense = place(dense, "dense_mode", spec.tiers.dense_mode)?;
        if fast.mode.bits() > dense.mode.bits() {
            let allowed =
                format!("a mode that stores no less than the {} of the fast tier", fast.mode.name());
            return Err(Problem::new(key(spec, "dense_mode"), dense.mode.name(), allowed));
        }
        Ok(Self { fast, dense })
    }
}

/// An eighth of a plane's blocks, as the paper's device has 2 of 18 GB.
fn default_fast_blocks(blocks: u32) -> u32 {
    (blocks / 8).max(FAST_BLOCKS_LEAST.min(blocks / 2))
}

fn key(spec: &HyssdSpec, rest: &str) -> String {
    format!("scheme.{}.{rest}", spec.name)
}

/// The names of the modes that a pool offers.
fn offered(pool: &PoolConfig) -> Vec<&'static str> {
    CellMode::ALL.into_iter().filter(|&mode| pool.mode(mode).is_some()).map(CellMode::name).collect()
}

fn check_offered(spec: &HyssdSpec, name: &str, mode: CellMode, pool: &PoolConfig) -> Result<(), Problem> {
    if pool.mode(mode).is_some() {
        return Ok(());
    }
    let allowed = format!("a mode that pool \"{}\" offers: {}", pool.name, offered(pool).join(", "));
    Err(Problem::new(key(spec, name), mode.name(), allowed))
}
