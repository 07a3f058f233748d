//! What is run, as Python says it: one dict, `slcache._core.Run`; devices and workloads may be in no file.

use super::errors::wrong;
use super::{options, Rereadable, TraceName};
use pyo3::prelude::*;
use slcache_sim::traces::TracePath;
use slcache_sim::{DeviceSource, Layers, RunRequest, TimelineRequest};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// A device, a scheme and what is said of them; of a run also how its trace is read, and its files.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Run<'py> {
    device: Device<'py>,
    scheme: String,
    #[pyo3(default)]
    sets: Vec<String>,
    #[pyo3(default)]
    seed: Option<u64>,
    #[pyo3(default)]
    replay: Option<String>,
    #[pyo3(default)]
    trace_options: Vec<(String, String)>,
    #[pyo3(default)]
    snapshot_in: Option<PathBuf>,
    #[pyo3(default)]
    snapshot_out: Option<PathBuf>,
    #[pyo3(default)]
    memory_in: Option<PathBuf>,
    #[pyo3(default)]
    memory_out: Option<PathBuf>,
    #[pyo3(default)]
    log: Option<PathBuf>,
    /// File, first and last time in ns, and every how many operations are drawn.
    #[pyo3(default)]
    timelines: Vec<(PathBuf, u64, u64, NonZeroU64)>,
}

impl From<Run<'_>> for Layers {
    fn from(run: Run<'_>) -> Self {
        let Run { device, scheme, sets, seed, replay, .. } = run;
        Self { device: device.into(), scheme, sets, seed, replay }
    }
}

impl Run<'_> {
    /// The run of `trace`.
    pub(super) fn of(mut self, trace: TraceName<'_>) -> PyResult<RunRequest> {
        let timeline = |(path, from_ns, until_ns, every): (_, _, _, NonZeroU64)| TimelineRequest {
            path,
            from_ns,
            until_ns,
            every: every.get(),
        };
        Ok(RunRequest {
            trace: trace.into(),
            trace_options: options(&self.trace_options)?,
            snapshot_in: self.snapshot_in.take(),
            snapshot_out: self.snapshot_out.take(),
            memory_in: self.memory_in.take(),
            memory_out: self.memory_out.take(),
            log: self.log.take(),
            timelines: std::mem::take(&mut self.timelines).into_iter().map(timeline).collect(),
            layers: self.into(),
            ..RunRequest::default()
        })
    }
}

/// What a device file holds.
#[pyclass(frozen)]
pub struct DeviceContent(DeviceSource);

#[pymethods]
impl DeviceContent {
    /// Of an object in JSON.
    #[new]
    fn new(json: &str) -> PyResult<Self> {
        Ok(Self(DeviceSource::Content(table("device", json)?)))
    }
}

/// A device as Python names it.
#[derive(FromPyObject)]
pub enum Device<'py> {
    Content(PyRef<'py, DeviceContent>),
    Named(String),
}

impl From<Device<'_>> for DeviceSource {
    fn from(device: Device<'_>) -> Self {
        match device {
            Device::Content(content) => content.0.clone(),
            Device::Named(name) => name.into(),
        }
    }
}

/// A trace made of what a workload file holds, an object in JSON.
#[pyfunction]
pub fn workload_content(json: &str) -> PyResult<Rereadable> {
    // A table of TOML values always has a TOML form.
    let text = table("trace", json)?.to_string();
    Ok(Rereadable(TracePath::of_workload(&text)))
}

fn table(key: &str, json: &str) -> PyResult<toml::Table> {
    serde_json::from_str(json).map_err(|error| wrong(key, format!("{key}: {error}")))
}
