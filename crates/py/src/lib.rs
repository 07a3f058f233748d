//! The Python module `slcache._core`: the simulator's functions, with JSON as
//! the form of everything that is not a plain value.

mod catalogue;
mod env;
mod errors;
mod files;
mod models;
mod policy;
mod preparation;
mod progress;
mod run_request;
mod stream;
mod trace_tools;

use errors::{config_error, sim_error, trace_error};
use pyo3::prelude::*;
use run_request::Run;
use slcache_sim::device_facts::CacheCells;
use slcache_sim::traces::{self, bound_telling, info_telling, lint_telling, Loss, TraceOptions, TracePath};
use slcache_sim::{bounds, device_bounds, execute, Progress, RunConfig, RunRequest, SimError};
use std::collections::BTreeMap;

/// Problems of each kind that a lint report lists one by one; the rest are counted.
const LINT_PROBLEMS_MAX: usize = 1000;

/// Replays a trace and returns the result document as JSON.
#[pyfunction]
#[pyo3(signature = (trace, run, *, progress))]
fn run(py: Python<'_>, trace: TraceName, run: Run, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let replay = |request: &RunRequest, progress: &mut Progress<'_>| {
        execute(request, progress).map(|document| document.to_string())
    };
    simulate(py, run.of(trace)?, progress, replay)
}

/// Does `work` for a run, with progress and Ctrl-C.
fn simulate<T: Send + 'static>(
    py: Python<'_>,
    mut request: RunRequest,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&RunRequest, &mut Progress<'_>) -> Result<T, SimError> + Send + 'static,
) -> PyResult<T> {
    let hosted = policy::is_hosted(&request.layers.scheme);
    let result = progress::run_known(py, hosted, progress, move |progress, stop| {
        request.stop = stop.clone();
        work(&request, progress)
    })?;
    result.map_err(|error| sim_error(&error))
}

/// Reads a trace as `trace_options` say, with progress and Ctrl-C.
fn read<T: Send + 'static>(
    py: Python<'_>,
    trace_options: &[(String, String)],
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&TraceOptions, &mut traces::Progress<'_>) -> Result<T, traces::TraceError> + Send + 'static,
) -> PyResult<T> {
    let options = options(trace_options)?;
    progress::run(py, progress, move |progress, _| work(&options, progress))?
        .map_err(|error| trace_error(&error))
}

/// A trace that can be replayed again and again: one that can be read only
/// once is copied to a temporary file.
#[pyclass(frozen)]
struct Rereadable(TracePath);

/// Makes a trace rereadable, with progress and Ctrl-C.
#[pyfunction]
#[pyo3(signature = (trace, *, progress))]
fn rereadable(py: Python<'_>, trace: &str, progress: Option<Py<PyAny>>) -> PyResult<Rereadable> {
    let path = TracePath::new(trace);
    let result = progress::run(py, progress, move |progress, _| path.rereadable(progress))?;
    result.map(Rereadable).map_err(|error| trace_error(&error))
}

/// Whether a trace can be read only once, such as a pipe.
#[pyfunction]
fn is_read_once(trace: &str) -> bool {
    TracePath::new(trace).is_read_once()
}

/// A trace as Python names it.
#[derive(FromPyObject)]
enum TraceName<'py> {
    Kept(PyRef<'py, Rereadable>),
    Path(String),
}

impl From<TraceName<'_>> for TracePath {
    fn from(named: TraceName<'_>) -> Self {
        match named {
            TraceName::Kept(kept) => kept.0.clone(),
            TraceName::Path(name) => Self::new(&name),
        }
    }
}

/// The configuration that would run.
fn config_of(run: Run) -> PyResult<RunConfig> {
    slcache_sim::resolve(&run.into()).map_err(|errors| config_error(&errors))
}

/// The configuration that would run, as JSON.
#[pyfunction]
fn resolve(run: Run) -> PyResult<String> {
    Ok(config_of(run)?.to_json().to_string())
}

/// Why the device of a configuration does not fit into the memory that there is; `None` if it does.
#[pyfunction]
fn shortage(run: Run) -> PyResult<Option<String>> {
    Ok(slcache_sim::memory::shortage(&config_of(run)?).map(|found| found.lasting()))
}

/// Bytes that a run takes as it begins, and once all of its device is written; and what there is.
#[pyfunction]
fn memory_outlook(run: Run) -> PyResult<(u64, u64, Option<u64>)> {
    Ok(slcache_sim::memory::outlook(&config_of(run)?))
}

/// The JSON schema of a document; none of one that is made here.
#[pyfunction]
fn schema(document: &str) -> Option<String> {
    slcache_sim::schema::schema(document).map(|schema| schema.to_string())
}

/// Counts and statistics of a trace, as JSON.
#[pyfunction]
#[pyo3(signature = (trace, trace_options, progress=None))]
fn trace_info(
    py: Python<'_>,
    trace: String,
    trace_options: Vec<(String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    read(py, &trace_options, progress, move |options, told| {
        info_telling(&trace, options, told).map(|info| json(&info))
    })
}

/// What caches of some sizes can keep from dense programs, as JSON.
#[pyfunction]
#[pyo3(signature = (trace, trace_options, unit_bytes, sizes, progress=None))]
fn trace_bound(
    py: Python<'_>,
    trace: String,
    trace_options: Vec<(String, String)>,
    unit_bytes: u64,
    sizes: Vec<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    read(py, &trace_options, progress, move |options, told| {
        bound_telling(&trace, options, unit_bytes, &sizes, told).map(|bound| json(&bound))
    })
}

/// What caches of some sizes, in mapping units, could keep from dense programs of a trace as a run places it
/// on its device, as JSON.
#[pyfunction]
#[pyo3(signature = (trace, run, *, slots, progress))]
fn run_bounds(
    py: Python<'_>,
    trace: TraceName,
    run: Run,
    slots: Vec<u32>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    simulate(py, run.of(trace)?, progress, move |request, progress| {
        bounds(request, &slots, progress).map(|document| json(&document))
    })
}

/// The same of caches of some sizes in bytes beside the buffer of the device, with the least program time and
/// wear.
#[pyfunction]
#[pyo3(signature = (trace, run, *, sizes, progress))]
fn device_bound(
    py: Python<'_>,
    trace: TraceName,
    run: Run,
    sizes: Vec<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    simulate(py, run.of(trace)?, progress, move |request, progress| {
        device_bounds(request, &sizes, progress).map(|document| json(&document))
    })
}

/// The sizes of caches of a device that may be bounded, in bytes: by its mapping unit, up to all blocks of each
/// plane; and 1, 2, 4, ... blocks of each plane.
#[pyfunction]
fn cache_sizes(run: Run) -> PyResult<(u32, u32, u64, Vec<u64>)> {
    let cells = CacheCells::of(&config_of(run)?).map_err(|errors| config_error(&errors))?;
    Ok((cells.unit_bytes, cells.rows, u64::from(cells.rows) * cells.row_bytes, cells.sizes()))
}

/// Every problem found in a trace, as JSON.
#[pyfunction]
#[pyo3(signature = (trace, trace_options, progress=None))]
fn trace_lint(
    py: Python<'_>,
    trace: String,
    trace_options: Vec<(String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    read(py, &trace_options, progress, move |options, told| {
        lint_telling(&trace, options, LINT_PROBLEMS_MAX, told).map(|report| json(&report))
    })
}

/// What writing a trace may lose, by name.
#[pyfunction]
fn losses() -> Vec<&'static str> {
    Loss::ALL.map(Loss::name).to_vec()
}

/// The simulator's version.
#[pyfunction]
fn version() -> &'static str {
    slcache_sim::provenance::version()
}

/// The version of the model: results of one version are of one model.
#[pyfunction]
fn model_version() -> u32 {
    slcache_sim::provenance::model_version()
}

/// The commit the simulator was built from.
#[pyfunction]
fn commit() -> &'static str {
    slcache_sim::provenance::commit()
}

fn options(pairs: &[(String, String)]) -> PyResult<TraceOptions> {
    let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    slcache_sim::trace_options(pairs).map_err(|errors| config_error(&errors))
}

/// The settings of a workload, checked as those among trace options are.
fn workload_settings(pairs: Vec<(String, String)>) -> PyResult<BTreeMap<String, String>> {
    let named = pairs.into_iter().map(|(key, value)| (format!("workload.{key}"), value));
    Ok(options(&named.collect::<Vec<_>>())?.workload)
}

/// Plain data as JSON.
fn json<T: serde::Serialize>(value: &T) -> String {
    // Only maps with keys that are not text can fail, and the catalogues have none.
    serde_json::to_string(value).expect("plain data has a JSON form")
}

/// The module.
#[pymodule]
mod _core {
    use super::{errors, policy};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        policy::register();
        errors::add_places(module.py())
    }

    #[pymodule_export]
    use super::{
        cache_sizes, commit, device_bound, is_read_once, losses, memory_outlook, model_version, rereadable,
        resolve, run, run_bounds, schema, shortage, trace_bound, trace_info, trace_lint, version, Rereadable,
    };

    #[pymodule_export]
    use super::catalogue::{
        config_cache_bytes, config_file, config_missed, config_notes, config_regions, device_facts,
        device_line, devices, figures, kinds, knobs, placed, scaled_device, schemes, trace_formats, workload,
        workload_names, workloads,
    };

    #[pymodule_export]
    use super::errors::{ConfigError, EpisodeError, Error, RunError, TraceError};

    #[pymodule_export]
    use super::files::{input_files, remove_scratches, Outputs, Scratch};

    #[pymodule_export]
    use super::models::{hyssd_cost, hyssd_tiers, nvc_lifespan, victim_utilisation};

    #[pymodule_export]
    use super::policy::{check_scheme, PyView, PyWindow, PyWrite};

    #[pymodule_export]
    use super::preparation::{fingerprint, prepare, prepared, save_state};

    #[pymodule_export]
    use super::trace_tools::{trace_convert, trace_generate};

    #[pymodule_export]
    use super::{env::Episode, run_request::workload_content, run_request::DeviceContent, stream::Stream};
}
