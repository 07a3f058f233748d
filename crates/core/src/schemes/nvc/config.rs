//! The parameters of `nvc`, and of the schemes with one region.

use super::super::common::device_fit::{
    check_page, densest, densest_beside_slc, largest_pool, no_pool, offered_modes,
};
use super::figures::LogTier;
use super::rules::{CachePolicy, LastLogRule, SlcLogRule};
use crate::base::problem::check_range;
use crate::base::{units, CellMode, Problem};
use crate::ftl::config::{Placement, PlaneOrder};
use crate::ftl::log_region::LogSpans;
use crate::ftl::scheme::Parameters;
use crate::hw::config::PoolConfig;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// The usual memory for copies: that of the paper's disk has this much DRAM, as we assume.
pub const COPY_BUFFER_BYTES: u64 = 8 << 20;
/// The largest.
pub const COPY_BUFFER_BYTES_MAX: u64 = 1 << 40;

/// Parameters of `nvc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct NvcConfig {
    /// The paper's policy: 0 = two levels, all writes go to SLC; 1 = large writes go to the dense region;
    /// 2 = the same, and nothing moves between the regions; 3 = what leaves a region's cold end always
    /// goes one level down.
    #[schemars(range(max = 3))]
    pub policy: u32,
    /// SLC blocks per plane, 2 to the plane's less 2; default: half of them.
    pub slc_blocks: Option<u32>,
    /// Cell mode of the other blocks; default: the densest that one pool offers beside SLC.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Cleaning of the SLC region.
    pub slc: SlcLogRule,
    /// Cleaning of the dense region.
    pub dense: LastLogRule,
    /// A larger write request is a large one (integer or a string such as "16KiB"), 512 to 1 GiB.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(min = 512, max = 1 << 30))]
    #[default(16 << 10)]
    pub large_request_bytes: u64,
    /// Memory for what was read below and waits to be copied into flash (integer or a string such as
    /// "8MiB"), at most 1 TiB; what finds no room in it is not copied.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(max = COPY_BUFFER_BYTES_MAX))]
    #[default(COPY_BUFFER_BYTES)]
    pub copy_buffer_bytes: u64,
    /// Clean units that leave the flash are written to the disk as well, instead of dropped.
    pub flush_clean: bool,
}

impl NvcConfig {
    /// Cell mode of the dense region.
    pub fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.dense_mode.unwrap_or_else(|| densest_beside_slc(device))
    }

    /// The pool used: the first that offers both modes.
    pub fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        let mode = self.mode(device);
        let offers = |pool: &PoolConfig| pool.slc.is_some() && pool.mode(mode).is_some();
        device.pool.iter().position(offers).filter(|_| mode != CellMode::Slc)
    }

    /// SLC blocks per plane of `blocks`.
    pub fn slc_blocks(&self, blocks: u32) -> u32 {
        self.slc_blocks.unwrap_or(blocks / 2)
    }

    /// What moves where.
    pub fn policy(&self) -> CachePolicy {
        CachePolicy::number(self.policy).expect("Invariant: the configuration was checked")
    }

    /// Adds the problems of both regions, of a plane of `blocks`.
    fn check_regions(&self, blocks: u32, problems: &mut Vec<Problem>) {
        let least = LogSpans::ROWS_MIN;
        let slc = self.slc_blocks(blocks);
        if blocks < 2 * least {
            let allowed = format!("left alone: planes of {blocks} blocks have no room for two regions");
            problems.push(Problem::new("scheme.nvc.slc_blocks", slc, allowed));
        } else {
            check_range(problems, "scheme.nvc.slc_blocks", slc, least..=blocks - least);
        }
        // Either region has room by now, or there is a problem.
        let key = "scheme.nvc.slc_blocks";
        self.slc.check("scheme.nvc.slc", (key, slc.max(least)), problems);
        self.dense.check((key, blocks.saturating_sub(slc).max(least)), problems);
    }
}

impl Parameters for NvcConfig {
    const ON_DISK: bool = true;

    fn settle(&mut self, device: &DeviceConfig) {
        self.dense_mode = Some(self.mode(device));
        if let Some(pool) = self.pool(device) {
            self.slc_blocks = Some(self.slc_blocks(device.pool[pool].blocks));
        }
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let Some(pool) = self.pool(device) else {
            problems.push(no_pool("scheme.nvc.dense_mode".into(), self.mode(device), device));
            return;
        };
        check_page(device, &device.pool[pool], "scheme.nvc", problems);
        self.check_regions(device.pool[pool].blocks, problems);
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let of_slc = matches!(key, "slc.stay_invalid" | "slc.stay_marked_invalid");
        let of_dense = matches!(key, "dense.stay_invalid_spinning" | "dense.stay_invalid_standby");
        match self.policy {
            0 | 3 if key == "large_request_bytes" => Some("policy 1 and policy 2 tell large writes apart"),
            2 if of_slc => Some("policy 2 cleans the SLC region by the limits of the dense one"),
            3 if of_slc || of_dense => Some("policy 3 lets nothing stay"),
            _ => None,
        }
    }
}

/// The parameters of every scheme with one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct LogConfig {
    /// Blocks per plane that the cache uses, 2 or more; default: all.
    pub blocks: Option<u32>,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Cleaning.
    pub clean: LastLogRule,
    /// Memory for what was read from the disk and waits to be copied into flash (integer or a
    /// string such as "8MiB"), at most 1 TiB; what finds no room in it is not copied.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(max = COPY_BUFFER_BYTES_MAX))]
    #[default(COPY_BUFFER_BYTES)]
    pub copy_buffer_bytes: u64,
    /// Clean units that leave the flash are written to the disk as well, instead of dropped.
    pub flush_clean: bool,
}

/// What the region is, as one of the schemes asks for it.
#[derive(Clone, Copy)]
pub struct SingleSpec<'a> {
    /// The scheme.
    pub name: &'static str,
    /// What the region counts as.
    pub tier: LogTier,
    /// Its cell mode.
    pub mode: CellMode,
    /// What both schemes have.
    pub log: &'a LogConfig,
}

impl SingleSpec<'_> {
    /// The pool used: the largest that offers the mode, which is one of the tier.
    pub fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        let is_of_tier = (self.mode == CellMode::Slc) == (self.tier == LogTier::Slc);
        is_of_tier.then(|| largest_pool(self.mode, device))?
    }

    /// Blocks per plane of the region, on a device that offers its mode: all where nothing is chosen.
    pub fn blocks(&self, device: &DeviceConfig) -> Option<u32> {
        self.log.blocks.or_else(|| self.pool(device).map(|pool| device.pool[pool].blocks))
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let Some(pool) = self.pool(device).map(|pool| &device.pool[pool]) else {
            return problems.push(self.no_pool(device));
        };
        check_page(device, pool, &format!("scheme.{}", self.name), problems);
        let key = format!("scheme.{}.blocks", self.name);
        let (blocks, least) = (self.log.blocks.unwrap_or(pool.blocks), LogSpans::ROWS_MIN);
        check_range(problems, &key, blocks, least..=pool.blocks);
        self.log.clean.check((&key, blocks.max(least)), problems);
    }

    /// No chip offers the mode.
    fn no_pool(&self, device: &DeviceConfig) -> Problem {
        let modes = offered_modes(device);
        match self.tier {
            LogTier::Slc => {
                let allowed = format!("another scheme: the chips offer {modes}, not slc");
                Problem::new("scheme", self.name, allowed)
            }
            LogTier::Dense => {
                let key = format!("scheme.{}.dense_mode", self.name);
                let allowed = format!("a mode denser than slc; the device offers {modes}");
                Problem::new(key, self.mode.name(), allowed)
            }
        }
    }
}

/// The parameters of a scheme with one region.
pub trait SingleConfig {
    /// What it asks of the region on `device`.
    fn spec(&self, device: &DeviceConfig) -> SingleSpec<'_>;
}

/// Parameters of `nvc-slc-only`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct NvcSlcOnlyConfig {
    /// What every scheme with one region has.
    #[serde(flatten)]
    pub log: LogConfig,
}

impl SingleConfig for NvcSlcOnlyConfig {
    fn spec(&self, _device: &DeviceConfig) -> SingleSpec<'_> {
        SingleSpec { name: "nvc-slc-only", tier: LogTier::Slc, mode: CellMode::Slc, log: &self.log }
    }
}

impl Parameters for NvcSlcOnlyConfig {
    const ON_DISK: bool = true;

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.spec(device).check(device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        self.log.blocks = self.spec(device).blocks(device);
    }
}

/// Parameters of `nvc-mlc-only`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct NvcMlcOnlyConfig {
    /// Cell mode of the blocks; default: the densest that the device offers.
    pub dense_mode: Option<CellMode>,
    /// What every scheme with one region has.
    #[serde(flatten)]
    pub log: LogConfig,
}

impl SingleConfig for NvcMlcOnlyConfig {
    fn spec(&self, device: &DeviceConfig) -> SingleSpec<'_> {
        let mode = self.dense_mode.unwrap_or_else(|| densest(device));
        SingleSpec { name: "nvc-mlc-only", tier: LogTier::Dense, mode, log: &self.log }
    }
}

impl Parameters for NvcMlcOnlyConfig {
    const ON_DISK: bool = true;

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.spec(device).check(device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        let spec = self.spec(device);
        (self.dense_mode, self.log.blocks) = (Some(spec.mode), spec.blocks(device));
    }
}
