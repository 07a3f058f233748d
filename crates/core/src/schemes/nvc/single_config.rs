//! The parameters of the schemes with one region, declared once.

use super::super::common::device_fit::{check_page, densest, offered_modes};
use super::super::common::parameters::parameters;
use super::config::{COPY_BUFFER_BYTES, COPY_BUFFER_BYTES_MAX};
use super::figures::Tier;
use super::rules::LastLogRule;
use crate::base::problem::check_range;
use crate::base::{units, CellMode, Problem};
use crate::ftl::config::{Placement, PlaneOrder};
use crate::ftl::log_region::LogSpans;
use crate::hw::device_config::DeviceConfig;

/// What both have, as one of them has it.
#[derive(Clone, Copy)]
pub struct SingleSpec<'a> {
    /// The scheme.
    pub name: &'static str,
    /// What the region counts as.
    pub tier: Tier,
    /// Its cell mode.
    pub mode: CellMode,
    /// Blocks per plane.
    pub blocks: Option<u32>,
    /// Plane order.
    pub plane_order: PlaneOrder,
    /// Choice of plane.
    pub placement: Placement,
    /// Cleaning.
    pub clean: &'a LastLogRule,
    /// Clean units are written to the disk as well.
    pub flush_clean: bool,
    /// Memory for copies.
    pub copy_buffer_bytes: u64,
}

impl SingleSpec<'_> {
    /// The pool used: the largest that offers the mode, which is one of the tier.
    pub fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        if (self.mode == CellMode::Slc) != (self.tier == Tier::Slc) {
            return None;
        }
        let offering = device.pool.iter().enumerate().filter(|(_, p)| p.mode(self.mode).is_some());
        offering.max_by_key(|(i, p)| (p.raw_bytes(self.mode), std::cmp::Reverse(*i))).map(|(i, _)| i)
    }

    /// Blocks per plane of the region, on a device that offers its mode: all where nothing is chosen.
    pub fn blocks(&self, device: &DeviceConfig) -> Option<u32> {
        self.blocks.or_else(|| self.pool(device).map(|pool| device.pool[pool].blocks))
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let Some(pool) = self.pool(device).map(|pool| &device.pool[pool]) else {
            return problems.push(self.no_pool(device));
        };
        check_page(device, pool, &format!("scheme.{}", self.name), problems);
        let key = format!("scheme.{}.blocks", self.name);
        let (blocks, least) = (self.blocks.unwrap_or(pool.blocks), LogSpans::ROWS_MIN);
        check_range(problems, &key, blocks, least..=pool.blocks);
        self.clean.check((&key, blocks.max(least)), problems);
    }

    /// No chip offers the mode.
    fn no_pool(&self, device: &DeviceConfig) -> Problem {
        let modes = offered_modes(device);
        match self.tier {
            Tier::Slc => {
                let allowed = format!("another scheme: the chips offer {modes}, not slc");
                Problem::new("scheme", self.name, allowed)
            }
            Tier::Dense => {
                let key = format!("scheme.{}.dense_mode", self.name);
                let allowed = format!("a mode denser than slc; the device offers {modes}");
                Problem::new(key, self.mode.name(), allowed)
            }
        }
    }
}

/// Declares the parameters of scheme `$scheme`: the shared ones, and how its cell mode is chosen.
macro_rules! single_config {
    (
        $(#[$about:meta])*
        pub struct $name:ident($scheme:literal) { $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr,)* }
        tier $tier:expr;
        mode $mode:expr;
        settle $settle:expr;
    ) => {
        parameters! {
            $(#[$about])*
            pub struct $name {
                $($(#[$doc])* pub $field: $type = $default,)*
                /// Blocks per plane that the cache uses, 2 or more; default: all.
                pub blocks: Option<u32> = None,
                /// Order in which consecutive pages go to planes.
                pub plane_order: PlaneOrder = PlaneOrder::Cwdp,
                /// How a page's plane is chosen.
                pub placement: Placement = Placement::RoundRobin,
                /// Cleaning.
                pub clean: LastLogRule = LastLogRule::default(),
                /// Memory for what was read from the disk and waits to be copied into flash (integer or a
                /// string such as "8MiB"), at most 1 TiB; what finds no room in it is not copied.
                #[serde(deserialize_with = "units::bytes")]
                #[schemars(with = "units::Bytes")]
                #[schemars(range(max = COPY_BUFFER_BYTES_MAX))]
                pub copy_buffer_bytes: u64 = COPY_BUFFER_BYTES,
                /// Clean units that leave the flash are written to the disk as well, instead of dropped.
                pub flush_clean: bool = false,
            }
            const ON_DISK: bool = true;
            check |config, device, problems| config.spec(device).check(device, problems);
            settle |config, device| {
                let settle: fn(&mut $name, CellMode) = $settle;
                let (mode, blocks) = (config.spec(device).mode, config.spec(device).blocks(device));
                settle(config, mode);
                config.blocks = blocks;
            };
        }

        impl SingleConfig for $name {
            fn spec(&self, device: &DeviceConfig) -> SingleSpec<'_> {
                let mode: fn(&Self, &DeviceConfig) -> CellMode = $mode;
                SingleSpec {
                    name: $scheme,
                    tier: $tier,
                    mode: mode(self, device),
                    blocks: self.blocks,
                    plane_order: self.plane_order,
                    placement: self.placement,
                    clean: &self.clean,
                    flush_clean: self.flush_clean,
                    copy_buffer_bytes: self.copy_buffer_bytes,
                }
            }
        }
    };
}

/// The parameters of a scheme with one region.
pub trait SingleConfig {
    /// The shared ones.
    fn spec(&self, device: &DeviceConfig) -> SingleSpec<'_>;
}

single_config! {
    /// Parameters of `nvc-slc-only`.
    pub struct NvcSlcOnlyConfig("nvc-slc-only") {}
    tier Tier::Slc;
    mode |_, _| CellMode::Slc;
    settle |_, _| ();
}

single_config! {
    /// Parameters of `nvc-mlc-only`.
    pub struct NvcMlcOnlyConfig("nvc-mlc-only") {
        /// Cell mode of the blocks; default: the densest that the device offers.
        pub dense_mode: Option<CellMode> = None,
    }
    tier Tier::Dense;
    mode |config, device| config.dense_mode.unwrap_or_else(|| densest(device));
    settle |config, mode| config.dense_mode = Some(mode);
}
