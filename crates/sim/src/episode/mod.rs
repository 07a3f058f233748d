//! A run that stops at the end of every window, for knobs to be turned: what environments of learning
//! agents are made of.
//!
//! It begins as [`execute`](crate::execute) does: same layers, address policy, prefill, preconditioning
//! or snapshot. The trace is held in memory, shared by all forks.

mod error;
mod observation;
mod window;

pub use error::EpisodeError;
pub use observation::{bounds, Feature, FEATURES, LIFE_USED};
pub use slcache_core::metrics::report::OpRow;
pub use window::{Latencies, Window};

use crate::catalogue::KnobEntry;
use crate::replay::{assemble, begin, read_through, ready, EpisodeReport, Ready, TraceFacts};
use crate::resources::Stopwatch;
use crate::{Progress, RunConfig, RunRequest, SimError};
use observation::Observed;
use serde::de::IntoDeserializer;
use serde::Deserialize;
use serde_json::Value;
use slcache_core::device::request::{HostOp, Request};
use slcache_core::device::window::CompletedLatencies;
use slcache_core::device::{RunError, Simulation, TurnError};
use slcache_core::ftl::knob::Knob;
use slcache_core::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use slcache_core::schemes::CATALOG;
use std::sync::Arc;

/// Windows of schemes without windows of their own.
pub const DEFAULT_WINDOW: WindowLength = WindowLength { unit: WindowUnit::WriteBytes, count: 32 << 20 };
/// Requests between two questions whether to go on.
const ASK_EVERY: usize = 1 << 16;

/// Everything that decides an episode.
#[derive(Clone, Debug, Default)]
pub struct EpisodeRequest {
    /// The run, which saves no memory: agents outside keep what they learn.
    pub run: RunRequest,
    /// How long windows are; none: the scheme's own, or [`DEFAULT_WINDOW`] where it has none.
    pub window: Option<WindowLength>,
}

/// What stays the same in an episode and all its forks.
struct Inputs {
    config: RunConfig,
    requests: Vec<Request>,
    trace: TraceFacts,
    window: WindowLength,
}

#[derive(Clone)]
enum State {
    /// At the end of a window, or at the beginning.
    Between,
    /// A step was cancelled in a window.
    Within,
    /// At the end of the trace.
    Ended,
    Failed(RunError),
}

/// A device in the middle of a trace, between two windows.
#[derive(Clone)]
pub struct Episode {
    simulation: Simulation,
    inputs: Arc<Inputs>,
    observed: Observed,
    state: State,
    /// Requests taken.
    taken: usize,
    /// Windows run.
    windows: u64,
    /// Knobs turned to another value.
    turns: u64,
    window: Option<Window>,
    completed: CompletedLatencies,
    /// Time spent in steps, s.
    busy_s: f64,
    stopwatch: Stopwatch,
}

impl Episode {
    /// The episode of `request`, before its first window.
    pub fn new(request: &EpisodeRequest, progress: &mut Progress<'_>) -> Result<Self, EpisodeError> {
        let stopwatch = Stopwatch::start();
        let Ready { config, mut source, plan, mut simulation, .. } = ready(&request.run, progress)?;
        let mut requests = Vec::new();
        let (counts, footprint) = read_through(&mut source, plan, progress, |mut batch| {
            requests.append(&mut batch);
            Ok("scan".into())
        })?;
        let trace = TraceFacts::of(&request.run, &source, counts, &footprint).map_err(SimError::from)?;
        let own = Some(simulation.window_length()).filter(|length| length.count > 0);
        let window = request.window.or(own).unwrap_or(DEFAULT_WINDOW);
        check_length(window, &requests)?;
        let entry = CATALOG.iter().find(|entry| entry.name == config.scheme.name());
        let signals = entry.map_or(&[][..], |entry| entry.signals);
        let observed = Observed::all(&simulation, signals);
        simulation.set_control(window);
        simulation.keep_completed();
        Ok(Self {
            simulation,
            inputs: Arc::new(Inputs { config, requests, trace, window }),
            observed,
            state: State::Between,
            taken: 0,
            windows: 0,
            turns: 0,
            window: None,
            completed: CompletedLatencies::default(),
            busy_s: 0.0,
            stopwatch,
        })
    }

    /// Turns knobs, all or none of them, and runs to the end of the next window; true at the end of
    /// the trace. `go_on` is asked now and then; where it says no, the next step goes on with the
    /// window.
    pub fn step(
        &mut self,
        turns: &[(usize, f64)],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, EpisodeError> {
        self.check_turns(turns)?;
        let stopwatch = Stopwatch::start();
        let stepped = self.turn_all(turns).and_then(|()| self.run_window(go_on));
        self.busy_s += stopwatch.wall_s();
        stepped
    }

    /// Turns knobs, all or none of them, before the next window.
    pub fn turn(&mut self, turns: &[(usize, f64)]) -> Result<(), EpisodeError> {
        self.check_turns(turns)?;
        self.turn_all(turns)
    }

    /// Says why a step with these turns would be refused, if it would.
    fn check_turns(&self, turns: &[(usize, f64)]) -> Result<(), EpisodeError> {
        self.check_goes_on()?;
        let knobs = if turns.is_empty() { Vec::new() } else { self.simulation.knobs() };
        for (place, &(number, value)) in turns.iter().enumerate() {
            let Some(knob) = knobs.get(number) else {
                let names = knobs.iter().map(|knob| knob.spec.name).collect();
                let scheme = self.inputs.config.scheme.name();
                return Err(EpisodeError::UnknownKnob { knob: number, scheme, names });
            };
            if turns[..place].iter().any(|&(other, _)| other == number) {
                return Err(EpisodeError::TurnedTwice { name: knob.spec.name });
            }
            if let Some(problem) = knob.refusal(value) {
                return Err(EpisodeError::Refused(problem));
            }
        }
        Ok(())
    }

    fn check_goes_on(&self) -> Result<(), EpisodeError> {
        match &self.state {
            State::Between | State::Within => Ok(()),
            State::Ended => {
                let requests = self.inputs.requests.len();
                Err(EpisodeError::Ended { requests, windows: self.windows })
            }
            State::Failed(source) => Err(self.failed(source.clone())),
        }
    }

    fn failed(&self, source: RunError) -> EpisodeError {
        EpisodeError::Failed { window: self.windows, source }
    }

    /// Breaks the episode.
    fn fail(&mut self, source: RunError) -> EpisodeError {
        self.state = State::Failed(source.clone());
        self.failed(source)
    }

    /// Turns knobs that were checked together. Where one narrows the range of another, so that this
    /// one is refused after all, those before it are turned.
    fn turn_all(&mut self, turns: &[(usize, f64)]) -> Result<(), EpisodeError> {
        for &(knob, value) in turns {
            match self.simulation.turn(knob, value) {
                Ok(()) => self.turns += 1,
                Err(TurnError::Run(source)) => return Err(self.fail(source)),
                Err(TurnError::Refused(problem)) => return Err(EpisodeError::Refused(problem)),
                Err(TurnError::Unknown { .. }) => unreachable!("Invariant: the turns were checked"),
            }
        }
        Ok(())
    }

    fn run_window(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<bool, EpisodeError> {
        let inputs = Arc::clone(&self.inputs);
        let requests = &inputs.requests;
        loop {
            let end = requests.len().min(self.taken + ASK_EVERY);
            let fed = match self.simulation.feed_control(&requests[self.taken..end]) {
                Ok(fed) => fed,
                Err(source) => return Err(self.fail(source)),
            };
            self.taken += fed.taken;
            if let Some(counters) = fed.window {
                self.end_window(counters, true);
                return Ok(false);
            }
            if self.taken == requests.len() {
                let is_complete = self.simulation.is_control_window_complete();
                self.end_window(self.simulation.control_window(), is_complete);
                self.state = State::Ended;
                return Ok(true);
            }
            if !go_on() {
                self.state = State::Within;
                return Err(EpisodeError::Cancelled);
            }
        }
    }

    fn end_window(&mut self, counters: WindowCounters, is_complete: bool) {
        self.simulation.take_completed(&mut self.completed);
        self.window = Some(Window::of(&self.simulation, counters, &mut self.completed, is_complete));
        self.windows += 1;
        self.state = State::Between;
    }

    /// The window just over, if there was one.
    pub fn window(&self) -> Option<&Window> {
        self.window.as_ref()
    }

    /// Windows run so far.
    pub fn windows(&self) -> u64 {
        self.windows
    }

    /// How long windows are.
    pub fn window_length(&self) -> WindowLength {
        self.inputs.window
    }

    /// The configuration that runs.
    pub fn config(&self) -> &RunConfig {
        &self.inputs.config
    }

    pub fn knobs(&self) -> Vec<Knob> {
        self.simulation.knobs()
    }

    /// The scheme's signals of its window just over.
    pub fn signals(&self) -> Vec<f64> {
        self.simulation.signals()
    }

    /// The device.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// How many numbers an observation is.
    pub fn observation_len(&self) -> usize {
        self.observed.len()
    }

    /// Puts the observation into `out`, which has room for it; before the first window its
    /// statistics are 0.
    pub fn observe(&self, out: &mut [f64]) {
        self.observed.put(&self.simulation, self.window.as_ref(), out);
    }

    /// The flash operations of the window just over.
    pub fn operations(&self) -> Vec<OpRow> {
        let window = self.window.as_ref();
        window.map_or_else(Vec::new, |window| self.simulation.op_rows(&window.counters.ops))
    }

    /// What is observed, as JSON: name, unit, bounds and a line each.
    pub fn observations_to_json(&self) -> Value {
        self.observed.to_json(&self.simulation)
    }

    /// The knobs as they stand, as the catalogue tells of them.
    pub fn knob_entries(&self) -> Vec<KnobEntry> {
        self.knobs().iter().map(KnobEntry::from).collect()
    }

    /// Runs what is left of the trace with the knobs as they are, and ends the run: the result
    /// document, that of [`execute`](crate::execute) if no knob was turned.
    pub fn finish(mut self, progress: &mut Progress<'_>) -> Result<Value, EpisodeError> {
        if let State::Failed(source) = &self.state {
            return Err(self.failed(source.clone()));
        }
        let stopwatch = Stopwatch::start();
        let inputs = Arc::clone(&self.inputs);
        for batch in inputs.requests[self.taken..].chunks(ASK_EVERY) {
            begin("replay", progress)?;
            self.simulation.feed(batch).map_err(SimError::from)?;
        }
        begin("drain", progress)?;
        let report = self.simulation.finish().map_err(SimError::from)?;
        let replay_s = self.busy_s + stopwatch.wall_s();
        let mut document = assemble(&inputs.config, &inputs.trace, report, &self.stopwatch, replay_s);
        document.episode =
            (self.turns > 0).then_some(EpisodeReport { windows: self.windows, turns: self.turns });
        Ok(document.to_json())
    }
}

/// The length of windows of `count` of what `unit` names.
pub fn window_length(unit: &str, count: u64) -> Result<WindowLength, EpisodeError> {
    let named = WindowUnit::deserialize(unit.into_deserializer());
    let unit =
        named.map_err(|_: serde::de::value::Error| EpisodeError::UnknownUnit { unit: unit.to_owned() })?;
    Ok(WindowLength { unit, count })
}

/// Refuses windows that the trace does not fill once.
fn check_length(window: WindowLength, requests: &[Request]) -> Result<(), EpisodeError> {
    let writes = || requests.iter().filter(|request| request.op == HostOp::Write);
    let (found, unit) = match window.unit {
        WindowUnit::Requests => {
            (requests.iter().filter(|request| request.op != HostOp::Flush).count() as u64, "requests")
        }
        WindowUnit::WriteRequests => (writes().count() as u64, "write requests"),
        WindowUnit::WriteBytes => (writes().map(Request::bytes).sum(), "bytes of writes"),
    };
    if window.count == 0 {
        return Err(EpisodeError::NoWindow { unit });
    }
    if found < window.count {
        return Err(EpisodeError::TooShort { found, unit, needed: window.count });
    }
    Ok(())
}
