//! Devices and workloads that are in no file: what one would hold, as JSON.

use super::errors::wrong;
use super::Rereadable;
use pyo3::prelude::*;
use slcache_sim::traces::TracePath;
use slcache_sim::DeviceSource;

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
