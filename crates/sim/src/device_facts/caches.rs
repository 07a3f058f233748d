//! Which schemes a device can run, and what their caches take in SLC mode.

use crate::config::{sizes, RunConfig};
use crate::{memory, resolve, Layers, SimError};
use serde_json::{json, Value};
use slcache_core::device::{Setup, Simulation};
use slcache_core::schemes::CATALOG;

/// Parameters that say how large a cache is, in blocks of every plane.
const SIZES: [&str; 2] = ["slc_blocks", "fast_blocks"];

/// A scheme on a device.
pub struct Fit {
    pub scheme: &'static str,
    /// Its cache; or why the device cannot run it.
    pub cache: Result<Cache, String>,
}

/// What a scheme's cache takes in SLC mode.
pub struct Cache {
    /// As the device has it by default.
    pub slc_bytes: u64,
    /// The parameter that changes it, if one does.
    pub range: Option<Range>,
}

/// What a parameter may be on the device, and what the cache is then.
pub struct Range {
    key: String,
    default: u64,
    least: (u64, u64),
    most: (u64, u64),
}

impl Cache {
    /// SLC blocks of every plane, where the scheme is told how many they are.
    pub fn slc_blocks(&self) -> Option<u64> {
        let range = self.range.as_ref().filter(|range| range.key.ends_with(".slc_blocks"));
        range.map(|range| range.default)
    }
}

impl Fit {
    pub fn to_json(&self) -> Value {
        let scheme = self.scheme;
        let cache = match &self.cache {
            Ok(cache) => cache,
            Err(problem) => return json!({ "scheme": scheme, "problem": problem }),
        };
        let range = cache.range.as_ref().map(|range| {
            let end = |(value, slc_bytes): (u64, u64)| json!({ "value": value, "slc_bytes": slc_bytes });
            json!({ "key": range.key, "default": range.default, "min": end(range.least), "max": end(range.most) })
        });
        json!({ "scheme": scheme, "slc_bytes": cache.slc_bytes, "range": range })
    }
}

/// Every scheme, in the catalogue's order; an error where the device does not fit into memory.
pub fn fits(device: &str) -> Result<Vec<Fit>, SimError> {
    CATALOG.iter().map(|entry| fit(device, entry.name)).collect()
}

fn fit(device: &str, scheme: &'static str) -> Result<Fit, SimError> {
    let layers = Layers { device: device.into(), scheme: scheme.to_owned(), ..Layers::default() };
    let config = match resolve(&layers) {
        Ok(config) => config,
        Err(errors) => {
            let lines: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
            return Ok(Fit { scheme, cache: Err(lines.join("; ")) });
        }
    };
    let slc_bytes = cache_bytes(&config.setup())?;
    let range = SIZES.iter().find_map(|key| range(&config, key)).transpose()?;
    Ok(Fit { scheme, cache: Ok(Cache { slc_bytes, range }) })
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
fn range(config: &RunConfig, name: &str) -> Option<Result<Range, SimError>> {
    let default = config.to_json()["scheme"][config.scheme.name()][name].as_u64()?;
    let blocks = config.device.pool.iter().map(|pool| u64::from(pool.blocks)).max().unwrap_or(0);
    let end = |far: u64| -> Result<(u64, u64), SimError> {
        let passes =
            |value| with(config, name, value).is_some_and(|config| config.setup().check().is_empty());
        let value = if passes(far) { far } else { sizes::furthest(default, far, passes) };
        let setup = with(config, name, value).map_or_else(|| config.setup(), |config| config.setup());
        Ok((value, cache_bytes(&setup)?))
    };
    let key = format!("scheme.{}.{name}", config.scheme.name());
    Some(end(0).and_then(|least| Ok(Range { key, default, least, most: end(blocks)? })))
}

/// A configuration with one parameter of its scheme changed.
fn with(config: &RunConfig, name: &str, value: u64) -> Option<RunConfig> {
    let mut changed = config.to_json();
    changed["scheme"][config.scheme.name()][name] = value.into();
    serde_json::from_value(changed).ok()
}
