//! Instructions per request: of the engine for every case, of reading for every format, and of a
//! whole run.
//!
//! Each figure is the difference of two processes that differ only in how many of the same
//! requests they take, divided by that many: start-up, preloading and making the requests fall out.

use super::cachegrind::{self, Count};
use super::cases::{self, Case, Workload};
use super::size::Size;
use super::{engine, tracing};
use rayon::prelude::*;
use slcache_sim::{execute, trace_options, Layers, RunRequest};
use slcache_traces::{writable_formats, TraceOptions};
use std::collections::BTreeMap;
use std::path::Path;

/// What the names of processes begin with whose instructions are counted.
pub const COUNTED: &str = "count:";
/// Requests that both processes take, and those that only one of them takes.
const BEFORE: usize = 5_000;
const MORE: usize = 45_000;
/// How heavy_gc's device is filled and worn without the clock, so that cleaning dominates at once.
const USED: [&str; 2] = ["precondition.fill=1.0", "precondition.overwrite=0.5"];
/// What a whole run is counted on.
const RUN_DEVICE: &str = "mqsim-512g";
const RUN_SCHEME: &str = "tlc-only";
const RUN_FORMAT: &str = "mqsim";

pub type PerRequest = BTreeMap<String, f64>;

/// Counts everything; needs valgrind.
pub fn measure(size: Size) -> Result<PerRequest, String> {
    let (before, more) = (size.of(BEFORE), size.of(MORE));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut pairs = Vec::new();
    for (place, case) in cases::all().into_iter().enumerate() {
        let whole = before + more;
        let child = |taken: usize| format!("engine:{place}:{whole}:{taken}");
        pairs.push((name_of(case), [child(before), child(whole)]));
    }
    for format in writable_formats() {
        let paths = written(format, folder.path(), [before, before + more])?;
        if format == RUN_FORMAT {
            let name = format!("synth1m on {RUN_DEVICE}, {RUN_SCHEME}, from trace to document");
            pairs.push((name, paths.clone().map(|path| format!("run:{path}"))));
        }
        pairs.push((format!("reading {format}"), paths.map(|path| format!("read:{path}"))));
    }
    let per_request = |(name, children): (String, [String; 2])| {
        let [less, all] = children.map(|child| cachegrind::count(&format!("{COUNTED}{child}")));
        Ok((name, difference(all?, less?) as f64 / more as f64))
    };
    pairs.into_par_iter().map(per_request).collect()
}

fn name_of(case: Case) -> String {
    format!("{} on {}, {}", case.workload.name(), case.device, case.scheme)
}

/// What one process takes more than the other, without hashing.
fn difference(all: Count, less: Count) -> u64 {
    (all.all - all.hashing).saturating_sub(less.all - less.hashing)
}

/// Files of so many requests in a format, each with the options to read it beside it.
fn written(format: &'static str, folder: &Path, counts: [usize; 2]) -> Result<[String; 2], String> {
    let entries = tracing::entries(counts[1]);
    let path = |count: usize| folder.join(format!("{count}.{format}")).to_string_lossy().into_owned();
    for count in counts {
        let path = path(count);
        let written = tracing::write(format, &path, &entries[..count]);
        let options = written.map_err(|error| error.to_string())?.read_back;
        std::fs::write(options_of(&path), serde_json::json!(options).to_string())
            .map_err(|error| error.to_string())?;
    }
    Ok(counts.map(path))
}

fn options_of(path: &str) -> String {
    format!("{path}.options")
}

fn read(path: &str) -> Result<(), String> {
    let options = std::fs::read(options_of(path)).map_err(|error| error.to_string())?;
    let options: TraceOptions = serde_json::from_slice(&options).map_err(|error| error.to_string())?;
    tracing::read(path, &options).map(drop)
}

/// What a process does whose instructions are counted.
pub fn child(what: &str) -> Result<(), String> {
    match what.split(':').collect::<Vec<_>>()[..] {
        ["engine", place, made, taken] => {
            let number = |text: &str| text.parse::<usize>().map_err(|error| error.to_string());
            feed(cases::all()[number(place)?], number(made)?, number(taken)?)
        }
        ["read", path] => read(path),
        ["run", path] => run(path),
        _ => Err(format!("unknown work {what}")),
    }
}

/// Makes so many requests of a case and feeds the first of them.
fn feed(case: Case, made: usize, taken: usize) -> Result<(), String> {
    let used = case.workload == Workload::HeavyGc;
    let sets: Vec<String> = USED.iter().filter(|_| used).map(|set| (*set).to_owned()).collect();
    let config = case.config(&sets)?;
    let requests = case.workload.first(made)?;
    let mut simulation = engine::device(&config)?;
    if used {
        simulation.precondition(&mut |_, _| true).map_err(|error| error.to_string())?;
    }
    simulation.preload(&case.preload(&config)).map_err(|error| error.to_string())?;
    engine::feed(&mut simulation, &requests[..taken])?;
    simulation.finish().map(drop).map_err(|error| error.to_string())
}

/// A run as the program does it.
fn run(path: &str) -> Result<(), String> {
    let options = trace_options([("format", RUN_FORMAT)]).map_err(|errors| errors.to_string())?;
    let layers = Layers { device: RUN_DEVICE.into(), scheme: RUN_SCHEME.to_owned(), ..Layers::default() };
    let request = RunRequest { trace: path.into(), trace_options: options, layers, ..RunRequest::default() };
    execute(&request, &mut |_, _, _| true).map(drop).map_err(|error| error.to_string())
}
