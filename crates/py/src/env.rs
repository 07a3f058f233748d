//! Episodes for Python: steps without the GIL, observations into the caller's memory.

use super::errors::{sim_error, wrong_episode, EpisodeError, RunError};
use super::policy::is_hosted;
use super::run_request::Run;
use super::{progress, TraceName};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use slcache_sim::episode::{self, bounds, window_length, EpisodeError as Error, EpisodeRequest, OpRow};

/// Knobs to turn: number and value of each.
type Turns = Vec<(usize, f64)>;

/// The exception for an episode that does not do what it was asked.
fn episode_error(error: &Error) -> PyErr {
    match error {
        Error::Sim(error) => sim_error(error),
        Error::Failed { .. } => RunError::new_err(error.to_string()),
        Error::Cancelled => PyKeyboardInterrupt::new_err("cancelled"),
        other => wrong_episode(key(other), other.to_string()),
    }
}

/// The argument or knob that an error is about.
fn key(error: &Error) -> Option<&str> {
    match error {
        Error::TooShort { .. } | Error::NoWindow { .. } | Error::UnknownUnit { .. } => Some("window"),
        Error::UnknownKnob { .. } => Some("turns"),
        Error::TurnedTwice { name } => Some(name),
        Error::Refused(problem) => Some(&problem.key),
        Error::Sim(_) | Error::Ended { .. } | Error::Failed { .. } | Error::Cancelled => None,
    }
}

/// Whether to go on, asked of signal handlers and of a function; what one raised is kept in `raised`.
fn goes_on(asked: Option<&Py<PyAny>>, raised: &mut Option<PyErr>) -> bool {
    Python::attach(|py| {
        py.check_signals()?;
        asked.map_or(Ok(true), |asked| asked.bind(py).call0()?.is_truthy())
    })
    .unwrap_or_else(|error| {
        *raised = Some(error);
        false
    })
}

/// A run that stops at the end of every window.
#[pyclass]
pub struct Episode(Option<episode::Episode>);

impl Episode {
    /// The episode, unless it is finished.
    fn get(&self) -> PyResult<&episode::Episode> {
        self.0.as_ref().ok_or_else(finished)
    }

    fn get_mut(&mut self) -> PyResult<&mut episode::Episode> {
        self.0.as_mut().ok_or_else(finished)
    }
}

fn finished() -> PyErr {
    EpisodeError::new_err("the episode is finished; begin another, or fork it before")
}

fn observation(episode: &episode::Episode) -> Vec<f64> {
    let mut values = vec![0.0; episode.observation_len()];
    episode.observe(&mut values);
    values
}

/// Refuses memory that does not take `needed` numbers, before anything is done.
fn check_room(out: &PyBuffer<f64>, needed: usize) -> PyResult<()> {
    if out.readonly() || !out.is_c_contiguous() || out.item_count() != needed {
        let found = out.item_count();
        let message =
            format!("out: must be writable, contiguous and hold {needed} numbers (float64), not {found}");
        return Err(wrong_episode(Some("out"), message));
    }
    Ok(())
}

#[pymethods]
impl Episode {
    #[new]
    #[pyo3(signature = (trace, run, *, window, progress))]
    fn new(
        py: Python<'_>,
        trace: TraceName<'_>,
        run: Run<'_>,
        window: Option<(String, u64)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let length = window.map(|(unit, count)| window_length(&unit, count));
        let mut request = EpisodeRequest {
            run: run.of(trace)?,
            window: length.transpose().map_err(|error| episode_error(&error))?,
        };
        let hosted = is_hosted(&request.run.layers.scheme);
        let result = progress::run_known(py, hosted, progress, move |progress, stop| {
            request.run.stop = stop.clone();
            episode::Episode::new(&request, progress)
        })?;
        result.map(|episode| Self(Some(episode))).map_err(|error| episode_error(&error))
    }

    /// Turns knobs and runs to the end of the next window; true at the end of the trace.
    #[pyo3(signature = (turns, out=None, go_on=None))]
    fn step(
        &mut self,
        py: Python<'_>,
        turns: Turns,
        out: Option<PyBuffer<f64>>,
        go_on: Option<Py<PyAny>>,
    ) -> PyResult<bool> {
        let episode = self.get_mut()?;
        if let Some(out) = &out {
            check_room(out, episode.observation_len())?;
        }
        let mut raised = None;
        let stepped = py.detach(|| episode.step(&turns, &mut || goes_on(go_on.as_ref(), &mut raised)));
        if let Some(error) = raised {
            return Err(error);
        }
        let ended = stepped.map_err(|error| episode_error(&error))?;
        if let Some(out) = &out {
            out.copy_from_slice(py, &observation(episode))?;
        }
        Ok(ended)
    }

    /// The observation, or nothing if `out` takes it.
    #[pyo3(signature = (out=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        out: Option<PyBuffer<f64>>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let episode = self.get()?;
        if let Some(out) = out {
            check_room(&out, episode.observation_len())?;
            out.copy_from_slice(py, &observation(episode))?;
            return Ok(None);
        }
        PyTuple::new(py, observation(episode)).map(Some)
    }

    /// Turns knobs before the next window.
    fn turn(&mut self, turns: Turns) -> PyResult<()> {
        self.get_mut()?.turn(&turns).map_err(|error| episode_error(&error))
    }

    /// The knobs' values.
    fn knob_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get()?.knobs().iter().map(|knob| knob.value))
    }

    /// The least and the most that each knob takes now.
    fn knob_bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.get()?.knobs().iter().map(|knob| bounds(&knob.range)))
    }

    /// The flash operations of the window just over, a dict for each pool, kind, mode and cause.
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let as_dict = |row: OpRow| {
            let dict = PyDict::new(py);
            dict.set_item("pool", row.pool)?;
            dict.set_item("kind", row.kind)?;
            dict.set_item("mode", row.mode)?;
            dict.set_item("cause", row.cause)?;
            dict.set_item("count", row.count)?;
            dict.set_item("pages", row.pages)?;
            dict.set_item("bytes", row.bytes)?;
            dict.set_item("time_us", row.time_us)?;
            Ok(dict)
        };
        self.get()?.operations().into_iter().map(as_dict).collect()
    }

    /// The knobs, as JSON.
    fn knobs(&self) -> PyResult<String> {
        Ok(super::json(&self.get()?.knob_entries()))
    }

    /// What is observed, as JSON.
    fn observations(&self) -> PyResult<String> {
        Ok(self.get()?.observations_to_json().to_string())
    }

    /// The configuration that runs, as JSON.
    fn config(&self) -> PyResult<String> {
        Ok(self.get()?.config().to_json().to_string())
    }

    /// An exact copy.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        let episode = self.get()?;
        Ok(Self(Some(py.detach(|| episode.clone()))))
    }

    /// Runs what is left of the trace and returns the result document as JSON.
    fn finish(&mut self, py: Python<'_>) -> PyResult<String> {
        self.get()?;
        let episode = self.0.take().ok_or_else(finished)?;
        let result = progress::run_known(py, true, None, move |progress, _| {
            episode.finish(progress).map(|document| document.to_string())
        })?;
        result.map_err(|error| episode_error(&error))
    }
}
