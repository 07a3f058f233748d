//! Which schemes a device can run, and what their caches take in SLC mode.

use crate::config::{sizes, RunConfig};
use crate::{memory, resolve, Layers, SimError};
use schemars::JsonSchema;
use serde::Serialize;
use slcache_core::device::{Setup, Simulation};
use slcache_core::schemes::CATALOG;

/// Parameters that say how large a cache is, in blocks of every plane.
const SIZES: [&str; 2] = ["slc_blocks", "fast_blocks"];

/// A scheme on a device.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SchemeFit {
    Fits(SchemeCache),
    Unfit(UnfitScheme),
}

/// What a scheme's cache takes in SLC mode.
#[derive(Serialize, JsonSchema)]
pub struct SchemeCache {
    pub scheme: &'static str,
    /// As the device has it by default.
    pub slc_bytes: u64,
    /// The parameter that changes it, if one does.
    pub range: Option<SizeRange>,
}

#[derive(Serialize, JsonSchema)]
pub struct UnfitScheme {
    pub scheme: &'static str,
    /// Why the device cannot run it.
    pub problem: String,
}

/// What a parameter may be on the device, and what the cache is then.
#[derive(Serialize, JsonSchema)]
pub struct SizeRange {
    pub key: String,
    pub default: u64,
    pub min: RangeEnd,
    pub max: RangeEnd,
}

#[derive(Serialize, JsonSchema)]
pub struct RangeEnd {
    /// Of the parameter.
    pub value: u64,
    pub slc_bytes: u64,
}

impl SchemeFit {
    /// Its cache, where the device can run it.
    pub fn cache(&self) -> Option<&SchemeCache> {
        match self {
            Self::Fits(cache) => Some(cache),
            Self::Unfit(_) => None,
        }
    }
}

impl SchemeCache {
    /// SLC blocks of every plane, where the scheme is told how many they are.
    pub fn slc_blocks(&self) -> Option<u64> {
        let range = self.range.as_ref().filter(|range| range.key.ends_with(".slc_blocks"));
        range.map(|range| range.default)
    }
}

/// Every scheme, in the catalogue's order; an error where the device does not fit into memory.
pub fn fits(device: &str) -> Result<Vec<SchemeFit>, SimError> {
    CATALOG.iter().map(|entry| fit(device, entry.name)).collect()
}

fn fit(device: &str, scheme: &'static str) -> Result<SchemeFit, SimError> {
    let layers = Layers { device: device.into(), scheme: scheme.to_owned(), ..Layers::default() };
    let config = match resolve(&layers) {
        Ok(config) => config,
        Err(errors) => {
            let lines: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
            return Ok(SchemeFit::Unfit(UnfitScheme { scheme, problem: lines.join("; ") }));
        }
    };
    let slc_bytes = cache_bytes(&config.setup())?;
    let range = SIZES.iter().find_map(|key| range(&config, key)).transpose()?;
    Ok(SchemeFit::Fits(SchemeCache { scheme, slc_bytes, range }))
}

fn cache_bytes(setup: &Setup) -> Result<u64, SimError> {
    memory::check(&setup.memory())?;
    let new = Simulation::new(setup);
    let mut simulation = new.map_err(|problems| crate::ConfigErrors::from_problems(&problems))?;
    Ok(simulation.finish()?.cache.slc_bytes)
}

/// What the SLC cache of a configuration takes on a new device.
pub fn config_cache_bytes(config: &RunConfig) -> Result<u64, SimError> {
    cache_bytes(&config.setup())
}

/// How far a parameter can go down and up from where it stands, everything else left alone.
fn range(config: &RunConfig, name: &str) -> Option<Result<SizeRange, SimError>> {
    let default = config.to_json()["scheme"][config.scheme.name()][name].as_u64()?;
    let blocks = config.device.pool.iter().map(|pool| u64::from(pool.blocks)).max().unwrap_or(0);
    let end = |far: u64| -> Result<RangeEnd, SimError> {
        let passes =
            |value| with(config, name, value).is_some_and(|config| config.setup().check().is_empty());
        let value = if passes(far) { far } else { sizes::furthest(default, far, passes) };
        let setup = with(config, name, value).map_or_else(|| config.setup(), |config| config.setup());
        Ok(RangeEnd { value, slc_bytes: cache_bytes(&setup)? })
    };
    let key = format!("scheme.{}.{name}", config.scheme.name());
    Some(end(0).and_then(|min| Ok(SizeRange { key, default, min, max: end(blocks)? })))
}

/// A configuration with one parameter of its scheme changed.
fn with(config: &RunConfig, name: &str, value: u64) -> Option<RunConfig> {
    let mut changed = config.to_json();
    changed["scheme"][config.scheme.name()][name] = value.into();
    serde_json::from_value(changed).ok()
}
