//! The device under a controller outside: windows at which it pauses, knobs that are turned then.

use super::window::HostWindow;
use super::{RunError, Simulation};
use crate::base::Problem;
use crate::ftl::knob::Knob;
use crate::ftl::scheme::Scheme;
use crate::ftl::window::{WindowCounters, WindowLength};

/// How far a feeding came.
#[derive(Clone, Debug, PartialEq)]
pub struct Fed {
    /// Requests taken.
    pub taken: usize,
    /// The window that was over before the next one, if that is why it ended.
    pub window: Option<WindowCounters>,
}

/// Why a knob is not turned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TurnError {
    /// The scheme has no such knob.
    #[error("knob {knob}: the scheme has {count}, numbered from 0")]
    Unknown { knob: usize, count: usize },
    /// The value is not one that the knob may have now.
    #[error("{0}")]
    Refused(Problem),
    /// The device cannot follow.
    #[error("{0}")]
    Run(#[from] RunError),
}

impl Simulation {
    /// Sets the windows at whose ends `feed_control` returns; the first begins now.
    pub fn set_control(&mut self, length: WindowLength) {
        self.control = HostWindow::new(length, self.io.counters(), self.io.now_ns());
    }

    /// What the window under way came to so far.
    pub fn control_window(&self) -> WindowCounters {
        self.control.counters(self.io.counters(), self.io.now_ns())
    }

    /// Whether the window under way has its full length: the next request that counts ends it.
    pub fn is_control_window_complete(&self) -> bool {
        self.control.is_complete()
    }

    /// The scheme's own windows.
    pub fn window_length(&self) -> WindowLength {
        self.scheme.window_length()
    }

    /// The scheme's knobs as they stand.
    pub fn knobs(&self) -> Vec<Knob> {
        self.scheme.knobs(&self.io)
    }

    /// The scheme's signals of its window just over.
    pub fn signals(&self) -> Vec<f64> {
        self.scheme.signals(&self.io)
    }

    /// Turns knob number `knob` to `value`; a refused turn changes nothing.
    pub fn turn(&mut self, knob: usize, value: f64) -> Result<(), TurnError> {
        let knobs = self.knobs();
        let Some(found) = knobs.get(knob) else {
            return Err(TurnError::Unknown { knob, count: knobs.len() });
        };
        if let Some(problem) = found.refusal(value) {
            return Err(TurnError::Refused(problem));
        }
        let turned = self.io.at_leisure(|io| self.scheme.turn(knob, value, io));
        self.note_room();
        match turned {
            Err(_) if self.io.retires() && self.io.ends_full() => Ok(()),
            turned => turned.map_err(|source| TurnError::Run(self.stopped(self.fed, source))),
        }
    }
}
