//! What there is to choose from, as JSON.

use super::errors::{config_error, sim_error, trace_error};
use super::run_request::{Device, Run};
use super::{json, workload_settings};
use pyo3::prelude::*;
use serde_json::json;
use slcache_sim::traces::workload::{preset_names, presets, Workload, WorkloadPreset};
use slcache_sim::traces::TraceError;
use slcache_sim::RunConfig;
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// The schemes with their configuration schemas.
#[pyfunction]
pub fn schemes() -> String {
    json(&slcache_sim::catalogue::schemes())
}

/// The knobs of a scheme on a device, as they stand.
#[pyfunction]
pub fn knobs(run: Run) -> PyResult<String> {
    let knobs = slcache_sim::catalogue::knobs(&run.into()).map_err(|error| sim_error(&error))?;
    Ok(json(&knobs))
}

/// The figures of a run, with their units, goals and sentences.
#[pyfunction]
pub fn figures() -> String {
    slcache_sim::catalogue::figures().to_string()
}

/// What causes of flash work and components of latencies are in words.
#[pyfunction]
pub fn kinds() -> String {
    slcache_sim::catalogue::kinds().to_string()
}

/// The device presets.
#[pyfunction]
pub fn devices() -> String {
    slcache_sim::preset::catalogue().to_string()
}

/// What can be told of a device before anything runs on it.
#[pyfunction]
pub fn device_facts(device: &str) -> PyResult<String> {
    let facts = slcache_sim::device_facts::device_facts(device).map_err(|error| sim_error(&error))?;
    Ok(json(&facts))
}

/// What a device file would hold of a part of a device, as JSON.
#[pyfunction]
pub fn scaled_device(device: Device, divisor: NonZeroU64) -> PyResult<String> {
    let found =
        slcache_sim::config::scaled(&device.into(), divisor.get()).map_err(|errors| config_error(&errors))?;
    Ok(json(&found))
}

/// What the SLC cache of a resolved configuration, a JSON text, takes on a new device.
#[pyfunction]
pub fn config_cache_bytes(config: &str) -> PyResult<u64> {
    let Some(config) = RunConfig::of_json(config) else { return Ok(0) };
    slcache_sim::device_facts::config_cache_bytes(&config).map_err(|error| sim_error(&error))
}

/// The peaks of a resolved configuration, a JSON text, that writes miss without a buffer: mode, what they
/// reach and the peak in MB/s; none of one that this version cannot read.
#[pyfunction]
pub fn config_missed(config: &str, depth: u32) -> Vec<(&'static str, f64, f64)> {
    let Some(config) = RunConfig::of_json(config) else { return Vec::new() };
    let missed = slcache_sim::device_facts::missed(&config, depth).into_iter();
    missed.map(|each| (each.mode.name(), each.most_mb_per_s, each.peak_mb_per_s)).collect()
}

/// What to know of a resolved configuration, a JSON text; nothing of one that this version cannot read.
#[pyfunction]
pub fn config_notes(config: &str) -> Vec<String> {
    RunConfig::of_json(config).map(|config| slcache_sim::notes::notes(&config)).unwrap_or_default()
}

/// The blocks of a resolved configuration's regions before the first write: pool, mode, blocks.
#[pyfunction]
pub fn config_regions(config: &str) -> Vec<(usize, &'static str, u64)> {
    RunConfig::of_json(config).map(|config| slcache_sim::notes::regions(&config)).unwrap_or_default()
}

/// Where a device says a key, and the line.
#[pyfunction]
pub fn device_line(device: &str, key: &str) -> PyResult<Option<(String, String)>> {
    slcache_sim::config::line_with(device, key).map_err(|errors| config_error(&errors))
}

/// What a configuration file says: key, value and place of each, the value as a setting has it.
#[pyfunction]
pub fn config_file(path: &str) -> PyResult<Vec<(String, String, String)>> {
    slcache_sim::config::config_file(path).map_err(|errors| config_error(&errors))
}

/// A setting with the place in a file where it is said, for errors to name.
#[pyfunction]
pub fn placed(place: &str, setting: &str) -> String {
    slcache_sim::config::placed(place, setting)
}

/// The trace formats, each with whether it is read and written.
#[pyfunction]
pub fn trace_formats() -> String {
    json(&slcache_sim::traces::format_catalogue())
}

/// The shipped workloads, each with what is given, what follows and what is free if `described`: that
/// takes a second to work out.
#[pyfunction]
pub fn workloads(described: bool) -> PyResult<String> {
    let settings = BTreeMap::new();
    let entry = |preset: WorkloadPreset| {
        let WorkloadPreset { name, about, source } = preset;
        let mut entry = json!({ "name": name, "about": about, "source": source });
        if described {
            entry["description"] = json!(Workload::load(name, &settings)?.describe());
        }
        Ok(entry)
    };
    let all: Result<Vec<serde_json::Value>, TraceError> = presets().into_iter().map(entry).collect();
    Ok(json(&all.map_err(|error| trace_error(&error))?))
}

/// The names of the shipped workloads. Their figures take a second to work out, their names nothing.
#[pyfunction]
pub fn workload_names() -> Vec<&'static str> {
    preset_names().collect()
}

/// What is given, what follows and what is free in a workload, a file or a preset.
#[pyfunction]
pub fn workload(spec: &str, overrides: Vec<(String, String)>) -> PyResult<String> {
    let settings = workload_settings(overrides)?;
    let workload = Workload::load(spec, &settings).map_err(|error| trace_error(&error))?;
    Ok(json(&workload.describe()))
}
