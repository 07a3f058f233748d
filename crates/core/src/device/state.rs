//! Saving and restoring a device between runs: what it holds, not what is in flight.

use super::window::HostWindow;
use super::{RunError, Setup, Simulation};
use crate::base::{sparse, Problem};
use crate::ftl::by_regions::ByRegions;
use crate::ftl::io::IoState;
use crate::ftl::oracle::Foresight;
use crate::ftl::scheme::{Memory, Scheme};
use crate::schemes::AnyScheme;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A device at rest.
#[derive(Serialize, Deserialize)]
struct State<'a> {
    io: IoState<'a>,
    scheme: Cow<'a, AnyScheme>,
    window: HostWindow,
    /// Random overwrites over what was filled; none once requests were served.
    overwritten: Option<f64>,
    /// Whether a block of the store was ever erased.
    store_cleaned: bool,
    /// What was ever trimmed, where reads map old data.
    #[serde(with = "sparse")]
    trimmed: Cow<'a, [u32]>,
}

impl Simulation {
    /// The device's state; call it before the first request or after `finish`.
    pub fn save(&self) -> impl Serialize + '_ {
        State {
            io: self.io.save(),
            scheme: Cow::Borrowed(&self.scheme),
            window: self.window.at_rest(self.io.counters(), self.io.now_ns()),
            overwritten: self.begun.overwritten().filter(|_| self.fed == 0),
            store_cleaned: self.io.cache_use().store_erases() > 0,
            trimmed: Cow::Borrowed(&self.trimmed),
        }
    }

    /// Why the policy's part of what was just written is not all of it, if it is not.
    pub fn save_failure(&self) -> Option<String> {
        self.scheme.failure()
    }

    /// A device in a saved state, at time 0 with fresh counters. The setup's device and scheme are
    /// those of the saved one (the caller compares them); a state that no audit finds coherent is
    /// refused.
    pub fn restore<'de, D: Deserializer<'de>>(setup: &Setup, from: D) -> Result<Self, RunError> {
        let state = State::deserialize(from).map_err(|error| RunError::Snapshot(error.to_string()))?;
        let describe = |problems: Vec<Problem>| {
            RunError::Snapshot(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        };
        let mut simulation = Self::new(setup).map_err(describe)?;
        // What is so wrong that it cannot even be looked at is no device's either.
        let resumed = catch_unwind(AssertUnwindSafe(|| simulation.resume(state)));
        resumed.unwrap_or_else(|_| Err("the state of no device".to_owned())).map_err(RunError::Snapshot)?;
        Ok(simulation)
    }

    fn resume(&mut self, state: State) -> Result<(), String> {
        self.io.resume(state.io)?;
        let fresh = std::mem::replace(&mut self.scheme, state.scheme.into_owned());
        if self.scheme.shapes() != fresh.shapes() {
            return Err(format!("{}: regions of another device", self.setup.scheme.name()));
        }
        self.scheme.resume(fresh)?;
        self.audit()?;
        self.window.resume(state.window)?;
        match (state.trimmed.len(), self.trimmed.len()) {
            (0, _) | (_, 0) => {}
            (saved, own) if saved == own => self.trimmed.copy_from_slice(&state.trimmed),
            (saved, own) => return Err(format!("trims of {saved} pages, and the device has {own}")),
        }
        self.io.watch_cache(super::start::slc_regions(&self.scheme), state.store_cleaned);
        self.begin(state.overwritten);
        Ok(())
    }

    /// The first pass over the trace to come, if the scheme looks ahead.
    pub fn foresight(&self) -> Option<Foresight> {
        let pages = self.io.mus() / self.io.policy().mus_per_page;
        self.setup.scheme.looks_ahead().then(|| Foresight::new(pages, self.piece_bytes()))
    }

    /// Tells the scheme what the trace will do; call it before its first request.
    pub fn foresee(&mut self, foresight: Foresight) {
        let oracle = foresight.finish();
        if self.setup.scheme.separation().foresees() {
            self.io.foresee(oracle.clone());
        }
        self.scheme.foresee(oracle);
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
