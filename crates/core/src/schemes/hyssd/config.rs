//! The parameters that both schemes have, declared once.

use super::super::hybrid::DenseRule;
use crate::base::CellMode;
use crate::ftl::config::{Placement, PlaneOrder, WearLevelling};
use crate::hw::config::IdleRule;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the host's write meets the destage that makes way for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Destage {
    /// The write waits until what makes way for it is in the dense tier.
    #[default]
    Foreground,
    /// The write does not wait; the destage is served behind the host's requests.
    Background,
}

/// Where a write of a unit goes that does not lie in the fast tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Misses {
    /// To the fast tier, as the cost model charges it.
    #[default]
    Fast,
    /// To the dense tier, unless the unit was among the last written when the period began.
    Dense,
}

/// What wears a tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wear {
    /// The bytes programmed, by the size of the tier.
    #[default]
    Programmed,
    /// The mean erase count of its blocks.
    Erases,
}

/// The least utilisation that the fast tier is told to have.
#[derive(Clone, Copy, Debug)]
pub struct Least {
    /// The key that says so.
    pub key: &'static str,
    /// Its value, if one was given.
    pub given: Option<f64>,
    /// What it is else, as far as the fast tier can have that.
    pub default: f64,
}

/// The shared parameters, as one of the schemes has them.
pub struct HyssdSpec<'a> {
    /// The scheme.
    pub name: &'static str,
    /// What is kept together, bytes.
    pub unit_bytes: Option<u32>,
    /// The largest utilisation of the fast tier.
    pub utilisation_max: Option<f64>,
    /// Its utilisation before time 0.
    pub initial_utilisation: f64,
    /// The least that it is told to have.
    pub least: Least,
    /// Write requests of a period.
    pub period_writes: u64,
    /// Where misses go.
    pub misses: Misses,
    /// When a destage is done.
    pub destage: Destage,
    /// Write requests before migration is forced.
    pub force_after_writes: Option<u64>,
    /// What wears a tier.
    pub wear: Wear,
    /// Whether the endurance of both tiers must be known.
    pub needs_endurance: bool,
    /// Blocks per plane of a fast tier that shares its pool.
    pub fast_blocks: Option<u32>,
    /// Cell mode of the fast tier.
    pub fast_mode: Option<CellMode>,
    /// Cell mode of the dense tier.
    pub dense_mode: Option<CellMode>,
    /// Plane order.
    pub plane_order: PlaneOrder,
    /// Choice of plane.
    pub placement: Placement,
    /// Which free block is opened next.
    pub wear_levelling: WearLevelling,
    /// Whether what cleaning moves goes to blocks of its own.
    pub separate_frontier: bool,
    /// When migration is forced.
    pub idle: IdleRule,
    /// Cleaning of the fast tier.
    pub fast: &'a DenseRule,
    /// Cleaning of the dense tier.
    pub dense: &'a DenseRule,
}

impl HyssdSpec<'_> {
    /// The unit in bytes.
    pub fn unit_bytes(&self, device: &DeviceConfig) -> u32 {
        self.unit_bytes.unwrap_or_else(|| device.piece_bytes())
    }

    /// Blocks per plane of a tier that cannot hold user data.
    pub fn held_back(&self, rule: &DenseRule) -> u32 {
        rule.held_back() - u32::from(!self.separate_frontier)
    }

    /// Write requests before migration is forced.
    pub fn force_after_writes(&self) -> u64 {
        self.force_after_writes.unwrap_or(self.period_writes)
    }
}

/// Declares the parameters of scheme `$scheme`: the shared ones, and its own with their defaults.
macro_rules! hyssd_config {
    (
        $(#[$about:meta])*
        pub struct $name:ident($scheme:literal) {
            $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
        least $least:path;
        needs_endurance $endurance:path;
        check $own:path;
        $(moot $moot:path;)?
    ) => {
        $crate::schemes::common::parameters::parameters! {
            $(#[$about])*
            pub struct $name {
                $($(#[$doc])* pub $field: $type = $default,)*
                /// Bytes that move between the tiers as one, a part of the logical page: whole pages of the fast
                /// tier, and whole pages of the dense one or a part of one; default: the logical page.
                pub unit_bytes: Option<u32> = None,
                /// Largest utilisation of the fast tier, above 0; default: 0.97, or what its spare blocks
                /// allow where that is less.
                pub utilisation_max: Option<f64> = None,
                /// Utilisation of the fast tier before time 0, from 0 on.
                pub initial_utilisation: f64 = 0.05,
                /// Write requests of a period, after which the analyser looks at the load.
                #[schemars(range(min = 1, max = 1_000_000_000))]
                pub period_writes: u64 = 10_000,
                /// Where a write of a unit goes that does not lie in the fast tier.
                pub misses: $crate::schemes::hyssd::Misses = Default::default(),
                /// When a write meets the destage that makes way for it.
                pub destage: $crate::schemes::hyssd::Destage = Default::default(),
                /// Write requests for which the fast tier must have been fuller than wanted, and a unit
                /// unwritten, before idle time moves it to the dense tier; default: a period.
                #[schemars(range(min = 1, max = 1_000_000_000))]
                pub force_after_writes: Option<u64> = None,
                /// When idle time moves units to the dense tier.
                pub idle: $crate::hw::config::IdleRule = Default::default(),
                /// Blocks per plane of the fast tier on a device of one pool, which both tiers share;
                /// default: an eighth of them, 8 at least where there are twice as many. On a device of two
                /// pools each tier is a pool.
                pub fast_blocks: Option<u32> = None,
                /// Cell mode of the fast tier; default: SLC on a device of one pool, else its pool's densest.
                pub fast_mode: Option<$crate::base::CellMode> = None,
                /// Cell mode of the dense tier; default: the densest of its pool.
                pub dense_mode: Option<$crate::base::CellMode> = None,
                /// Order in which consecutive pages go to planes.
                pub plane_order: $crate::ftl::config::PlaneOrder = $crate::ftl::config::PlaneOrder::Cwdp,
                /// How a page's plane is chosen.
                pub placement: $crate::ftl::config::Placement = $crate::ftl::config::Placement::RoundRobin,
                /// Which free block is opened next.
                pub wear_levelling: $crate::ftl::config::WearLevelling = $crate::ftl::config::WearLevelling::Fifo,
                /// Moved pages go to a frontier of their own instead of the host's; without it each tier needs a
                /// block per plane less.
                pub separate_frontier: bool = true,
                /// Cleaning of the fast tier.
                pub fast: $crate::schemes::DenseRule = Default::default(),
                /// Cleaning of the dense tier.
                pub dense: $crate::schemes::DenseRule = Default::default(),
            }
            check |config, device, problems| {
                $own(config, problems);
                config.spec().check(device, problems);
            };
            settle |config, device| {
                config.unit_bytes = Some(config.spec().unit_bytes(device));
                if let Ok(layout) = config.spec().layout(device) {
                    (config.fast_mode, config.dense_mode) = (Some(layout.fast.mode), Some(layout.dense.mode));
                    if layout.is_shared() {
                        config.fast_blocks = Some(layout.fast.blocks);
                    }
                }
            };
            $(moot $moot;)?
        }

        impl $name {
            /// The shared part.
            pub(in $crate::schemes) fn spec(&self) -> $crate::schemes::hyssd::config::HyssdSpec<'_> {
                $crate::schemes::hyssd::config::HyssdSpec {
                    name: $scheme,
                    unit_bytes: self.unit_bytes,
                    utilisation_max: self.utilisation_max,
                    initial_utilisation: self.initial_utilisation,
                    least: $least(self),
                    period_writes: self.period_writes,
                    misses: self.misses,
                    destage: self.destage,
                    force_after_writes: self.force_after_writes,
                    wear: self.lifetime.wear,
                    needs_endurance: $endurance(self),
                    fast_blocks: self.fast_blocks,
                    fast_mode: self.fast_mode,
                    dense_mode: self.dense_mode,
                    plane_order: self.plane_order,
                    placement: self.placement,
                    wear_levelling: self.wear_levelling,
                    separate_frontier: self.separate_frontier,
                    idle: self.idle,
                    fast: &self.fast,
                    dense: &self.dense,
                }
            }
        }
    };
}
pub(in crate::schemes) use hyssd_config;
