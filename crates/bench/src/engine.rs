//! The engine on requests that lie ready in memory.

use slcache_core::base::op::OpKind;
use slcache_core::device::request::Request;
use slcache_core::device::Simulation;
use slcache_sim::resources::Stopwatch;
use slcache_sim::{resolve, Layers, RunConfig};

/// One run's figures.
pub struct Run {
    pub wall_s: f64,
    pub cpu_s: f64,
    pub flash_operations: u64,
    pub page_operations: u64,
    pub page_programs: u64,
    pub waf: f64,
    /// Page programs when the first part of the requests had been fed.
    pub programs_of_first_part: u64,
}

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

/// Feeds `requests` to a new device that holds `preload` (logical pages, untimed).
pub fn run(
    config: &RunConfig,
    requests: &[Request],
    first_part: usize,
    preload: &[(u32, u32)],
) -> Result<Run, String> {
    let mut simulation = device(config)?;
    simulation.preload(preload).map_err(|error| error.to_string())?;
    let stopwatch = Stopwatch::start();
    let (first, rest) = requests.split_at(first_part);
    feed(&mut simulation, first)?;
    let programs_of_first_part = count(&simulation, OpKind::stores);
    feed(&mut simulation, rest)?;
    let report = simulation.finish().map_err(|error| error.to_string())?;
    let (wall_s, cpu_s) = (stopwatch.wall_s(), stopwatch.cpu_s());
    Ok(Run {
        wall_s,
        cpu_s,
        flash_operations: report.flash.ops.iter().map(|row| row.count).sum(),
        page_operations: count(&simulation, |kind| kind == OpKind::Read || kind.stores()),
        page_programs: count(&simulation, OpKind::stores),
        waf: report.waf.total,
        programs_of_first_part,
    })
}

pub fn feed(simulation: &mut Simulation, requests: &[Request]) -> Result<(), String> {
    // In batches, as a trace reader hands them over.
    requests.chunks(4096).try_for_each(|batch| simulation.feed(batch)).map_err(|error| error.to_string())
}

/// Pages that operations of the kinds that `which` picks worked on so far.
fn count(simulation: &Simulation, which: impl Fn(OpKind) -> bool) -> u64 {
    let rows = simulation.counters().iter();
    rows.filter(|row| which(row.kind)).map(|row| row.totals.pages).sum()
}
