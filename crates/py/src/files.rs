//! Files that Python writes, by the rules of all others.

use super::errors::output_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use slcache_files::OutputError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Every file that reading a trace or device file reads.
#[pyfunction]
pub fn input_files(trace: &str) -> Vec<PathBuf> {
    slcache_sim::traces::input_files(trace)
}

/// Removes the hidden folders of this process, for one that ends with work still going on.
#[pyfunction]
pub fn remove_scratches() {
    slcache_files::remove_scratches();
}

/// Files that appear together or not at all.
#[pyclass(frozen)]
pub struct Outputs(Mutex<Option<slcache_files::Outputs>>);

#[pymethods]
impl Outputs {
    /// Outputs of work that reads `inputs`.
    #[new]
    fn new(inputs: Vec<PathBuf>) -> Self {
        Self(Mutex::new(Some(slcache_files::Outputs::new(inputs))))
    }

    /// Makes a folder for outputs.
    fn folder(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        self.with(py, |outputs| outputs.folder(&folder))
    }

    /// Takes a name, or says why it may not be written.
    fn reserve(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.with(py, |outputs| outputs.reserve(&path))
    }

    /// Stages a whole file.
    fn write(&self, py: Python<'_>, path: PathBuf, content: &[u8]) -> PyResult<()> {
        self.with(py, |outputs| write(outputs, &path, content))
    }

    /// Gives all files their names, or none of them.
    fn publish(&self, py: Python<'_>) -> PyResult<()> {
        let outputs = self.lock().take();
        let published = py.detach(|| outputs.map(slcache_files::Outputs::publish));
        published.unwrap_or(Ok(())).map_err(|error| output_error(&error))
    }

    /// Removes what is staged.
    fn discard(&self) {
        drop(self.lock().take());
    }
}

impl Outputs {
    fn lock(&self) -> MutexGuard<'_, Option<slcache_files::Outputs>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut slcache_files::Outputs) -> Result<(), OutputError> + Send,
    ) -> PyResult<()> {
        let done = py.detach(|| self.lock().as_mut().map(work));
        let done = done.ok_or_else(|| PyValueError::new_err("these outputs are published or discarded"))?;
        done.map_err(|error| output_error(&error))
    }
}

fn write(outputs: &mut slcache_files::Outputs, path: &Path, content: &[u8]) -> Result<(), OutputError> {
    let mut file = outputs.create(path)?;
    let written = file.write_all(content).and_then(|()| match file.metadata()?.is_file() {
        true => file.sync_all(),
        false => Ok(()),
    });
    written.map_err(|source| OutputError::Io { path: path.to_owned(), source })
}

/// A hidden folder for temporary files, removed at the end and after a kill.
#[pyclass(frozen)]
pub struct Scratch(Mutex<Option<slcache_files::Scratch>>);

#[pymethods]
impl Scratch {
    /// A folder inside `parent`, or where temporary files belong.
    #[new]
    #[pyo3(signature = (parent=None))]
    fn new(parent: Option<PathBuf>) -> PyResult<Self> {
        let made = match &parent {
            Some(parent) => slcache_files::Scratch::new(parent),
            None => slcache_files::Scratch::temporary(),
        };
        Ok(Self(Mutex::new(Some(made?))))
    }

    /// Where it is; `None` once it is removed.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        let scratch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        scratch.as_ref().map(|scratch| scratch.path().to_owned())
    }

    /// Removes it.
    fn close(&self) -> PyResult<()> {
        let scratch = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(scratch.map_or(Ok(()), slcache_files::Scratch::close)?)
    }
}
