//! Writing traces.

use super::errors::{writing_error, wrong};
use super::{json, options, workload_settings};
use pyo3::prelude::*;
use slcache_sim::traces::{Blocks, Conversion, Losses, TraceOptions, WriteOptions};

/// Writes traces in another format, several as one; the report as JSON.
///
/// `blocks` is a JSON object with the parameters of a twin that is written in their place.
#[pyfunction]
#[pyo3(signature = (inputs, output, *, trace_options, format, lossy, blocks, progress))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of the Python function
pub fn trace_convert(
    py: Python<'_>,
    inputs: Vec<String>,
    output: String,
    trace_options: Vec<(String, String)>,
    format: Option<String>,
    lossy: &str,
    blocks: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let mut conversion = Conversion::of(inputs, &options(&trace_options)?);
    if let Some(text) = blocks {
        let parameters = serde_json::from_str(text).map_err(|error| wrong("blocks", error.to_string()))?;
        conversion = conversion.by_blocks(Blocks::new(parameters).map_err(|error| writing_error(&error))?);
    }
    write(py, conversion, output, (format, lossy), progress)
}

/// Makes a workload's requests and writes them; the report as JSON.
#[pyfunction]
#[pyo3(signature = (spec, output, *, seed, overrides, format, lossy, progress))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of the Python function
pub fn trace_generate(
    py: Python<'_>,
    spec: &str,
    output: String,
    seed: u64,
    overrides: Vec<(String, String)>,
    format: Option<String>,
    lossy: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let made = TraceOptions {
        seed: Some(seed),
        workload: workload_settings(overrides)?,
        ..TraceOptions::with_format("workload")
    };
    write(py, Conversion::of(vec![spec.to_owned()], &made), output, (format, lossy), progress)
}

/// Writes without the GIL, with progress and Ctrl-C.
fn write(
    py: Python<'_>,
    conversion: Conversion,
    output: String,
    (format, lossy): (Option<String>, &str),
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let lossy = Losses::parse(lossy).map_err(|error| writing_error(&error))?;
    let options = WriteOptions { format, lossy };
    let result =
        super::progress::run(py, progress, move |progress, _| conversion.write(&output, &options, progress))?;
    result.map(|report| json(&report)).map_err(|error| writing_error(&error))
}
