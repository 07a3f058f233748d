//! Converting and transforming traces.

use super::errors::{transform_error, wrong};
use super::{json, options, workload_settings};
use pyo3::prelude::*;
use serde_json::{Map, Value};
use slcache_sim::traces::transform::{Plan, TransformReport, STEP_KINDS};
use slcache_sim::traces::{Losses, Progress, TraceError, TraceOptions, WriteOptions};

/// Writes a trace in another format; the report as JSON.
#[pyfunction]
#[pyo3(signature = (input, output, *, trace_options, format, lossy, progress))]
pub fn trace_convert(
    py: Python<'_>,
    input: &str,
    output: String,
    trace_options: Vec<(String, String)>,
    format: Option<String>,
    lossy: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let plan = Plan::of(input, &options(&trace_options)?);
    let write = write_options(format, lossy)?;
    run(py, progress, move |progress| plan.write(&output, &write, progress))
}

/// Transforms one or more traces; the report as JSON.
///
/// `kind` is `sample`, `window`, `scale`, `remap`, `repeat`, `split`, `merge` or
/// `pipeline`; `params` is a JSON object with its parameters. Those of
/// `pipeline` are `steps`, a list of objects with `kind` and the parameters of
/// that kind, of which `merge` may only be the first and `split` the last.
#[pyfunction]
#[pyo3(signature = (kind, inputs, output, *, params, trace_options, format, lossy, progress))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of the Python function
pub fn trace_transform(
    py: Python<'_>,
    kind: &str,
    inputs: Vec<String>,
    output: String,
    params: &str,
    trace_options: Vec<(String, String)>,
    format: Option<String>,
    lossy: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = options(&trace_options)?;
    let inputs = inputs.into_iter().map(|path| (path, options.clone())).collect();
    let (plan, split) = plan(kind, inputs, params)?;
    let write = write_options(format, lossy)?;
    run(py, progress, move |progress| match split {
        Some(parameters) => plan.split(parameters, &output, &write, progress),
        None => plan.write(&output, &write, progress),
    })
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
    let plan = Plan::of(spec, &made);
    let write = write_options(format, lossy)?;
    run(py, progress, move |progress| plan.write(&output, &write, progress))
}

/// A transformation and its parameters.
type Step = (String, Map<String, Value>);
type Inputs = Vec<(String, TraceOptions)>;

/// The pipeline, and the parameters of the split at its end if there is one.
fn plan(kind: &str, inputs: Inputs, params: &str) -> PyResult<(Plan, Option<Value>)> {
    let invalid = |reason: String| wrong("kind", reason);
    let params: Map<String, Value> = serde_json::from_str(params)
        .map_err(|error| invalid(format!("the parameters of {kind} are not a JSON object: {error}")))?;
    let mut steps = match kind {
        "pipeline" => steps_of(params).map_err(invalid)?,
        _ => vec![(kind.to_owned(), params)],
    };
    let is = |step: Option<&Step>, kind: &str| step.is_some_and(|step| step.0 == kind);
    let split = if is(steps.last(), "split") { steps.pop() } else { None };
    let merge = if is(steps.first(), "merge") { Some(steps.remove(0)) } else { None };
    let mut plan = match merge {
        Some((_, parameters)) => {
            Plan::merged(inputs, parameters.into()).map_err(|error| transform_error(&error))?
        }
        None => one(inputs).map_err(invalid)?,
    };
    for (kind, parameters) in steps {
        if !STEP_KINDS.contains(&kind.as_str()) {
            let reason = match kind.as_str() {
                "merge" => "merge can only be the first step".to_owned(),
                "split" => "split can only be the last step".to_owned(),
                _ => format!(
                    "unknown transformation {kind}; allowed: merge, {}, split, pipeline",
                    STEP_KINDS.join(", ")
                ),
            };
            return Err(invalid(reason));
        }
        plan = plan.then(&kind, parameters.into()).map_err(|error| transform_error(&error))?;
    }
    Ok((plan, split.map(|(_, parameters)| parameters.into())))
}

fn one(inputs: Inputs) -> Result<Plan, String> {
    match <[_; 1]>::try_from(inputs) {
        Ok([(path, options)]) => Ok(Plan::of(&path, &options)),
        Err(inputs) => {
            Err(format!("{} traces where one is expected; only merge takes several", inputs.len()))
        }
    }
}

/// The steps of a pipeline with their kinds.
fn steps_of(mut params: Map<String, Value>) -> Result<Vec<Step>, String> {
    let expected = "the parameters of pipeline are {\"steps\": [{\"kind\": ..., parameters}, ...]}";
    let Some(Value::Array(steps)) = params.remove("steps").filter(|_| params.is_empty()) else {
        return Err(expected.to_owned());
    };
    let step = |step: Value| {
        let Value::Object(mut parameters) = step else { return None };
        let Some(Value::String(kind)) = parameters.remove("kind") else { return None };
        Some((kind, parameters))
    };
    steps.into_iter().map(|given| step(given).ok_or_else(|| expected.to_owned())).collect()
}

fn write_options(format: Option<String>, lossy: &str) -> PyResult<WriteOptions> {
    let lossy = Losses::parse(lossy).map_err(|error| transform_error(&error))?;
    Ok(WriteOptions { format, lossy })
}

/// Runs without the GIL, with progress and Ctrl-C.
fn run(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Progress<'_>) -> Result<TransformReport, TraceError> + Send + 'static,
) -> PyResult<String> {
    let result = super::progress::run(py, progress, |progress, _| work(progress))?;
    result.map(|report| json(&report)).map_err(|error| transform_error(&error))
}
