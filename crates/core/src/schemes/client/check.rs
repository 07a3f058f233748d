//! Whether the parameters of `client` fit a device.

use super::super::common::device_fit::{check_capacity, check_page, densest_beside_slc, no_pool};
use super::config::{ClientConfig, DynamicRule, FlushWhen, FoldHost, FoldPath, Full};
use crate::base::problem::check_range;
use crate::base::{CellMode, Problem};
use crate::ftl::config::Placement;
use crate::ftl::scheme::Parameters;
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;

/// Most free blocks that may be kept.
const KEEP_MAX: u32 = 64;
/// Fewest: one to fold into, one that cleaning turns over.
const KEEP_MIN: u32 = 2;
/// The parameters beside the device.
pub struct Fit<'a> {
    config: &'a ClientConfig,
    device: &'a DeviceConfig,
    /// Cell mode of the dense blocks.
    pub mode: CellMode,
}

impl<'a> Fit<'a> {
    /// Both, unchecked.
    pub fn new(config: &'a ClientConfig, device: &'a DeviceConfig) -> Self {
        let mode = config.dense_mode.unwrap_or_else(|| densest_beside_slc(device));
        Self { config, device, mode }
    }

    /// The pool used: the first that offers both modes.
    pub fn pool_index(&self) -> Option<usize> {
        let fits = |p: &PoolConfig| p.slc.is_some() && p.mode(self.mode).is_some();
        self.device.pool.iter().position(fits).filter(|_| self.mode != CellMode::Slc)
    }

    fn pool(&self) -> Option<&'a PoolConfig> {
        self.pool_index().map(|index| &self.device.pool[index])
    }

    /// Free blocks per plane that the host leaves to folding.
    pub fn keep_blocks(&self) -> Option<u32> {
        let share = |pool: &PoolConfig| (pool.blocks / 64).clamp(KEEP_MIN, KEEP_MAX);
        self.config.fold.keep_blocks.or(self.pool().map(share))
    }

    /// Free blocks per plane at which folding for the host is over.
    pub fn stop_blocks(&self) -> Option<u32> {
        let beyond = self.keep_blocks().map(|keep| keep.saturating_add(self.mode.bits()));
        self.config.fold.stop_blocks.or(beyond)
    }

    /// So many planes; 0 if that is all of them.
    pub fn fewer_planes(&self, parallel: Option<u32>) -> usize {
        let all = self.pool().map(PoolConfig::plane_count);
        parallel.filter(|&planes| Some(planes) != all).unwrap_or(0) as usize
    }

    fn check_parallel(&self, pool: &PoolConfig, problems: &mut Vec<Problem>) {
        let config = self.config;
        for (key, parallel) in [("fold", config.fold.parallel), ("dense", config.dense.parallel)] {
            if let Some(planes) = parallel {
                let key = format!("scheme.client.{key}.parallel");
                check_range(problems, &key, planes, 1..=pool.plane_count());
            }
        }
        let most = self.fewer_planes(config.dense.parallel);
        if config.placement == Placement::Static && most > 0 {
            let (why, all) = ("a page cannot wait for its plane", pool.plane_count());
            let allowed = format!(
                "round-robin or least-loaded with dense.parallel = {most}, for {why}; {all} is no limit"
            );
            problems.push(Problem::new("scheme.client.placement", "static", allowed));
        }
    }

    pub fn check(&self, problems: &mut Vec<Problem>) {
        let config = self.config;
        config.idle.check("scheme.client.idle", problems);
        self.check_flush(problems);
        if config.full == Full::Through && config.fold.host == FoldHost::Dense {
            let allowed = "slc with full = \"through\", by which the host writes nowhere else";
            problems.push(Problem::new("scheme.client.fold.host", "dense", allowed));
        }
        match self.pool() {
            Some(pool) => self.check_sizes(pool, problems),
            None => problems.push(no_pool("scheme.client.dense_mode".into(), self.mode, self.device)),
        }
    }

    fn check_flush(&self, problems: &mut Vec<Problem>) {
        let flush = &self.config.flush;
        if flush.low > flush.high {
            let allowed = format!("at most flush.high, which is {}", flush.high);
            problems.push(Problem::new("scheme.client.flush.low", flush.low, allowed));
        }
    }

    /// Blocks per plane, beside those kept, that can hold no user data: one, and where pages hold several
    /// units as many as can be dead without a block that has a page of them, by which cleaning wins.
    fn wasted_blocks(&self, pool: &PoolConfig) -> u32 {
        let slots = u64::from(pool.page_bytes / self.device.mu_bytes);
        let block_units = slots * u64::from(pool.pages_per_block(self.mode));
        1 + (u64::from(pool.blocks) * (slots - 1)).div_ceil(block_units) as u32
    }

    fn check_sizes(&self, pool: &PoolConfig, problems: &mut Vec<Problem>) {
        let (config, device) = (self.config, self.device);
        check_page(device, pool, "scheme.client", problems);
        self.check_parallel(pool, problems);
        config.dynamic.check(pool.raw_bytes(CellMode::Slc), problems);
        if config.fold.path == FoldPath::Chip && pool.mode(self.mode).is_some_and(|mode| mode.fold.is_none())
        {
            let allowed = format!(
                "auto or controller: pool \"{}\" has no section {}.fold",
                pool.name,
                self.mode.name()
            );
            problems.push(Problem::new("scheme.client.fold.path", "chip", allowed));
        }
        let keep = self.keep_blocks().unwrap_or(KEEP_MIN);
        let wasted = self.wasted_blocks(pool);
        let room = pool.blocks.saturating_sub(wasted + 1);
        let before = problems.len();
        check_range(
            problems,
            "scheme.client.fold.keep_blocks",
            keep,
            KEEP_MIN..=KEEP_MAX.min(room.max(KEEP_MIN)),
        );
        if problems.len() > before {
            return;
        }
        if let Some(stop) = config.fold.stop_blocks {
            check_range(problems, "scheme.client.fold.stop_blocks", stop, keep + 1..=pool.blocks);
        }
        let most = pool.blocks.saturating_sub(keep + wasted);
        let before = problems.len();
        check_range(problems, "scheme.client.static_blocks", config.static_blocks, 0..=most);
        if problems.len() == before {
            let blocks = pool.blocks - config.static_blocks;
            check_capacity(device, pool, self.mode, blocks, keep + wasted, problems);
        }
    }
}

impl Parameters for ClientConfig {
    fn settle(&mut self, device: &DeviceConfig) {
        let fit = Fit::new(self, device);
        let (mode, keep) = (fit.mode, fit.keep_blocks());
        (self.dense_mode, self.fold.keep_blocks) = (Some(mode), keep);
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        Fit::new(self, device).check(problems);
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let rule = |rule, why| (self.dynamic.rule != rule).then_some(why);
        match key {
            "dynamic.share" => rule(DynamicRule::Free, "dynamic.rule is not \"free\""),
            "dynamic.table" | "dynamic.shape" => rule(DynamicRule::Table, "dynamic.rule is not \"table\""),
            "dynamic.max_bytes" if self.dynamic.rule == DynamicRule::None => {
                Some("dynamic.rule = \"none\": there is no dynamic part")
            }
            "dense.parallel" | "dense.clean_ahead" if self.full == Full::Through => {
                Some("full = \"through\": the host writes nowhere else")
            }
            "flush.high" | "flush.low" if self.flush.when != FlushWhen::Lazy => {
                Some("flush.when is not \"lazy\"")
            }
            "idle.threshold_ns" | "idle.scope" | "flush.reopen" if self.flush.when == FlushWhen::Demand => {
                Some("flush.when = \"demand\": nothing is done in idle time")
            }
            _ => None,
        }
    }
}
