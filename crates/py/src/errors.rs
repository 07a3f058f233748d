//! The exceptions, one per kind of fault, all of one base that says where the fault is.

use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::PyTypeInfo;
use slcache_files::{plain, OutputError};
use slcache_sim::traces::{FileFault, Place, TraceError as Trace};
use slcache_sim::{ConfigErrors, Origin, SimError, Words};

// The macro's classes need a description each, which it takes as text.
mod classes {
    use super::PyException;
    use pyo3::create_exception;

    create_exception!(
        slcache,
        Error,
        PyException,
        "Whatever slcache refuses or cannot do.\n\n\
         `key` is the configuration key, argument, option or column that is wrong, `file` the file and\n\
         `line` its line; None where there is none. The message says all of it."
    );
    create_exception!(
        slcache,
        ConfigError,
        Error,
        "The configuration is not valid; the message lists every problem, one a line.\n\n\
         `key`, `line` and `file` are those of the first."
    );
    create_exception!(slcache, TraceError, Error, "The trace cannot be read as asked.");
    create_exception!(slcache, RunError, Error, "The run failed after it started.");
    create_exception!(
        slcache,
        EpisodeError,
        Error,
        "An episode cannot do what it was asked; nothing changed."
    );
}

pub use classes::{ConfigError, EpisodeError, Error, RunError, TraceError};

/// What every exception has where nothing else is known.
pub fn add_places(py: Python<'_>) -> PyResult<()> {
    let base = py.get_type::<Error>();
    ["key", "line", "file"].into_iter().try_for_each(|name| base.setattr(name, py.None()))
}

/// An exception that says what it is about.
fn placed<E: PyTypeInfo>(message: String, place: Place<'_>) -> PyErr {
    Python::attach(|py| {
        let error = PyErr::new::<E, _>(message);
        match put(error.value(py), place) {
            Ok(()) => error,
            Err(failure) => failure,
        }
    })
}

fn put(error: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<()> {
    error.setattr("key", place.key)?;
    error.setattr("line", place.line)?;
    error.setattr("file", place.file)
}

/// The exception for a configuration that is not valid. The command line has words of its own.
pub fn config_error(errors: &ConfigErrors) -> PyErr {
    let first = errors.0.first();
    let (file, line) = match first.map(|error| &error.origin) {
        Some(Origin::File { name, line }) => (Some(name.as_str()), *line),
        _ => (None, None),
    };
    let key = first.map(|error| error.key.as_str()).filter(|key| !key.is_empty());
    let place = Place { file, line: line.map(|line| line as u64), key };
    worded(placed::<ConfigError>(errors.text(Words::Python), place), errors.text(Words::CommandLine))
}

/// An exception that the command line tells in words of its own.
fn worded(error: PyErr, command_line: String) -> PyErr {
    Python::attach(|py| match error.value(py).setattr("_command_line", command_line) {
        Ok(()) => error,
        Err(failure) => failure,
    })
}

/// An exception about a trace.
fn of_trace<E: PyTypeInfo>(error: &Trace) -> PyErr {
    let Trace::File { file, fault: FileFault::Endless, .. } = error else {
        return placed::<E>(error.to_string(), error.place());
    };
    let python = format!(
        "{file}: the workload has no end; bound it by the reader option \"workload.requests\": \"1000000\" or \
         \"workload.duration_ns\": \"10s\", of generate by overrides={{\"requests\": 1000000}}"
    );
    worded(placed::<E>(python, error.place()), error.to_string())
}

/// A ConfigError about one key.
pub fn wrong(key: &str, message: String) -> PyErr {
    placed::<ConfigError>(message, Place { key: Some(key), ..Place::default() })
}

/// An EpisodeError about one key.
pub fn wrong_episode(key: Option<&str>, message: String) -> PyErr {
    placed::<EpisodeError>(message, Place { key, ..Place::default() })
}

/// The exception for a trace that cannot be read; an option of its reader is a fault of the configuration.
pub fn trace_error(error: &Trace) -> PyErr {
    match error {
        Trace::Cancelled => PyKeyboardInterrupt::new_err("cancelled"),
        Trace::File { fault: FileFault::Memory, .. } => placed::<RunError>(error.to_string(), error.place()),
        Trace::Option { .. } => of_trace::<ConfigError>(error),
        _ => of_trace::<TraceError>(error),
    }
}

/// The exception for a trace that cannot be written as asked: what was asked for wrongly is a fault of
/// the configuration, not of the trace.
pub fn writing_error(error: &Trace) -> PyErr {
    match error {
        Trace::Refused { .. }
        | Trace::File { fault: FileFault::Output | FileFault::Endless, .. }
        | Trace::OutputTaken(_)
        | Trace::Workload(_) => of_trace::<ConfigError>(error),
        Trace::File { fault: FileFault::Write, .. } => placed::<RunError>(error.to_string(), error.place()),
        _ => trace_error(error),
    }
}

/// The exception for a run without a result.
pub fn sim_error(error: &SimError) -> PyErr {
    let about = |file| Place { file, ..Place::default() };
    let told = error.to_string();
    match error {
        SimError::Config(errors) => config_error(errors),
        SimError::Trace(error) => trace_error(error),
        SimError::Address(_) => {
            placed::<TraceError>(told, Place { key: Some("trace.address"), ..Place::default() })
        }
        SimError::TooLong(_) => placed::<TraceError>(told, Place::default()),
        SimError::OutputTaken(error) => output_error(error),
        SimError::NoMemory(_) => wrong("scheme", told),
        SimError::Cancelled => PyKeyboardInterrupt::new_err("cancelled"),
        SimError::Snapshot(error) => placed::<RunError>(told, about(error.file())),
        SimError::Learned(error) => placed::<RunError>(told, about(error.file())),
        SimError::Log(error) => placed::<RunError>(told, about(error.file())),
        SimError::EmptyTimeline(_) | SimError::Run(_) | SimError::Memory(_) => RunError::new_err(told),
    }
}

/// The exception for a file that is not written; Python makes it the right kind of `OSError`.
pub fn output_error(error: &OutputError) -> PyErr {
    match error {
        OutputError::Io { path, source } => match source.raw_os_error() {
            Some(code) => PyOSError::new_err((code, plain(source), path.clone())),
            None => PyOSError::new_err(error.to_string()),
        },
        OutputError::IsInput { output, .. } | OutputError::Twice { output, .. } => {
            let place = Place { file: output.to_str(), ..Place::default() };
            placed::<ConfigError>(error.to_string(), place)
        }
    }
}
