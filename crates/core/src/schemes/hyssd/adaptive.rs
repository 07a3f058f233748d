//! HySSD: an analytic model decides how much of the fast tier is used.
//!
//! **What it does.** New data go to the fast of two tiers, and as many units as are brought in leave it
//! for the dense one, those written longest ago, once it is as full as it is to be. After every period
//! of write requests the cost of a unit's access is reckoned for every such utilisation, from the write
//! recency of what was read and written and the cost of cleaning both tiers; the cheapest one is
//! the next period's. With `goal = "lifetime"` it is offset step by step towards the tier that has more
//! of its lifetime left.
//! **Paper.** "Hybrid Solid State Drives for Improved Performance and Enhanced Lifetime", sections II-A to
//! II-C.
//! **What the paper leaves open and what we chose.** decisions/0024: where the search begins, what
//! a miss does, the unit, the period, what a destage makes wait, what counts as wear.
//! **Knobs.** None: the analyser turns the only one there is.

use super::config::{HyssdSpec, Least, TierConfig, Wear};
use super::lifetime::Offset;
use super::policy::{Advice, FillPolicy, Search};
use crate::base::Problem;
use crate::ftl::scheme::Parameters;
use crate::hw::device_config::DeviceConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// What the analyser aims at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The least cost of an access.
    #[default]
    Performance,
    /// That, offset until both tiers last equally long.
    Lifetime,
}

/// What becomes of what was counted in a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum History {
    /// It weighs half in the next period.
    #[default]
    Halve,
    /// It is forgotten.
    Reset,
}

/// The lifetime rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct LifetimeRule {
    /// By how much the utilisation is offset after a period, above 0 to 1.
    #[default(0.01)]
    pub step: f64,
    /// What wears a tier.
    pub wear: Wear,
}

/// Parameters of `hyssd`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct HyssdConfig {
    /// What the analyser aims at.
    #[default(Goal::Performance)]
    pub goal: Goal,
    /// Least utilisation of the fast tier, from 0 on.
    #[default(0.05)]
    pub utilisation_min: f64,
    /// Distance of the utilisations that the analyser tries.
    #[schemars(range(min = 0.0001, max = 1.0))]
    #[default(0.01)]
    pub utilisation_step: f64,
    /// Fewest writes of units that the analyser believes in.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[default(100)]
    pub min_writes: u32,
    /// What becomes of what was counted in a period.
    #[default(History::Halve)]
    pub history: History,
    /// The lifetime rule.
    pub lifetime: LifetimeRule,
    /// What every scheme with two tiers has.
    #[serde(flatten)]
    pub tiers: TierConfig,
}

impl Parameters for HyssdConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        if !(self.lifetime.step > 0.0 && self.lifetime.step <= 1.0) {
            let key = "scheme.hyssd.lifetime.step";
            problems.push(Problem::new(key, self.lifetime.step, "above 0 and at most 1"));
        }
        self.spec().check(device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        self.tiers = self.spec().settled(device);
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let is_unused = key == "lifetime.step" && self.goal == Goal::Performance;
        is_unused.then_some("goal = \"performance\" does not offset the utilisation")
    }
}

impl HyssdConfig {
    /// What it asks of the tiers.
    pub(super) fn spec(&self) -> HyssdSpec<'_> {
        let min = self.utilisation_min;
        HyssdSpec {
            name: "hyssd",
            tiers: &self.tiers,
            least: Least { key: "utilisation_min", given: Some(min), default: min },
            wear: self.lifetime.wear,
            needs_endurance: self.goal == Goal::Lifetime,
        }
    }
}

/// The analyser's word, and the lifetime rule's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adaptive {
    goal: Goal,
    min: f64,
    step: f64,
    /// Utilisation of the least cost that was found last.
    best: f64,
    offset: Offset,
}

impl FillPolicy for Adaptive {
    type Config = HyssdConfig;
    const NAME: &'static str = "hyssd";

    fn new(config: &HyssdConfig, _device: &DeviceConfig) -> Self {
        let best = config.tiers.initial_utilisation.max(config.utilisation_min);
        let (min, step) = (config.utilisation_min, config.lifetime.step);
        Self { goal: config.goal, min, step, best, offset: Offset::default() }
    }

    fn spec(config: &HyssdConfig) -> HyssdSpec<'_> {
        config.spec()
    }

    fn search(config: &HyssdConfig) -> Search {
        Search {
            min: config.utilisation_min,
            step: config.utilisation_step,
            min_writes: config.min_writes,
            halves: config.history == History::Halve,
        }
    }

    fn first_target(&self) -> f64 {
        self.best
    }

    fn next_target(&mut self, found: &Advice) -> Option<f64> {
        self.best = found.best?;
        match (self.goal, found.lifetimes) {
            (Goal::Lifetime, Some(lifetimes)) => {
                Some(self.offset.target(self.best, lifetimes, self.step, (self.min, found.max)))
            }
            _ => Some(self.best),
        }
    }
}
