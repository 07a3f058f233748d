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

/// Declares the parameters of scheme `$scheme`: the shared ones, and its own with their defaults. A user
/// finds all of them side by side, so that they are fields of one struct.
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
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            /// Bytes that move between the tiers as one, a part of the logical page: whole pages of the fast
            /// tier, and whole pages of the dense one or a part of one; default: the logical page.
            pub unit_bytes: Option<u32>,
            /// Largest utilisation of the fast tier, above 0; default: 0.97, or what its spare blocks
            /// allow where that is less.
            pub utilisation_max: Option<f64>,
            /// Utilisation of the fast tier before time 0, from 0 on.
            pub initial_utilisation: f64,
            /// Write requests of a period, after which the analyser looks at the load, 1-1000000000.
            pub period_writes: u64,
            /// Where a write of a unit goes that does not lie in the fast tier.
            pub misses: $crate::schemes::hyssd::Misses,
            /// When a write meets the destage that makes way for it.
            pub destage: $crate::schemes::hyssd::Destage,
            /// Write requests for which the fast tier must have been fuller than wanted, and a unit
            /// unwritten, before idle time moves it to the dense tier, 1-1000000000; default: a period.
            pub force_after_writes: Option<u64>,
            /// When idle time moves units to the dense tier.
            pub idle: $crate::hw::config::IdleRule,
            /// Blocks per plane of the fast tier on a device of one pool, which both tiers share;
            /// default: an eighth of them, 8 at least where there are twice as many. On a device of two
            /// pools each tier is a pool.
            pub fast_blocks: Option<u32>,
            /// Cell mode of the fast tier; default: SLC on a device of one pool, else its pool's densest.
            pub fast_mode: Option<$crate::base::CellMode>,
            /// Cell mode of the dense tier; default: the densest of its pool.
            pub dense_mode: Option<$crate::base::CellMode>,
            /// Order in which consecutive pages go to planes.
            pub plane_order: $crate::ftl::config::PlaneOrder,
            /// How a page's plane is chosen.
            pub placement: $crate::ftl::config::Placement,
            /// Which free block is opened next.
            pub wear_levelling: $crate::ftl::config::WearLevelling,
            /// Moved pages go to a frontier of their own instead of the host's; without it each tier needs a
            /// block per plane less.
            pub separate_frontier: bool,
            /// Cleaning of the fast tier.
            pub fast: $crate::schemes::DenseRule,
            /// Cleaning of the dense tier.
            pub dense: $crate::schemes::DenseRule,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    unit_bytes: None,
                    utilisation_max: None,
                    initial_utilisation: 0.05,
                    period_writes: 10_000,
                    misses: Default::default(),
                    destage: Default::default(),
                    force_after_writes: None,
                    idle: Default::default(),
                    fast_blocks: None,
                    fast_mode: None,
                    dense_mode: None,
                    plane_order: $crate::ftl::config::PlaneOrder::Cwdp,
                    placement: $crate::ftl::config::Placement::RoundRobin,
                    wear_levelling: $crate::ftl::config::WearLevelling::Fifo,
                    separate_frontier: true,
                    fast: Default::default(),
                    dense: Default::default(),
                }
            }
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

        impl $crate::ftl::scheme::Parameters for $name {
            fn check(
                &self,
                device: &$crate::hw::device_config::DeviceConfig,
                problems: &mut Vec<$crate::base::Problem>,
            ) {
                $own(self, problems);
                self.spec().check(device, problems);
            }

            fn settle(&mut self, device: &$crate::hw::device_config::DeviceConfig) {
                self.unit_bytes = Some(self.spec().unit_bytes(device));
                if let Ok(layout) = self.spec().layout(device) {
                    (self.fast_mode, self.dense_mode) = (Some(layout.fast.mode), Some(layout.dense.mode));
                    if layout.is_shared() {
                        self.fast_blocks = Some(layout.fast.blocks);
                    }
                }
            }

            $(fn moot(&self, key: &str) -> Option<&'static str> {
                $moot(self, key)
            })?
        }
    };
}
pub(in crate::schemes) use hyssd_config;
