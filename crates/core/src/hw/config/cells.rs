//! How cells err, what is done to read them all the same, and when blocks are bad.
//!
//! Numbers are *known* where a paper or a public program states them and *assumed* elsewhere.

use super::{LevellingConfig, PoolConfig, ReclaimConfig, RefreshConfig, Scrub, HOLD_NS_MAX};
use crate::base::{CellMode, Problem};
use crate::metrics::cells::EndOfLife;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Longest array time of a read with all that is done to repeat it, ns: an operation counts in 32 bits.
const ARRAY_NS_MAX: u64 = 1_000_000_000;
/// A day, ns.
pub const DAY_NS: f64 = 86_400e9;

/// How the cells of one mode err.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModeCells {
    /// Raw bit error rate of unworn cells just programmed. Known: mlc 8.34e-5, tlc 1.48e-3; assumed: slc
    /// 1e-6, qlc 2e-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.4))]
    pub eps: Option<f64>,
    /// References that are sensed for each page kind, by which its error rate differs from the mean.
    /// Assumed: mlc 1, 2; tlc 2, 3, 2; qlc 4, 4, 4, 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4), inner(range(min = 1, max = 64)))]
    pub senses: Option<Vec<u32>>,
}

impl ModeCells {
    /// Writes out what is not given.
    pub(in crate::hw) fn settle(&mut self, mode: CellMode) {
        let (eps, senses): (f64, &[u32]) = match mode {
            CellMode::Slc => (1e-6, &[1]),
            CellMode::Mlc => (8.34e-5, &[1, 2]),
            CellMode::Tlc => (1.48e-3, &[2, 3, 2]),
            CellMode::Qlc => (2.0e-3, &[4, 4, 4, 3]),
        };
        self.eps.get_or_insert(eps);
        self.senses.get_or_insert_with(|| senses.to_vec());
    }
}

/// Whether reads of one state cost the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorsPerRead {
    /// The worst codeword of every read has the median of the errors that such a worst one has.
    #[default]
    Expected,
    /// Drawn for each read.
    Sampled,
}

/// What crosses the channel for a read that is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryTransfer {
    /// What every sensing brings.
    #[default]
    Each,
    /// What the last one brings, while others are under way.
    Last,
}

/// How cycles in several modes wear a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WearRule {
    /// Each cycle uses up one part in its mode's endurance of the block's life.
    #[default]
    Damage,
    /// Each cycle counts as one of the densest mode.
    Same,
    /// Each mode has a count of its own.
    Apart,
}

impl WearRule {
    pub const ALL: [Self; 3] = [Self::Damage, Self::Same, Self::Apart];

    /// The name used in configuration and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Damage => "damage",
            Self::Same => "same",
            Self::Apart => "apart",
        }
    }
}

/// How the error rate grows with wear, age and reads: factors and powers of one form for all modes. Known:
/// a fit to 72-layer TLC, made dimensionless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ShapeConfig {
    /// Growth over the rated cycles, in parts of `eps`. Known: 3.54.
    #[schemars(range(min = 0.0, max = 1e6))]
    #[default(3.54)]
    pub wear: f64,
    /// Its power of the cycles. Known: 2.05.
    #[schemars(range(min = 0.0, max = 10.0))]
    #[default(2.05)]
    pub wear_power: f64,
    /// Growth over a year at rated cycles. Known: 3.15.
    #[schemars(range(min = 0.0, max = 1e6))]
    #[default(3.15)]
    pub age: f64,
    /// Its power of the cycles. Known: 0.14.
    #[schemars(range(min = 0.0, max = 10.0))]
    #[default(0.14)]
    pub age_wear_power: f64,
    /// Its power of the age. Known: 0.54.
    #[schemars(range(min = 0.05, max = 10.0))]
    #[default(0.54)]
    pub age_power: f64,
    /// Growth over 1000 reads of each page at rated cycles. Known: 4.78.
    #[schemars(range(min = 0.0, max = 1e6))]
    #[default(4.78)]
    pub reads: f64,
    /// Its power of the cycles. Known: 0.33.
    #[schemars(range(min = 0.0, max = 10.0))]
    #[default(0.33)]
    pub reads_wear_power: f64,
    /// Its power of the reads. Known: 1.71.
    #[schemars(range(min = 0.05, max = 10.0))]
    #[default(1.71)]
    pub reads_power: f64,
}

/// What the controller can correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct CodeConfig {
    /// Data bytes of a codeword. Assumed: 1024.
    #[schemars(range(min = 64, max = 65_536))]
    #[default(1024)]
    pub codeword_bytes: u32,
    /// Wrong bits of a codeword that are corrected from one sensing. Assumed: 72.
    #[schemars(range(min = 1, max = 65_536))]
    #[default(72)]
    pub hard_errors: u32,
    /// The same from a soft sensing; `hard_errors` where there is none. Assumed: 160.
    #[schemars(range(min = 1, max = 65_536))]
    #[default(160)]
    pub soft_errors: u32,
}

/// How a read is repeated whose data cannot be corrected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct RetryConfig {
    /// What each further step tolerates beyond the hard limit, as a share of it. Known from another program:
    /// 0.5.
    #[schemars(range(min = 0.01, max = 100.0))]
    #[default(0.5)]
    pub step: f64,
    /// Most steps, after which sensing is soft. Assumed: 24.
    #[schemars(range(min = 1, max = 63))]
    #[default(24)]
    pub max_steps: u32,
    /// Time of a step over that of the first sensing. Assumed: 1.
    #[schemars(range(min = 0.0, max = 10.0))]
    #[default(1.0)]
    pub time_factor: f64,
    /// Time to find that a step's data cannot be corrected, ns. Assumed: 0.
    #[schemars(range(max = 1_000_000_000))]
    pub decode_ns: u32,
    /// Sensings of a soft read. Assumed: 6.
    #[schemars(range(max = 64))]
    #[default(6)]
    pub soft_senses: u32,
    /// Time to correct from them, ns. Assumed: 20000.
    #[schemars(range(max = 1_000_000_000))]
    #[default(20_000)]
    pub soft_ns: u32,
    /// What crosses the channel.
    pub transfer: RetryTransfer,
}

/// Blocks of one mode at time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StartConfig {
    /// Cycles that blocks have had; what the run adds comes on top.
    #[schemars(range(max = 10_000_000))]
    pub cycles: u32,
    /// Age of what was written before time 0, days.
    #[schemars(range(min = 0.0, max = 36_500.0))]
    pub days: f64,
    /// Reads of each page of it since then.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub reads: f64,
}

/// The state at time 0 by cell mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StartsConfig {
    /// In SLC mode.
    pub slc: StartConfig,
    /// In MLC mode.
    pub mlc: StartConfig,
    /// In TLC mode.
    pub tlc: StartConfig,
    /// In QLC mode.
    pub qlc: StartConfig,
}

impl StartsConfig {
    pub fn of(&self, mode: CellMode) -> &StartConfig {
        match mode {
            CellMode::Slc => &self.slc,
            CellMode::Mlc => &self.mlc,
            CellMode::Tlc => &self.tlc,
            CellMode::Qlc => &self.qlc,
        }
    }
}

/// Cells that err: error rates, their correction and the state they begin in. Every mode needs its
/// `endurance_cycles`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct CellsConfig {
    /// Whether reads of one state cost the same.
    pub mode: ErrorsPerRead,
    /// How cycles in several modes wear a block.
    pub wear: WearRule,
    /// Age gained per time simulated: 86400 makes days of seconds.
    #[schemars(range(min = 0.0, max = 1e9))]
    #[default(1.0)]
    pub age_scale: f64,
    /// By how much more errors grow with age at the default references than at the best ones. Assumed: 21.
    #[schemars(range(min = 1.0, max = 1000.0))]
    #[default(21.0)]
    pub drift: f64,
    /// Standard deviation of the logarithm of blocks' error rates. Assumed: 0.15.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[default(0.15)]
    pub variation: f64,
    /// Seed of that variation.
    #[default(1)]
    pub variation_seed: u32,
    /// Factor on the error rate of wordlines that were reprogrammed in place. Assumed: 1.
    #[schemars(range(min = 0.0, max = 100.0))]
    #[default(1.0)]
    pub reprogrammed_eps_factor: f64,
    /// How error rates grow.
    pub shape: ShapeConfig,
    /// What can be corrected.
    pub code: CodeConfig,
    /// How reads are repeated.
    pub retry: RetryConfig,
    /// The state at time 0, by mode.
    pub start: StartsConfig,
    /// Bad blocks; absent = no block is or becomes bad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_blocks: Option<BadBlocksConfig>,
    /// Read reclaim; absent = none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaim: Option<ReclaimConfig>,
    /// Refresh of what has aged; absent = none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<RefreshConfig>,
    /// Static levelling of wear; absent = none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levelling: Option<LevellingConfig>,
}

impl CellsConfig {
    /// The sections by which blocks move because of their cells.
    pub fn upkeep(&self) -> impl Iterator<Item = &'static str> {
        let sections = [
            ("reclaim", self.reclaim.is_some()),
            ("refresh", self.refresh.is_some()),
            ("levelling", self.levelling.is_some()),
        ];
        sections.into_iter().filter(|(_, is_on)| *is_on).map(|(key, _)| key)
    }

    /// Simulated time between two patrol reads of a block, ns, where there are any.
    pub fn patrol_ns(&self) -> Option<f64> {
        let refresh = self.refresh.filter(|refresh| refresh.scrub == Scrub::Patrol)?;
        Some(refresh.patrol_days * DAY_NS / self.age_scale)
    }

    /// Whether blocks move because of their cells.
    pub fn has_upkeep(&self) -> bool {
        self.upkeep().next().is_some()
    }

    /// Longest array time of a read that senses for `read_ns` at first, ns.
    fn longest_ns(&self, read_ns: u32) -> u64 {
        let RetryConfig { max_steps, time_factor, decode_ns, soft_senses, soft_ns, .. } = self.retry;
        let step_ns = libm::round(time_factor * f64::from(read_ns)) as u64 + u64::from(decode_ns);
        let soft_ns = u64::from(soft_senses) * u64::from(read_ns) + u64::from(soft_ns);
        u64::from(read_ns) + u64::from(max_steps) * step_ns + soft_ns
    }

    /// Adds every problem of this section with the device's `pools`.
    pub(in crate::hw) fn check(&self, pools: &[PoolConfig], problems: &mut Vec<Problem>) {
        self.check_code(problems);
        if let Some(bad_blocks) = &self.bad_blocks {
            bad_blocks.check(pools, problems);
        }
        self.levelling.iter().for_each(|levelling| levelling.check(problems));
        if self.age_scale == 0.0 && self.patrol_ns().is_some() {
            let key = "device.cells.refresh.scrub";
            problems.push(Problem::new(key, "patrol", "read where age_scale is 0: nothing ages"));
        }
        for (i, pool) in pools.iter().enumerate() {
            self.check_pool(&format!("device.pool[{i}]"), pool, problems);
        }
        let offered = |mode: CellMode| pools.iter().any(|pool| pool.mode(mode).is_some());
        for mode in CellMode::ALL.into_iter().filter(|&mode| !offered(mode)) {
            if *self.start.of(mode) != StartConfig::default() {
                let key = format!("device.cells.start.{}", mode.name());
                problems.push(Problem::new(key, "present", "left out: no pool offers this mode"));
            }
        }
        let reprogrammed = pools.iter().any(|pool| pool.reprogram.is_some());
        if self.reprogrammed_eps_factor != 1.0 && !reprogrammed {
            let allowed = "1 where no chips can be reprogrammed";
            let key = "device.cells.reprogrammed_eps_factor";
            problems.push(Problem::new(key, self.reprogrammed_eps_factor, allowed));
        }
    }

    fn check_code(&self, problems: &mut Vec<Problem>) {
        let CodeConfig { codeword_bytes, hard_errors, soft_errors } = self.code;
        let most = codeword_bytes * 8 * 2 / 5;
        if !(hard_errors..=most.max(hard_errors)).contains(&soft_errors) || soft_errors > most {
            let allowed =
                format!("between hard_errors, {hard_errors}, and {most}, 40 % of a codeword's bits");
            problems.push(Problem::new("device.cells.code.soft_errors", soft_errors, allowed));
        }
    }

    fn check_pool(&self, key: &str, pool: &PoolConfig, problems: &mut Vec<Problem>) {
        for mode in CellMode::ALL {
            let Some(config) = pool.mode(mode) else { continue };
            let key = format!("{key}.{}", mode.name());
            if config.endurance_cycles.is_none() {
                let allowed = "given: device.cells reckons wear by it";
                problems.push(Problem::new(format!("{key}.endurance_cycles"), "none", allowed));
            }
            let senses = config.cells.as_ref().and_then(|cells| cells.senses.as_ref());
            if let Some(senses) = senses.filter(|senses| senses.len() != mode.bits() as usize) {
                let allowed = format!("a list of {} numbers, one for each page kind", mode.bits());
                problems.push(Problem::new(format!("{key}.cells.senses"), format!("{senses:?}"), allowed));
            }
            let longest_ns = config.read_ns.iter().map(|&ns| self.longest_ns(ns)).max().unwrap_or(0);
            if longest_ns > ARRAY_NS_MAX {
                let allowed = format!(
                    "such that a read of {key} with all its steps takes at most {ARRAY_NS_MAX} ns: \
                     max_steps, time_factor, decode_ns, soft_senses or soft_ns are too large"
                );
                problems.push(Problem::new("device.cells.retry", format!("{longest_ns} ns"), allowed));
            }
        }
        let out_ns = u128::from(pool.read_out_ns()) * u128::from(self.transfers(self.retry.max_steps, true));
        if out_ns > u128::from(HOLD_NS_MAX) {
            let allowed = format!(
                "such that a read of {key} with all its steps holds the channel for at most {HOLD_NS_MAX} ns: \
                 max_steps or soft_senses are too large"
            );
            problems.push(Problem::new("device.cells.retry", format!("{out_ns} ns"), allowed));
        }
    }

    /// How often the data of a read with so many steps cross the channel.
    pub fn transfers(&self, steps: u32, soft: bool) -> u32 {
        match self.retry.transfer {
            RetryTransfer::Each => 1 + steps + if soft { self.retry.soft_senses } else { 0 },
            RetryTransfer::Last => 1,
        }
    }
}

/// Bad blocks. A run that reaches the device's end of life ends there, with results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct BadBlocksConfig {
    /// Blocks retire: at an erase, once damage times what the block differs from the mean by
    /// (`variation`) is 1.
    pub retire: bool,
    /// Share of blocks that are bad from the start, below 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub factory_bad: f64,
    /// Spare blocks per plane, beside `blocks`: each takes the place of a bad one.
    #[schemars(range(max = 1_048_576))]
    pub spare_blocks: u32,
    /// When the device takes no more requests.
    pub end_of_life: EndOfLife,
}

impl BadBlocksConfig {
    /// Adds every problem of this section with the device's `pools`.
    pub(super) fn check(&self, pools: &[PoolConfig], problems: &mut Vec<Problem>) {
        let mut add = |key: &str, value: String, allowed: String| {
            problems.push(Problem::new(format!("device.cells.bad_blocks.{key}"), value, allowed));
        };
        if self.factory_bad >= 1.0 {
            add("factory_bad", self.factory_bad.to_string(), "0 to below 1".into());
        }
        let fewest = pools.iter().map(|pool| pool.blocks).min().unwrap_or(0);
        if self.spare_blocks > fewest {
            let allowed = format!("0 to {fewest}, the blocks of a plane");
            add("spare_blocks", self.spare_blocks.to_string(), allowed);
        }
        if self.spare_blocks > 0 && !self.retire && self.factory_bad == 0.0 {
            let allowed = "0 where no block retires (retire) or is bad from the start (factory_bad)";
            add("spare_blocks", self.spare_blocks.to_string(), allowed.into());
        }
        if self.end_of_life != EndOfLife::default() && !self.retire {
            let allowed = "left out where no block retires (retire)";
            add("end_of_life", self.end_of_life.name().into(), allowed.into());
        }
    }
}
