//! What is measured: pieces of work by name, each done on any number of requests.

use super::cases::{self, Case};
use super::files;
use slcache_sim::resources::Stopwatch;
use slcache_sim::{execute, trace_options, Layers, RunRequest};
use slcache_traces::workload::Workload;
use slcache_traces::{synthetic, writable_formats, TraceEntry};
use std::collections::BTreeMap;
use std::path::Path;

/// What a whole run is measured on.
const RUN_DEVICE: &str = "mqsim-512g";
const RUN_SCHEME: &str = "tlc-only";
const RUN_FORMAT: &str = "mqsim";
/// Workloads of different cost, from the simplest to a twin.
const MADE: [&str; 4] = ["uniform-4k", "zipf-4k", "mixed-oltp", "hierarchy-hm_0"];

enum Kind {
    Engine(Case),
    Reading(&'static str),
    Making(&'static str),
    Whole,
}

pub struct Work {
    pub name: String,
    kind: Kind,
}

/// The engine for every case, reading every format, making some workloads, and a run from trace to document.
pub fn all() -> Vec<Work> {
    let new = |name, kind| Work { name, kind };
    let mut works: Vec<Work> =
        cases::all().into_iter().map(|case| new(case.name(), Kind::Engine(case))).collect();
    works.extend(writable_formats().map(|format| new(format!("reading {format}"), Kind::Reading(format))));
    works.extend(MADE.map(|name| new(format!("making {name}"), Kind::Making(name))));
    works.push(new(format!("synth1m on {RUN_DEVICE}, {RUN_SCHEME}, from trace to document"), Kind::Whole));
    works
}

impl Work {
    /// Writes the file of so many requests that the work reads; its bytes, 0 where it reads none.
    pub fn prepare(&self, folder: &Path, requests: usize) -> Result<u64, String> {
        let Some(format) = self.format() else { return Ok(0) };
        let entry =
            |(place, request): (u64, _)| TraceEntry { request, response_ns: Some(place % 1000 * 100_000) };
        let entries: Vec<TraceEntry> = (0..).zip(synthetic::synth1m(requests)).map(entry).collect();
        Ok(files::write(format, &path(folder, format, requests), &entries)?.bytes)
    }

    /// Does it on the first `taken` of the `made` requests; the CPU time it takes, s.
    pub fn run(&self, folder: &Path, made: usize, taken: usize) -> Result<f64, String> {
        if let Kind::Engine(case) = self.kind {
            return case.run(made, taken);
        }
        let file = self.format().map(|format| path(folder, format, taken));
        let stopwatch = Stopwatch::start();
        match self.kind {
            Kind::Making(name) => make(name, taken)?,
            Kind::Reading(_) => file.iter().try_for_each(|file| files::read(file))?,
            _ => file.iter().try_for_each(|file| whole(file))?,
        }
        Ok(stopwatch.cpu_s())
    }

    fn format(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Reading(format) => Some(format),
            Kind::Whole => Some(RUN_FORMAT),
            Kind::Engine(_) | Kind::Making(_) => None,
        }
    }
}

fn path(folder: &Path, format: &str, requests: usize) -> String {
    folder.join(format!("{requests}.{format}")).to_string_lossy().into_owned()
}

fn make(name: &str, requests: usize) -> Result<(), String> {
    let settings = BTreeMap::from([("requests".to_owned(), requests.to_string())]);
    let workload = Workload::load(name, &settings).map_err(|error| error.to_string())?;
    workload.generate(1).for_each(|request| {
        std::hint::black_box(request);
    });
    Ok(())
}

/// A run as the program does it.
fn whole(file: &str) -> Result<(), String> {
    let options = trace_options([("format", RUN_FORMAT)]).map_err(|errors| errors.to_string())?;
    let layers = Layers { device: RUN_DEVICE.into(), scheme: RUN_SCHEME.to_owned(), ..Layers::default() };
    let request = RunRequest { trace: file.into(), trace_options: options, layers, ..RunRequest::default() };
    execute(&request, &mut |_, _, _| true).map(drop).map_err(|error| error.to_string())
}
