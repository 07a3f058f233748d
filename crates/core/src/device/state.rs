//! Saving and restoring a device between runs: what it holds, not what is in flight.

use super::window::WindowState;
use super::{RunError, Setup, Simulation};
use crate::ftl::by_regions::{ByRegions, SchemeState};
use crate::ftl::io::IoState;
use crate::ftl::memory::Memory;
use crate::ftl::oracle::Foresight;
use crate::ftl::restore::Restoring;
use crate::ftl::scheme::Scheme;
use crate::schemes::AnyState;
use serde::{Deserialize, Serialize};

/// A device at rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    io: IoState,
    scheme: SchemeState<AnyState>,
    window: WindowState,
    /// Random overwrites over what was filled; none once requests were served.
    overwritten: Option<f64>,
    /// Whether a block of the store was ever erased.
    store_cleaned: bool,
}

/// Most that can be configured, as a multiple of what was filled.
const OVERWRITTEN_MAX: f64 = 100.0;

impl Simulation {
    /// The device's state; call it before the first request or after `finish`.
    pub fn save(&self) -> State {
        let window = self.window.save(self.io.counters(), self.io.now_ns());
        State {
            io: self.io.save(),
            scheme: self.scheme.save(),
            window,
            overwritten: self.begun.overwritten().filter(|_| self.fed == 0),
            store_cleaned: self.io.cache_use().store_erases() > 0,
        }
    }

    /// Why the policy's part of what was just saved is not all of it, if it is not.
    pub fn save_failure(&self) -> Option<String> {
        self.scheme.failure()
    }

    /// A device in a saved state, at time 0 with fresh counters. The setup's device and scheme are
    /// those of the saved one (the caller compares them); a state that such a device cannot be in is
    /// refused.
    pub fn restore(setup: &Setup, state: State) -> Result<Self, RunError> {
        let describe = |problems: Vec<crate::base::Problem>| {
            RunError::Snapshot(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        };
        let mut simulation = Self::new(setup).map_err(describe)?;
        simulation.io.load(state.io).map_err(RunError::Snapshot)?;
        simulation.audit().map_err(RunError::Snapshot)?;
        let mut restoring = Restoring::new(&simulation.io).map_err(RunError::Snapshot)?;
        let loaded = simulation.scheme.load(state.scheme, &mut restoring);
        loaded.map_err(|what| RunError::Snapshot(format!("{}: {what}", setup.scheme.name())))?;
        restoring.finish().map_err(RunError::Snapshot)?;
        simulation.window.load(state.window).map_err(RunError::Snapshot)?;
        if let Some(times) = state.overwritten.filter(|times| !(0.0..=OVERWRITTEN_MAX).contains(times)) {
            return Err(RunError::Snapshot(format!("what was filled is overwritten {times} times")));
        }
        simulation.io.watch_cache(super::start::slc_regions(&simulation.scheme), state.store_cleaned);
        simulation.begin(state.overwritten);
        Ok(simulation)
    }

    /// The first pass over the trace to come, if the scheme looks ahead.
    pub fn foresight(&self) -> Option<Foresight> {
        let pages = self.io.mus() / self.io.policy().mus_per_page;
        self.setup.scheme.looks_ahead().then(|| Foresight::new(pages, self.piece_bytes()))
    }

    /// Tells the scheme what the trace will do; call it before its first request.
    pub fn foresee(&mut self, foresight: Foresight) {
        self.scheme.foresee(foresight.finish());
    }

    /// What the scheme has learned so far.
    pub fn memory(&self) -> Option<Memory> {
        self.scheme.memory()
    }

    /// Lets the scheme begin with what was learned elsewhere; call it before the first request. What
    /// is not the scheme's is refused and changes nothing.
    pub fn take_memory(&mut self, memory: Memory) -> Result<(), String> {
        let named = |what: String| format!("{}: {what}", self.setup.scheme.name());
        if memory.scheme != self.setup.scheme.name() {
            return Err(named(format!("the memory of {}", memory.scheme)));
        }
        self.scheme.take_memory(memory).map_err(named)
    }
}
