//! The parameters of the schemes with one region.

use super::super::common::device_fit::{check_page, densest, largest_pool, offered_modes};
use super::config::{COPY_BUFFER_BYTES, COPY_BUFFER_BYTES_MAX};
use super::figures::LogTier;
use super::rules::LastLogRule;
use crate::base::problem::check_range;
use crate::base::{units, CellMode, Problem};
use crate::ftl::config::{Placement, PlaneOrder};
use crate::ftl::log_region::LogSpans;
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

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
