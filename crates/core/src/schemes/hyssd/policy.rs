//! What the schemes differ in: who says how full the fast tier is to be.

use super::config::HyssdSpec;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::hw::device_config::DeviceConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Where the analyser searches.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Search {
    /// Least utilisation of the fast tier.
    pub min: f64,
    /// Distance of the utilisations tried.
    pub step: f64,
    /// Fewest writes that it believes in.
    pub min_writes: u32,
    /// Whether what was counted weighs half in the next period, instead of nothing.
    pub halves: bool,
}

/// What a period showed.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// Utilisation of the least cost, where there was enough to go by.
    pub best: Option<f64>,
    /// What is left of the lifetime of the fast and of the dense tier, where their endurance is known.
    pub lifetimes: Option<(f64, f64)>,
    /// Largest utilisation of the fast tier.
    pub max: f64,
}

/// Who says how full the fast tier is to be.
///
/// A snapshot holds it as it is.
pub trait FillPolicy: Clone + Serialize + DeserializeOwned {
    /// The scheme's parameters.
    type Config;
    const NAME: &'static str;
    /// What can be turned while it runs.
    const KNOBS: &'static [KnobSpec] = &[];

    /// The policy of `config`, on a checked device.
    fn new(config: &Self::Config, device: &DeviceConfig) -> Self;

    /// The shared parameters.
    fn spec(config: &Self::Config) -> HyssdSpec<'_>;

    /// Where the analyser searches.
    fn search(config: &Self::Config) -> Search;

    /// The utilisation to begin with.
    fn first_target(&self) -> f64;

    /// The utilisation for the next period, if it is another.
    fn next_target(&mut self, found: &Advice) -> Option<f64>;

    fn knobs(&self) -> Vec<Knob> {
        Vec::new()
    }

    /// Turns a knob; returns the utilisation that it asks for.
    fn turn(&mut self, knob: usize, _value: f64) -> f64 {
        unreachable!("Invariant: the scheme has no knob {knob}")
    }
}
