//! Saving and restoring a device between runs: what it holds, not what is in flight.

use super::{RunError, Setup, Simulation};
use crate::base::rng::RngStream;
use crate::ftl::media::MediaState;
use crate::ftl::restore::Restoring;
use crate::ftl::scheme::{Scheme, SchemeState};
use serde::{Deserialize, Serialize};

/// A device at rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    media: MediaState,
    scheme: SchemeState,
    rng: RngStream,
}

impl Simulation {
    /// The device's state; call it before the first request or after `finish`.
    pub fn save(&self) -> State {
        let (media, rng) = self.io.save();
        State { media, scheme: self.scheme.save(), rng }
    }

    /// A device in a saved state, at time 0 with fresh counters. The setup's device and scheme are
    /// those of the saved one (the caller compares them); a state that such a device cannot be in is
    /// refused.
    pub fn restore(setup: &Setup, state: State) -> Result<Self, RunError> {
        let describe = |problems: Vec<crate::base::Problem>| {
            RunError::Snapshot(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        };
        let mut simulation = Self::new(setup).map_err(describe)?;
        simulation.io.load(state.media, state.rng).map_err(RunError::Snapshot)?;
        simulation.audit().map_err(RunError::Snapshot)?;
        let mut restoring = Restoring::new(&simulation.io);
        simulation.scheme.load(state.scheme, &mut restoring).map_err(RunError::Snapshot)?;
        restoring.finish().map_err(RunError::Snapshot)?;
        simulation.io.mark_all_idle_work();
        Ok(simulation)
    }
}
