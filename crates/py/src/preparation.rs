//! What many runs share: traces that are parsed once, and states of preconditioned devices.

use super::run_request::Run;
use super::{read, simulate, Rereadable, TraceName};
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
    let path = TracePath::from(trace);
    read(py, &trace_options, progress, move |options, told| traces::fingerprint(path, options, told))
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
    let path = TracePath::from(trace);
    read(py, &trace_options, progress, move |options, told| traces::prepare(path, options, &output, told))
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
    let request = RunRequest { layers: run.into(), snapshot_out: Some(output), ..RunRequest::default() };
    simulate(py, request, progress, |request, progress| save(request, progress))
}
