//! What a build with a profile is trained on: every scheme, devices of several kinds, workloads made
//! here and read back from every format. None of it is what the bench measures.

use super::files;
use slcache_core::schemes::{CatalogEntry, CATALOG};
use slcache_sim::episode::{Episode, EpisodeRequest};
use slcache_sim::traces::workload::Workload;
use slcache_sim::traces::{writable_formats, TraceEntry};
use slcache_sim::{execute, Layers, RunRequest};
use std::collections::BTreeMap;
use std::path::Path;

const REQUESTS: usize = 50_000;

/// A workload on a device under each of some schemes.
struct Training {
    device: &'static str,
    workload: &'static str,
    schemes: fn(&CatalogEntry) -> bool,
    sets: &'static [&'static str],
}

const ANY_ON_FLASH: fn(&CatalogEntry) -> bool = |scheme| !scheme.on_disk;
const PLAIN: fn(&CatalogEntry) -> bool = |scheme| scheme.name == "tlc-only";

/// A lightly loaded device, bursts, a full device that cleans, pools, a disk, a host link and a used
/// device whose cleaning dominates.
const TRAININGS: [Training; 8] = [
    Training { device: "hierarchy-44g-mqsim", workload: "mixed-oltp", schemes: ANY_ON_FLASH, sets: &[] },
    Training { device: "ips-coop", workload: "bursty-desktop", schemes: ANY_ON_FLASH, sets: &[] },
    Training { device: "tiny", workload: "hotcold", schemes: ANY_ON_FLASH, sets: &[] },
    Training { device: "rl-32g", workload: "rl-ycsb-a", schemes: |scheme| scheme.name == "rl", sets: &[] },
    Training {
        device: "hyssd-mt",
        workload: "hyssd-financial",
        schemes: |scheme| scheme.name.starts_with("hyssd"),
        sets: &[],
    },
    Training { device: "nvc-7200", workload: "nvc-desktop", schemes: |scheme| scheme.on_disk, sets: &[] },
    Training { device: "mqsim-512g", workload: "uniform-4k", schemes: PLAIN, sets: &["host.time_scale=0.1"] },
    Training {
        device: "mqsim-like",
        workload: "uniform-4k",
        schemes: PLAIN,
        sets: &["precondition.fill=1.0", "precondition.overwrite=0.3"],
    },
];

/// Runs everything, each run on a file of the next format.
pub fn run() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let formats: Vec<_> = writable_formats().collect();
    let mut formats = formats.iter().cycle();
    for training in &TRAININGS {
        let entries = entries(training.workload)?;
        for scheme in CATALOG.iter().filter(|scheme| (training.schemes)(scheme)) {
            let format = formats.next().ok_or("no format can be written")?;
            eprintln!(
                "slcache-bench: training: {} on {}, {} in {format}",
                scheme.name, training.device, training.workload
            );
            training.run(scheme.name, format, &entries, folder.path())?;
        }
    }
    Ok(())
}

impl Training {
    fn run(&self, scheme: &str, format: &str, entries: &[TraceEntry], folder: &Path) -> Result<(), String> {
        let path = folder.join(format).to_string_lossy().into_owned();
        let written = files::write(format, &path, entries)?;
        let mut sets: Vec<String> = self.sets.iter().map(|set| (*set).to_owned()).collect();
        sets.push("trace.address=wrap".to_owned());
        let layers =
            Layers { device: self.device.into(), scheme: scheme.to_owned(), sets, ..Layers::default() };
        let run = RunRequest {
            trace: path.as_str().into(),
            trace_options: written.read_back,
            layers,
            ..RunRequest::default()
        };
        execute(&run, &mut |_, _, _| true).map_err(|error| error.to_string())?;
        let windows = EpisodeRequest { run, ..EpisodeRequest::default() };
        to_the_end(Episode::new(&windows, &mut |_, _, _| true).map_err(|error| error.to_string())?)
    }
}

/// Steps to the end of the trace, observes every window, makes the document.
fn to_the_end(mut episode: Episode) -> Result<(), String> {
    let mut out = vec![0.0; episode.observation_len()];
    let mut ended = false;
    while !ended {
        ended = episode.step(&[], &mut || true).map_err(|error| error.to_string())?;
        episode.observe(&mut out);
    }
    episode.finish(&mut |_, _, _| true).map(drop).map_err(|error| error.to_string())
}

/// The first requests of a workload.
fn entries(name: &str) -> Result<Vec<TraceEntry>, String> {
    let workload = Workload::load(name, &BTreeMap::new()).map_err(|error| error.to_string())?;
    let entry = |request| TraceEntry { request, response_ns: Some(100_000) };
    Ok(workload.generate(1).take(REQUESTS).map(entry).collect())
}
