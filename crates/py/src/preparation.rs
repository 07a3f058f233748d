//! What many runs share: traces that are parsed once, and states of preconditioned devices.

use super::errors::{sim_error, trace_error};
use super::policy::is_hosted;
use super::run_request::Run;
use super::{options, progress, Rereadable, TraceName};
use pyo3::prelude::*;
use slcache_sim::traces::{self, TracePath};
use slcache_sim::{save_state as save, RunRequest};
use std::path::PathBuf;

/// What tells the bytes behind a trace, or the draw of a workload, from others: a SHA-256 in hex.
#[pyfunction]
#[pyo3(signature = (trace, *, trace_options, progress))]
pub fn fingerprint(
    py: Python<'_>,
    trace: TraceName,
    trace_options: Vec<(String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (path, options) = (TracePath::from(trace), options(&trace_options)?);
    let work = move |progress: &mut traces::Progress<'_>| traces::fingerprint(path, &options, progress);
    progress::run(py, progress, move |progress, _| work(progress))?.map_err(|error| trace_error(&error))
}

/// Reads a trace to its end and writes what it holds as a file that runs read without parsing.
#[pyfunction]
#[pyo3(signature = (trace, output, *, trace_options, progress))]
pub fn prepare(
    py: Python<'_>,
    trace: TraceName,
    output: PathBuf,
    trace_options: Vec<(String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let (path, options) = (TracePath::from(trace), options(&trace_options)?);
    let work = move |progress: &mut traces::Progress<'_>| traces::prepare(path, &options, &output, progress);
    progress::run(py, progress, move |progress, _| work(progress))?.map_err(|error| trace_error(&error))
}

/// A trace that is read from what was prepared of it.
#[pyfunction]
pub fn prepared(trace: &str, file: PathBuf) -> Rereadable {
    Rereadable(TracePath::with_prepared(trace, file))
}

/// Preconditions a device and saves its state, for runs that start from it.
#[pyfunction]
#[pyo3(signature = (output, run, *, progress))]
pub fn save_state(py: Python<'_>, output: PathBuf, run: Run, progress: Option<Py<PyAny>>) -> PyResult<()> {
    let mut request = RunRequest { layers: run.into(), snapshot_out: Some(output), ..RunRequest::default() };
    let hosted = is_hosted(&request.layers.scheme);
    let result = progress::run_known(py, hosted, progress, move |progress, stop| {
        request.stop = stop.clone();
        save(&request, progress)
    })?;
    result.map_err(|error| sim_error(&error))
}
