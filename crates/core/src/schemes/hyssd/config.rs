//! The parameters that both schemes have, and what they may ask of a device of two tiers.

use super::super::hybrid::DenseRule;
use super::capacity::Capacity;
use super::tiers::Layout;
use crate::base::{CellMode, Problem};
use crate::ftl::config::{Placement, PlaneOrder, WearLevelling};
use crate::hw::config::IdleRule;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

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

/// The parameters of every scheme with two tiers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct TierConfig {
    /// Bytes that move between the tiers as one, a part of the logical page: whole pages of the fast
    /// tier, and whole pages of the dense one or a part of one; default: the logical page.
    pub unit_bytes: Option<u32>,
    /// Largest utilisation of the fast tier, above 0; default: 0.97, or what its spare blocks
    /// allow where that is less.
    pub utilisation_max: Option<f64>,
    /// Utilisation of the fast tier before time 0, from 0 on.
    #[default(0.05)]
    pub initial_utilisation: f64,
    /// Write requests of a period, after which the analyser looks at the load.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[default(10_000)]
    pub period_writes: u64,
    /// Where a write of a unit goes that does not lie in the fast tier.
    pub misses: Misses,
    /// When a write meets the destage that makes way for it.
    pub destage: Destage,
    /// Write requests for which the fast tier must have been fuller than wanted, and a unit
    /// unwritten, before idle time moves it to the dense tier; default: a period.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub force_after_writes: Option<u64>,
    /// When idle time moves units to the dense tier.
    pub idle: IdleRule,
    /// Blocks per plane of the fast tier on a device of one pool, which both tiers share;
    /// default: an eighth of them, 8 at least where there are twice as many. On a device of two
    /// pools each tier is a pool.
    pub fast_blocks: Option<u32>,
    /// Cell mode of the fast tier; default: SLC on a device of one pool, else its pool's densest.
    pub fast_mode: Option<CellMode>,
    /// Cell mode of the dense tier; default: the densest of its pool.
    pub dense_mode: Option<CellMode>,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Which free block is opened next.
    #[default(WearLevelling::Fifo)]
    pub wear_levelling: WearLevelling,
    /// Moved pages go to a frontier of their own instead of the host's; without it each tier needs a
    /// block per plane less.
    #[default(true)]
    pub separate_frontier: bool,
    /// Cleaning of the fast tier.
    pub fast: DenseRule,
    /// Cleaning of the dense tier.
    pub dense: DenseRule,
}

/// What the tiers have, as one of the schemes asks for them.
pub struct HyssdSpec<'a> {
    /// The scheme.
    pub name: &'static str,
    /// What both schemes have.
    pub tiers: &'a TierConfig,
    /// The least utilisation that the fast tier is told to have.
    pub least: Least,
    /// What wears a tier.
    pub wear: Wear,
    /// Whether the endurance of both tiers must be known.
    pub needs_endurance: bool,
}

impl HyssdSpec<'_> {
    /// The parameters with what depends on the device written out.
    pub fn settled(&self, device: &DeviceConfig) -> TierConfig {
        let mut tiers = TierConfig { unit_bytes: Some(self.tiers.unit_bytes(device)), ..self.tiers.clone() };
        if let Ok(layout) = self.layout(device) {
            (tiers.fast_mode, tiers.dense_mode) = (Some(layout.fast.mode), Some(layout.dense.mode));
            if layout.is_shared() {
                tiers.fast_blocks = Some(layout.fast.blocks);
            }
        }
        tiers
    }
}

impl TierConfig {
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

impl HyssdSpec<'_> {
    /// Adds every problem of the parameters on `device`.
    pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let key = |rest: &str| format!("scheme.{}.{rest}", self.name);
        let found = problems.len();
        self.tiers.idle.check(&key("idle"), problems);
        let layout = match self.layout(device) {
            Ok(layout) => layout,
            Err(problem) => return problems.push(problem),
        };
        self.check_unit(device, &layout, problems);
        if problems.len() == found {
            self.check_endurance(device, &layout, problems);
            Capacity::of(self, device, &layout).check(self, device, &layout, problems);
        }
    }

    /// A unit is made of whole pages of the fast tier, and of whole pages of the dense one or fills one of
    /// them with others.
    fn check_unit(&self, device: &DeviceConfig, layout: &Layout, problems: &mut Vec<Problem>) {
        let unit = self.tiers.unit_bytes(device);
        let [fast, dense] = [&layout.fast, &layout.dense].map(|place| &device.pool[place.pool]);
        let key = format!("scheme.{}.unit_bytes", self.name);
        let mut refuse = |allowed: String| problems.push(Problem::new(key.clone(), unit, allowed));
        if unit == 0 || device.piece_bytes() % unit != 0 {
            refuse(format!("a divisor of the logical page of {} bytes", device.piece_bytes()));
        } else if unit % device.mu_bytes != 0 {
            refuse(format!("a multiple of the mapping unit of {} bytes", device.mu_bytes));
        } else if unit % fast.page_bytes != 0 {
            refuse(format!(
                "a multiple of the {} bytes of a page of pool \"{}\"",
                fast.page_bytes, fast.name
            ));
        } else if unit % dense.page_bytes != 0 && dense.page_bytes % unit != 0 {
            let (bytes, name) = (dense.page_bytes, &dense.name);
            refuse(format!("a multiple or a divisor of the {bytes} bytes of a page of pool \"{name}\""));
        } else if device.piece_bytes() % dense.page_bytes != 0 {
            let allowed = format!(
                "a multiple of the {} bytes of a page of pool \"{}\" for scheme.{}",
                dense.page_bytes, dense.name, self.name
            );
            problems.push(Problem::new("device.piece_bytes", device.piece_bytes(), allowed));
        }
    }

    fn check_endurance(&self, device: &DeviceConfig, layout: &Layout, problems: &mut Vec<Problem>) {
        for place in [&layout.fast, &layout.dense].into_iter().filter(|_| self.needs_endurance) {
            let mode = device.pool[place.pool].mode(place.mode);
            if mode.is_some_and(|mode| mode.endurance_cycles.is_none()) {
                let key = format!("device.pool[{}].{}.endurance_cycles", place.pool, place.mode.name());
                let allowed = format!("1 or more, as scheme.{}.goal = \"lifetime\" needs it", self.name);
                problems.push(Problem::new(key, "not given", allowed));
            }
        }
    }
}
