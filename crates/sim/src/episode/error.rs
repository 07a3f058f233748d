//! Why an episode does not do what it was asked.

use crate::replay::SimError;
use slcache_core::base::Problem;
use slcache_core::device::RunError;

/// An episode that cannot be made, or a step that is not done. But for `Failed` and `Cancelled`
/// nothing has changed, and the episode goes on.
#[derive(Debug, thiserror::Error)]
pub enum EpisodeError {
    /// The run cannot begin, or cannot be ended.
    #[error("{0}")]
    Sim(#[from] SimError),
    /// The trace ends before the first window does.
    #[error("the trace is too short for one window: it has {found} {unit}, a window {needed} (`window` makes it shorter)")]
    TooShort {
        /// What the trace has of it.
        found: u64,
        /// What windows are counted in.
        unit: &'static str,
        /// What a window takes.
        needed: u64,
    },
    /// Windows without a length.
    #[error("window = 0 {unit}: must be at least 1")]
    NoWindow {
        /// What windows are counted in.
        unit: &'static str,
    },
    /// Nothing is counted in this.
    #[error("window unit {unit:?}: allowed: requests, write-requests, write-bytes")]
    UnknownUnit { unit: String },
    /// The scheme has no such knob.
    #[error("knob {knob}: {} has {}", .scheme, knob_list(.names))]
    UnknownKnob { knob: usize, scheme: &'static str, names: Vec<&'static str> },
    /// A knob that is turned twice in one step.
    #[error("knob {name} is turned twice in one step")]
    TurnedTwice {
        /// The knob.
        name: &'static str,
    },
    /// A value that the knob may not have now.
    #[error("knob {0}")]
    Refused(Problem),
    /// There is nothing left of the trace.
    #[error("the episode is over: all {requests} requests of the trace were replayed in {windows} windows; begin another")]
    Ended {
        /// Requests of the trace.
        requests: usize,
        /// Windows run.
        windows: u64,
    },
    /// An earlier step, or this one, broke the run.
    #[error("the episode has failed in window {window}: {source}")]
    Failed {
        /// The window, from 0.
        window: u64,
        source: RunError,
    },
    /// The caller cancelled the step; the next one goes on with the window.
    #[error("cancelled")]
    Cancelled,
}

fn knob_list(names: &[&str]) -> String {
    match names {
        [] => "no knobs".to_owned(),
        [one] => format!("one knob: 0 ({one})"),
        many => {
            let named: Vec<String> =
                many.iter().enumerate().map(|(i, name)| format!("{i} ({name})")).collect();
            format!("the knobs {}", named.join(", "))
        }
    }
}
