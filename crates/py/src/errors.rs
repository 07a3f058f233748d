//! The exceptions, one per kind of fault.

use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use slcache_files::OutputError;
use slcache_sim::traces::TraceError as Trace;
use slcache_sim::{ConfigErrors, SimError};

// The macro's classes need a description each, which it takes as text.
mod classes {
    #![allow(missing_docs)]
    use super::PyException;

    pyo3::create_exception!(
        slcache._core,
        ConfigError,
        PyException,
        "The configuration is not valid; the message lists every problem, one a line."
    );
    pyo3::create_exception!(slcache._core, TraceError, PyException, "The trace cannot be read as asked.");
    pyo3::create_exception!(slcache._core, RunError, PyException, "The run failed after it started.");
    pyo3::create_exception!(
        slcache._core,
        EpisodeError,
        PyException,
        "An episode cannot do what it was asked; nothing changed."
    );
}

pub use classes::{ConfigError, EpisodeError, RunError, TraceError};

/// The exception for a configuration that is not valid.
pub fn config_error(errors: &ConfigErrors) -> PyErr {
    ConfigError::new_err(errors.to_string())
}

/// The exception for a trace that cannot be read.
pub fn trace_error(error: &Trace) -> PyErr {
    match error {
        Trace::Cancelled => PyKeyboardInterrupt::new_err("cancelled"),
        _ => TraceError::new_err(error.to_string()),
    }
}

/// The exception for a run without a result.
pub fn sim_error(error: &SimError) -> PyErr {
    match error {
        SimError::Config(errors) => config_error(errors),
        SimError::Trace(error) => trace_error(error),
        SimError::Address(error) => TraceError::new_err(error.to_string()),
        SimError::OutputTaken(error) => output_error(error),
        SimError::NoMemory(error) => ConfigError::new_err(error.to_string()),
        SimError::Cancelled => PyKeyboardInterrupt::new_err("cancelled"),
        other => RunError::new_err(other.to_string()),
    }
}

/// The exception for a file that is not written; Python makes it the right kind of `OSError`.
pub fn output_error(error: &OutputError) -> PyErr {
    match error {
        OutputError::Io { path, source } => match source.raw_os_error() {
            Some(code) => {
                let reason = source.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
                PyOSError::new_err((code, reason, path.clone()))
            }
            None => PyOSError::new_err(error.to_string()),
        },
        taken => ConfigError::new_err(taken.to_string()),
    }
}
