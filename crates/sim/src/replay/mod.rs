//! One run: trace in, result document out.

mod address;
mod bounds;
mod document;
mod learning;
mod logs;
mod operation_log;
mod prefill;
mod request_log;
mod scan;
mod source;
mod timeline;

pub use address::AddressError;
pub use bounds::{bounds, device_bounds, DeviceBound};
pub use request_log::LogError;
pub use scan::TooLong;
pub use timeline::TimelineRequest;

use crate::config::{resolve, ConfigErrors, Layers, RunConfig};
use crate::memory::{self, Shortage};
use crate::memory_file::{MemoryError, NoMemory};
use crate::resources::Stopwatch;
use crate::snapshot::{self, SnapshotError};
use address::{AddressCounts, AddressMapper};
pub(crate) use document::{assemble, EpisodeReport, ResultDocument, TraceFacts, SCHEMA_VERSION};
use learning::Learning;
use logs::Logs;
use prefill::{Preload, Touched};
use request_log::RequestLog;
use scan::{foresight, touched, volume_places, Footprint};
use serde_json::Value;
use slcache_core::device::config::{AddressPolicy, Prefill};
use slcache_core::device::request::Request;
use slcache_core::device::{RunError, Simulation, Stop};
use slcache_files::{OutputError, Outputs};
use slcache_traces::{input_files, PageSet, TraceError, TraceOptions, TracePath, VolumeChoice};
use source::{TimeScale, TraceSource};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Called with phase (`spool`, `scan`, `precondition`, `save`,
/// `preload`, `replay`, `drain`), done and
/// total (0 = unknown); returning `false` cancels the run.
pub type Progress<'a> = dyn FnMut(&str, u64, u64) -> bool + 'a;

/// Requests outstanding in open replay from which progress tells that the device is behind.
const BACKLOG_TOLD: u64 = 1000;

/// Everything that decides a run.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// The trace, `-` for standard input.
    pub trace: TracePath,
    /// How to read the trace.
    pub trace_options: TraceOptions,
    /// The configuration.
    pub layers: Layers,
    /// A device state to start from instead of preconditioning.
    pub snapshot_in: Option<PathBuf>,
    /// Where to save the state that preconditioning leads to.
    pub snapshot_out: Option<PathBuf>,
    /// What the scheme has learned in earlier runs.
    pub memory_in: Option<PathBuf>,
    /// Where to save what it has learned in the end.
    pub memory_out: Option<PathBuf>,
    /// Where to tell of every request, as a Parquet table.
    pub log: Option<PathBuf>,
    /// Where to draw what channels and planes do, and when.
    pub timelines: Vec<TimelineRequest>,
    /// Ends the run from outside, whatever it is in the middle of.
    pub stop: Stop,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The configuration is not valid.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// The trace cannot be read as asked.
    #[error("{0}")]
    Trace(#[from] TraceError),
    /// A request does not fit the device.
    #[error("{0}")]
    Address(#[from] AddressError),
    /// The trace is too long for a scheme that looks ahead.
    #[error("{0}")]
    TooLong(#[from] TooLong),
    /// The simulation failed.
    #[error("{0}")]
    Run(RunError),
    /// The device does not fit into memory.
    #[error("{0}")]
    Memory(#[from] Shortage),
    /// A snapshot cannot be saved or restored.
    #[error("{0}")]
    Snapshot(#[from] SnapshotError),
    /// What a scheme learned cannot be saved or taken over.
    #[error("{0}")]
    Learned(#[from] MemoryError),
    /// The log of the requests cannot be written.
    #[error("{0}")]
    Log(#[from] LogError),
    /// Nothing happens in the stretch of time that a timeline is asked of.
    #[error("{0}")]
    EmptyTimeline(String),
    /// The scheme learns nothing.
    #[error("{0}")]
    NoMemory(#[from] NoMemory),
    /// An output would take the place of an input.
    #[error("{0}")]
    OutputTaken(OutputError),
    /// The caller cancelled the run.
    #[error("cancelled")]
    Cancelled,
}

impl From<RunError> for SimError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Cancelled => Self::Cancelled,
            error => Self::Run(error),
        }
    }
}

impl SimError {
    /// The exit code of a program that ends because of it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::OutputTaken(_) | Self::NoMemory(_) => 3,
            Self::Trace(_) | Self::Address(_) | Self::TooLong(_) => 4,
            Self::EmptyTimeline(_)
            | Self::Run(_)
            | Self::Memory(_)
            | Self::Snapshot(_)
            | Self::Learned(_)
            | Self::Log(_) => 1,
            Self::Cancelled => 130,
        }
    }
}

/// Runs a trace through a device; the result document, or why there is none.
pub fn execute(request: &RunRequest, progress: &mut Progress<'_>) -> Result<Value, SimError> {
    let stopwatch = Stopwatch::start();
    let Ready { config, mut source, plan, mut simulation, learning, mut logs } = ready(request, progress)?;
    let replay = Stopwatch::start();
    let (counts, footprint) = feed(&mut simulation, &mut source, plan, &mut logs, progress)?;
    begin("drain", progress)?;
    let report = simulation.finish()?;
    let replay_s = replay.wall_s();
    let trace = TraceFacts::of(request, &source, counts, &footprint)?;
    logs.finish(&mut simulation, &config, &trace, &report.state)?;
    let memories = learning.save(&simulation, &config, source.summary()?.sha256.clone())?;
    let mut document = assemble(&config, &trace, report, &stopwatch, replay_s);
    document.provenance.memory_in = memories.read;
    document.provenance.memory_out = memories.written;
    Ok(document.to_json())
}

/// A device that waits for the first request of its trace.
pub(crate) struct Ready {
    pub config: RunConfig,
    pub source: TraceSource,
    pub plan: Plan,
    pub simulation: Simulation,
    pub learning: Learning,
    pub logs: Logs,
}

/// Everything that comes before the first request.
pub(crate) fn ready(request: &RunRequest, progress: &mut Progress<'_>) -> Result<Ready, SimError> {
    let mut config = resolve(&request.layers)?;
    memory::check(&config.memory())?;
    let RunOutputs { state, memory, log, timelines } = outputs(request)?;
    let learning = Learning::of(request, &config, memory)?;
    let log = request.log.as_deref().map(|path| RequestLog::begin(path, log, &config)).transpose()?;
    let (mut source, mut plan) = opened(request, &config, progress)?;
    let mut known = None;
    if config.scheme.looks_ahead() {
        known = Some(foresight(&mut source, &mut plan, &config, progress)?);
        source = source.again(&request.trace_options)?.with(source.into_namespaces());
    }
    // A fault that the scan finds costs no preconditioning.
    let mut simulation = prepare(request, &mut config, &learning, state, progress)?;
    if let Some(preload) = &plan.preload {
        begin("preload", progress)?;
        preload.place(&mut simulation)?;
    }
    // After all that is not of the trace.
    known.into_iter().for_each(|known| simulation.foresee(known));
    let logs = Logs::begin(request, log, timelines, &config, &mut simulation)?;
    if config.run.bound {
        simulation.measure_bound();
    }
    Ok(Ready { config, source, plan, simulation, learning, logs })
}

/// The trace, and where on the device its requests go.
fn opened(
    request: &RunRequest,
    config: &RunConfig,
    progress: &mut Progress<'_>,
) -> Result<(TraceSource, Plan), SimError> {
    let needs_scan = needs_scan(config);
    let path = readable(request, needs_scan || config.scheme.looks_ahead(), progress)?;
    let mut source = TraceSource::open(&path, &request.trace_options, TimeScale::of(&config.host))?;
    if source.has_volumes() {
        let namespaces = volume_places(&mut source, config.device.piece_bytes(), progress)?;
        source = source.again(&request.trace_options)?.with(Some(namespaces));
    }
    let mut plan = Plan::direct(config)?;
    if needs_scan {
        plan = Plan::scan(&mut source, config, progress)?;
        source = source.again(&request.trace_options)?.with(source.into_namespaces());
    }
    Ok((source, plan))
}

/// Tells that a part of the run begins which cannot say how far it is.
pub(crate) fn begin(phase: &str, progress: &mut Progress<'_>) -> Result<(), SimError> {
    if progress(phase, 0, 0) {
        Ok(())
    } else {
        Err(SimError::Cancelled)
    }
}

/// What a run writes: the state of the device appears before the replay, the others after it.
struct RunOutputs {
    state: Outputs,
    memory: Outputs,
    log: Outputs,
    timelines: Vec<Outputs>,
}

/// What the run writes, which is none of what it reads: told before it begins.
fn outputs(request: &RunRequest) -> Result<RunOutputs, SimError> {
    let mut inputs = input_files(request.trace.name());
    inputs.extend(request.layers.device_file());
    inputs.extend(request.snapshot_in.clone());
    inputs.extend(request.memory_in.clone());
    let (mut state, mut memory) = (Outputs::new(inputs.clone()), Outputs::new(inputs.clone()));
    let (mut log, mut timelines) = (Outputs::new(inputs.clone()), Vec::new());
    if let Some(path) = &request.snapshot_out {
        reserve(&mut state, path, |error| SnapshotError::from(error).into())?;
    }
    // All beside the state, so that no two can be one file.
    if let Some(path) = &request.memory_out {
        reserve(&mut state, path, |error| MemoryError::from(error).into())?;
        reserve(&mut memory, path, |error| MemoryError::from(error).into())?;
    }
    if let Some(path) = &request.log {
        reserve(&mut state, path, |error| LogError::from(error).into())?;
        reserve(&mut log, path, |error| LogError::from(error).into())?;
    }
    for TimelineRequest { path, .. } in &request.timelines {
        reserve(&mut state, path, |error| LogError::from(error).into())?;
        let mut timeline = Outputs::new(inputs.clone());
        reserve(&mut timeline, path, |error| LogError::from(error).into())?;
        timelines.push(timeline);
    }
    Ok(RunOutputs { state, memory, log, timelines })
}

fn reserve(
    outputs: &mut Outputs,
    path: &Path,
    failed: impl FnOnce(OutputError) -> SimError,
) -> Result<(), SimError> {
    outputs.reserve(path).map_err(|error| match error {
        OutputError::Io { .. } => failed(error),
        taken => SimError::OutputTaken(taken),
    })
}

/// Whether the trace says what the device holds before time 0. A disk holds all data by then.
fn preloads(config: &RunConfig) -> bool {
    let touched = matches!(config.trace.prefill, Prefill::Touched | Prefill::TouchedUnits);
    touched && config.device.disk.is_none()
}

/// Whether something about the whole trace must be known before time 0.
fn needs_scan(config: &RunConfig) -> bool {
    preloads(config) || config.trace.address == AddressPolicy::Compact
}

/// The trace as it can be read as often as needed: a pipe that is read twice
/// goes to a temporary file.
fn readable(
    request: &RunRequest,
    needs_scan: bool,
    progress: &mut Progress<'_>,
) -> Result<TracePath, SimError> {
    // A Parquet trace may hold volumes as well, and is copied when it is opened.
    let has_volumes = request.trace_options.volume == Some(VolumeChoice::Each);
    let path = request.trace.clone();
    if !(needs_scan || has_volumes) {
        return Ok(path);
    }
    path.rereadable(progress).map_err(|error| match error {
        TraceError::Cancelled => SimError::Cancelled,
        error => error.into(),
    })
}

/// The device before the trace: preconditioned, or restored from a snapshot.
fn prepare(
    request: &RunRequest,
    config: &mut RunConfig,
    learning: &Learning,
    outputs: Outputs,
    progress: &mut Progress<'_>,
) -> Result<Simulation, SimError> {
    let mut simulation = match &request.snapshot_in {
        Some(path) => {
            let simulation = snapshot::load(path, config)?;
            learning.check(&simulation, config)?;
            simulation
        }
        None => {
            let new = Simulation::new(&config.setup());
            let mut simulation = new.map_err(|problems| ConfigErrors::from_problems(&problems))?;
            // What does not fit costs no preconditioning.
            learning.check(&simulation, config)?;
            simulation.stop_by(request.stop.clone());
            simulation.precondition(&mut |done, total| progress("precondition", done, total))?;
            simulation
        }
    };
    simulation.stop_by(request.stop.clone());
    if let Some(path) = &request.snapshot_out {
        begin("save", progress)?;
        snapshot::save_among(path, config, &simulation, outputs)?;
    }
    // After the state was saved: that is the device's alone.
    learning.give(&mut simulation)?;
    if let Some(window_ns) = config.run.series_window_ns {
        simulation.series_in_windows_of(window_ns);
    }
    Ok(simulation)
}

/// What is known about the trace before it is replayed.
pub(crate) struct Plan {
    mapper: AddressMapper,
    preload: Option<Preload>,
    /// The footprint if a first pass counted it.
    footprint: Option<Footprint>,
}

impl Plan {
    fn direct(config: &RunConfig) -> Result<Self, SimError> {
        Ok(Self { mapper: mapper(config, None)?, preload: None, footprint: None })
    }

    fn scan(
        source: &mut TraceSource,
        config: &RunConfig,
        progress: &mut Progress<'_>,
    ) -> Result<Self, SimError> {
        let compact = config.trace.address == AddressPolicy::Compact;
        let before = if compact { None } else { Some(mapper(config, None)?) };
        let (set, footprint) = touched(source, Touched::grain_bytes(config), before, progress)?;
        let touched = Touched::new(set, config);
        let (mapper, preload) = if compact {
            let (pages, preload) = touched.compacted();
            (mapper(config, Some(pages))?, preload)
        } else {
            (mapper(config, None)?, touched.in_place())
        };
        Ok(Self { mapper, preload: preloads(config).then_some(preload), footprint: Some(footprint) })
    }
}

fn mapper(config: &RunConfig, dense: Option<PageSet>) -> Result<AddressMapper, AddressError> {
    let device = &config.device;
    let dense = dense.map(PageSet::into_ranked);
    AddressMapper::new(config.trace.address, device.user_bytes, device.piece_bytes(), dense)
}

/// Replays the trace.
fn feed(
    simulation: &mut Simulation,
    source: &mut TraceSource,
    plan: Plan,
    logs: &mut Logs,
    progress: &mut Progress<'_>,
) -> Result<(AddressCounts, Footprint), SimError> {
    let open = simulation.is_open_replay();
    read_through(source, plan, progress, |batch| {
        for part in batch.chunks(logs.portion()) {
            simulation.feed(part)?;
            logs.take(simulation)?;
        }
        Ok(match simulation.backlog() {
            waiting if open && waiting >= BACKLOG_TOLD => {
                format!("replay ({waiting} requests behind)").into()
            }
            _ => "replay".into(),
        })
    })
}

/// Reads the trace to its end and gives `take` each batch as it is placed on the device; it says what
/// is going on.
pub(crate) fn read_through(
    source: &mut TraceSource,
    plan: Plan,
    progress: &mut Progress<'_>,
    mut take: impl FnMut(Vec<Request>) -> Result<Cow<'static, str>, SimError>,
) -> Result<(AddressCounts, Footprint), SimError> {
    let mut mapper = plan.mapper;
    let counted = plan.footprint.is_some();
    let mut footprint = plan.footprint.unwrap_or_default();
    while let Some(mut batch) = source.next()? {
        if !counted {
            footprint.add(&batch);
        }
        mapper.apply(&mut batch)?;
        let phase = take(batch)?;
        source.report(&phase, progress)?;
    }
    Ok((mapper.counts(), footprint))
}

/// Preconditions the device of a request and saves its state to `snapshot_out`, for runs of the same
/// device, scheme, buffer and seed that start from it.
pub fn save_state(request: &RunRequest, progress: &mut Progress<'_>) -> Result<(), SimError> {
    let mut config = resolve(&request.layers)?;
    memory::check(&config.setup().memory())?;
    let RunOutputs { state, memory, .. } = outputs(request)?;
    let learning = Learning::of(request, &config, memory)?;
    prepare(request, &mut config, &learning, state, progress).map(drop)
}
