//! Progress to a Python callback, and Ctrl-C from Python's signal handlers.

use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// Time between two looks at Python.
const INTERVAL: Duration = Duration::from_millis(100);

/// Tells a Python callback how far a run is, about ten times a second.
pub struct Reporter {
    callback: Option<Py<PyAny>>,
    last: Option<(String, Instant)>,
    error: Option<PyErr>,
}

impl Reporter {
    /// A reporter; without a callback it still looks for signals.
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, last: None, error: None }
    }

    /// Called by the simulator without the GIL; whether to go on.
    pub fn report(&mut self, phase: &str, done: u64, total: u64) -> bool {
        let is_due = match &self.last {
            Some((last_phase, at)) => last_phase != phase || at.elapsed() >= INTERVAL,
            None => true,
        };
        if !is_due {
            return true;
        }
        let answer = Python::attach(|py| self.ask(py, phase, done, total));
        self.last = Some((phase.to_owned(), Instant::now()));
        match answer {
            Ok(go_on) => go_on,
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }

    fn ask(&self, py: Python<'_>, phase: &str, done: u64, total: u64) -> PyResult<bool> {
        py.check_signals()?;
        match &self.callback {
            Some(callback) => callback.call1(py, (phase, done, total))?.is_truthy(py),
            None => Ok(true),
        }
    }

    /// What the callback or a signal handler raised.
    pub fn take_error(&mut self) -> Option<PyErr> {
        self.error.take()
    }
}
