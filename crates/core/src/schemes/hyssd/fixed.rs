//! The tiers of HySSD with a constant utilisation of the fast one.
//!
//! **What it does.** As `hyssd`, without its analyser: the fast tier is as full as `utilisation` says.
//! **Paper.** "Hybrid Solid State Drives for Improved Performance and Enhanced Lifetime", section III,
//! "Static".
//! **What the paper leaves open and what we chose.** As `hyssd`; the fast tier begins with
//! `initial_utilisation` here, too, and fills by writes.
//! **Knobs.** `utilisation`.

use super::super::common::dials::{Dial, Dials};
use super::capacity::Capacity;
use super::config::{HyssdSpec, Least, TierConfig, Wear};
use super::policy::{Advice, FillPolicy, Search};
use crate::base::Problem;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Where the figure of the model's optimum is searched, as `hyssd` does.
const SEARCH: Search = Search { min: 0.05, step: 0.01, min_writes: 100, halves: true };

/// Utilisation of the fast tier where none is chosen.
const UTILISATION: f64 = 0.6;

/// The figures of the lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LifetimeFigures {
    /// What wears a tier.
    pub wear: Wear,
}

/// Parameters of `hyssd-static`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct HyssdStaticConfig {
    /// Utilisation of the fast tier, from 0 on; default: 0.6, or what its spare blocks allow where that
    /// is less.
    pub utilisation: Option<f64>,
    /// The figures of the lifetime.
    pub lifetime: LifetimeFigures,
    /// What every scheme with two tiers has.
    #[serde(flatten)]
    pub tiers: TierConfig,
}

impl Parameters for HyssdStaticConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.spec().check(device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        self.tiers = self.spec().settled(device);
    }
}

impl HyssdStaticConfig {
    /// What it asks of the tiers.
    pub(super) fn spec(&self) -> HyssdSpec<'_> {
        HyssdSpec {
            name: "hyssd-static",
            tiers: &self.tiers,
            least: Least { key: "utilisation", given: self.utilisation, default: UTILISATION },
            wear: self.lifetime.wear,
            needs_endurance: false,
        }
    }
}

/// Size of the fast tier's part that holds data.
const KNOB: KnobSpec = KnobSpec {
    name: "utilisation",
    unit: "share",
    summary: "the larger, the more data stay in the fast tier",
};

/// A constant utilisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fixed {
    dials: Dials,
}

impl FillPolicy for Fixed {
    type Config = HyssdStaticConfig;
    const NAME: &'static str = "hyssd-static";
    const KNOBS: &'static [KnobSpec] = &[KNOB];

    /// The knob goes down as far as the dense tier has room for the rest of the data.
    fn new(config: &HyssdStaticConfig, device: &DeviceConfig) -> Self {
        let spec = config.spec();
        let layout = spec.layout(device).expect("Invariant: the configuration was checked");
        let (capacity, units) = (Capacity::of(&spec, device, &layout), spec.units(device));
        let holds = |u: f64| capacity.hold(units.count.into(), capacity.units_at(u), units.per_page);
        let dial = Dial::share(&KNOB, capacity.utilisation_max, capacity.least).only(holds);
        Self { dials: Dials::new([dial]) }
    }

    fn spec(config: &HyssdStaticConfig) -> HyssdSpec<'_> {
        config.spec()
    }

    fn search(_config: &HyssdStaticConfig) -> Search {
        SEARCH
    }

    fn first_target(&self) -> f64 {
        self.dials.value(&KNOB)
    }

    fn next_target(&mut self, _found: &Advice) -> Option<f64> {
        None
    }

    fn knobs(&self) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    fn turn(&mut self, knob: usize, value: f64) -> f64 {
        self.dials.turn(knob, value);
        self.dials.value(&KNOB)
    }
}
