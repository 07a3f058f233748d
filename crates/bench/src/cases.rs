//! Schemes on devices, the requests they are asked, and the engine on them.

use slcache_core::device::request::Request;
use slcache_core::device::Simulation;
use slcache_core::schemes::CATALOG;
use slcache_sim::resources::Stopwatch;
use slcache_sim::{resolve, Layers, RunConfig};
use slcache_traces::synthetic;
use slcache_traces::workload::Workload;
use std::collections::BTreeMap;

/// How a device is filled and worn without the clock, so that cleaning dominates at once.
const USED: [&str; 2] = ["precondition.fill=1.0", "precondition.overwrite=0.5"];
const SYNTH1M_FOOTPRINT_BYTES: u64 = 4 << 30;
/// Devices of two papers, on which all schemes are compared.
const COMPARED_ON: [&str; 2] = ["hierarchy-44g", "ips-384g"];
/// Both regions of flash in front of a disk, one of them, none.
const ON_DISK: [&str; 3] = ["nvc", "nvc-mlc-only", "disk-only"];
/// The device of two pools keeps up with synth1m when its requests come this much slower.
const SLOWER: u64 = 25;
/// Requests of the twin, as far apart as in its 12 hours; fewer could not touch its footprint.
const TWIN_REQUESTS: usize = 1_000_000;
const TWIN_GAP_NS: usize = 8_100_000;

/// Requests of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    Synth1m,
    HeavyGc,
    Synth1mSlower,
    Database,
}

impl Load {
    fn name(self) -> &'static str {
        match self {
            Self::Synth1m => "synth1m",
            Self::HeavyGc => "heavy_gc",
            Self::Synth1mSlower => "synth1m, slower",
            Self::Database => "database",
        }
    }

    /// The first so many requests.
    fn requests(self, count: usize) -> Result<Vec<Request>, String> {
        match self {
            Self::Synth1m => Ok(synthetic::synth1m(count)),
            Self::HeavyGc => Ok(synthetic::heavy_gc(count)),
            Self::Synth1mSlower => {
                let mut requests = synthetic::synth1m(count);
                requests.iter_mut().for_each(|request| request.at_ns *= SLOWER);
                Ok(requests)
            }
            Self::Database => database(count),
        }
    }
}

/// Requests of 4 KiB of a twin.
fn database(count: usize) -> Result<Vec<Request>, String> {
    let mut settings = BTreeMap::from([
        ("twin.requests".to_owned(), TWIN_REQUESTS.to_string()),
        ("twin.duration_ns".to_owned(), (TWIN_REQUESTS * TWIN_GAP_NS).to_string()),
    ]);
    for size in ["mean_write", "max_write", "mean_read", "max_read"] {
        settings.insert(format!("twin.{size}_bytes"), "4096".to_owned());
    }
    let workload = Workload::load("nvc-financial1", &settings).map_err(|error| error.to_string())?;
    Ok(workload.generate(1).take(count).collect())
}

/// A workload on a device under a scheme.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    load: Load,
    device: &'static str,
    scheme: &'static str,
}

/// Everything whose cost is measured.
pub fn all() -> Vec<Case> {
    let new = |load, device, scheme| Case { load, device, scheme };
    let mut cases = vec![
        new(Load::Synth1m, "mqsim-512g", "tlc-only"),
        new(Load::HeavyGc, "gc-8g", "tlc-only"),
        new(Load::Synth1mSlower, "hyssd-st", "hyssd"),
    ];
    for device in COMPARED_ON {
        let on_flash = CATALOG.iter().filter(|scheme| !scheme.on_disk);
        cases.extend(on_flash.map(|scheme| new(Load::Synth1m, device, scheme.name)));
    }
    cases.extend(ON_DISK.map(|scheme| new(Load::Database, "nvc-hdd", scheme)));
    cases
}

impl Case {
    pub fn name(self) -> String {
        format!("{} on {}, {}", self.load.name(), self.device, self.scheme)
    }

    /// Makes so many requests and feeds the first of them to a device; the CPU time of feeding, s.
    pub fn run(self, made: usize, taken: usize) -> Result<f64, String> {
        let used = self.load == Load::HeavyGc;
        let sets: Vec<String> = USED.iter().filter(|_| used).map(|set| (*set).to_owned()).collect();
        let config = config(self.device, self.scheme, &sets)?;
        let requests = self.load.requests(made)?;
        let mut simulation = device(&config)?;
        if used {
            simulation.precondition(&mut |_, _| true).map_err(|error| error.to_string())?;
        }
        simulation.preload(&self.preload(&config)).map_err(|error| error.to_string())?;
        let stopwatch = Stopwatch::start();
        feed(&mut simulation, &requests[..taken])?;
        simulation.finish().map_err(|error| error.to_string())?;
        Ok(stopwatch.cpu_s())
    }

    /// The logical pages that hold data beforehand: synth1m's where schemes are compared on it.
    fn preload(self, config: &RunConfig) -> Vec<(u32, u32)> {
        let preloaded = COMPARED_ON.contains(&self.device) || self.load == Load::Synth1mSlower;
        let pages = SYNTH1M_FOOTPRINT_BYTES / u64::from(config.device.piece_bytes());
        preloaded.then_some((0, pages as u32)).into_iter().collect()
    }
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

pub fn feed(simulation: &mut Simulation, requests: &[Request]) -> Result<(), String> {
    // In batches, as a trace reader hands them over.
    requests.chunks(4096).try_for_each(|batch| simulation.feed(batch)).map_err(|error| error.to_string())
}
