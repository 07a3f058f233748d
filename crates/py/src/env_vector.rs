//! Episodes side by side for Python.

use super::env::{check_room, episode_error, go_on, knob_bounds, knob_values, operations, Episode, Turns};
use super::errors::{retold, wrong_episode};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use slcache_sim::episode::{self, EpisodeError as Error, StepFailed};

/// Copies of episodes that step side by side, in threads and without the GIL.
#[pyclass]
pub struct Episodes {
    episodes: episode::Episodes,
    /// Room for all observations.
    values: Vec<f64>,
}

impl Episodes {
    fn at(&self, index: usize) -> PyResult<&episode::Episode> {
        let all = self.episodes.all();
        let missing = || PyIndexError::new_err(format!("episode {index}: there are {}", all.len()));
        all.get(index).ok_or_else(missing)
    }
}

/// Refuses an episode that observes another number of things than the others.
fn check_width(index: usize, found: usize, needed: usize) -> PyResult<()> {
    if found == needed {
        return Ok(());
    }
    let message = format!("episode {index}: observes {found} numbers, and the first {needed}");
    Err(wrong_episode(Some("observations"), message))
}

fn failed(error: &StepFailed) -> PyErr {
    match &*error.source {
        Error::Cancelled => episode_error(&error.source),
        source => {
            let py_error = episode_error(source);
            Python::attach(|py| retold(py, &py_error, error.to_string()))
        }
    }
}

#[pymethods]
impl Episodes {
    #[new]
    #[pyo3(signature = (episodes, *, threads=None))]
    fn new(py: Python<'_>, episodes: Vec<PyRef<'_, Episode>>, threads: Option<usize>) -> PyResult<Self> {
        let originals = episodes.iter().map(|episode| episode.get()).collect::<PyResult<Vec<_>>>()?;
        let Some(width) = originals.first().map(|episode| episode.observation_len()) else {
            return Err(wrong_episode(Some("episodes"), "episodes: must be at least one".to_owned()));
        };
        if threads == Some(0) {
            return Err(wrong_episode(Some("threads"), "threads = 0: must be at least 1".to_owned()));
        }
        for (index, episode) in originals.iter().enumerate() {
            check_width(index, episode.observation_len(), width)?;
        }
        let values = vec![0.0; width * originals.len()];
        let copies = py.detach(|| originals.into_iter().cloned().collect());
        Ok(Self { episodes: episode::Episodes::new(copies, threads)?, values })
    }

    /// Steps each episode that has turns; says which are at the end of their traces.
    fn step(&mut self, py: Python<'_>, turns: Vec<Option<Turns>>, out: PyBuffer<f64>) -> PyResult<Vec<bool>> {
        let count = self.episodes.all().len();
        if turns.len() != count {
            let given = turns.len();
            let message = format!("turns: {given} lists for {count} episodes");
            return Err(wrong_episode(Some("turns"), message));
        }
        check_room(&out, self.values.len())?;
        let mut raised = None;
        let episodes = &mut self.episodes;
        let stepped = py.detach(|| episodes.step(&turns, &mut || go_on(&mut raised)));
        if let Some(error) = raised {
            return Err(error);
        }
        let ended = stepped.map_err(|error| failed(&error))?;
        self.episodes.observe(&mut self.values);
        out.copy_from_slice(py, &self.values)?;
        Ok(ended)
    }

    /// Puts a copy of `episode` in the place of one.
    fn replace(&mut self, py: Python<'_>, index: usize, episode: PyRef<'_, Episode>) -> PyResult<()> {
        let width = self.at(index)?.observation_len();
        let original = episode.get()?;
        check_width(index, original.observation_len(), width)?;
        let copy = py.detach(|| original.clone());
        self.episodes.replace(index, copy);
        Ok(())
    }

    /// A copy of one.
    fn episode(&self, py: Python<'_>, index: usize) -> PyResult<Episode> {
        let original = self.at(index)?;
        Ok(Episode::around(py.detach(|| original.clone())))
    }

    /// The values of one's knobs.
    fn knob_values<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyTuple>> {
        knob_values(py, self.at(index)?)
    }

    /// The least and the most that each of one's knobs takes now.
    fn knob_bounds<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyTuple>> {
        knob_bounds(py, self.at(index)?)
    }

    /// The flash operations of one's window just over.
    fn operations<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
        operations(py, self.at(index)?)
    }
}
