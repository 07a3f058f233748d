//! What is run, as Python says it: one dict, `slcache._core.Run`.

use super::content::Device;
use super::{options, TraceName};
use pyo3::prelude::*;
use slcache_sim::{Layers, RunRequest, TimelineRequest};
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
