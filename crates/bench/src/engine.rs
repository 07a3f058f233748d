//! The engine on requests that lie ready in memory.

use slcache_core::device::request::Request;
use slcache_core::device::Simulation;
use slcache_sim::{resolve, Layers, RunConfig};

/// The resolved configuration of a device under a scheme.
pub fn config(device: &str, scheme: &str, sets: &[String]) -> Result<RunConfig, String> {
    let layers =
        Layers { device: device.into(), scheme: scheme.to_owned(), sets: sets.to_vec(), ..Layers::default() };
    resolve(&layers).map_err(|errors| errors.to_string())
}

pub fn device(config: &RunConfig) -> Result<Simulation, String> {
    let setup = config.setup();
    Simulation::new(&setup).map_err(|problems| format!("{}: {problems:?}", setup.device.name))
}

pub fn feed(simulation: &mut Simulation, requests: &[Request]) -> Result<(), String> {
    // In batches, as a trace reader hands them over.
    requests.chunks(4096).try_for_each(|batch| simulation.feed(batch)).map_err(|error| error.to_string())
}
