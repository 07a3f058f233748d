//! Policies in Python: a scheme's decisions are asked of a class, and its answers are checked.

mod answers;
mod host;
mod view;

pub use host::register;
pub use view::PyView;

use crate::progress;
use answers::Names;
use pyo3::prelude::*;
use serde_json::json;
use slcache_sim::conformance;
use slcache_sim::custom::{BlockReclaim, Choice, Hooks, Policy, View, WindowCounters, Write};
use std::collections::BTreeMap;
use std::sync::Arc;
use view::shown;

/// The module of Python that finds classes, and saves and copies what is made of them.
const HOSTED: &str = "slcache.scheme.hosted";

/// A piece of a host write.
#[pyclass(frozen, name = "Write", module = "slcache")]
pub struct PyWrite {
    /// Logical page.
    #[pyo3(get)]
    page: u32,
    /// Bytes of the piece.
    #[pyo3(get)]
    bytes: u32,
    /// Bytes of the whole request.
    #[pyo3(get)]
    request_bytes: u64,
    /// Stream of the request.
    #[pyo3(get)]
    stream: u16,
    /// What the host says about the data, such as a write hint or a UFS group; 0 for nothing.
    #[pyo3(get)]
    hint: u8,
    /// Whether it is the first piece of its request.
    #[pyo3(get)]
    first: bool,
    /// The present time, ns.
    #[pyo3(get)]
    time_ns: u64,
    /// Time since the page was last written, ns; None before, or without `history`.
    #[pyo3(get)]
    age_ns: Option<u64>,
    /// How often the page was written before; 0 without `history`.
    #[pyo3(get)]
    frequency: u32,
}

impl From<&Write> for PyWrite {
    fn from(write: &Write) -> Self {
        let &Write { page, bytes, request_bytes, stream, hint, first, time_ns, age_ns, frequency } = write;
        Self { page, bytes, request_bytes, stream, hint, first, time_ns, age_ns, frequency }
    }
}

/// What a window came to.
#[pyclass(frozen, name = "Window", module = "slcache")]
pub struct PyWindow {
    /// Number of the window, from 0.
    #[pyo3(get)]
    index: u64,
    /// How long it lasted, ns.
    #[pyo3(get)]
    duration_ns: u64,
    /// Reads that arrived in it.
    #[pyo3(get)]
    reads: u64,
    /// Bytes they read.
    #[pyo3(get)]
    read_bytes: u64,
    /// Writes that arrived in it.
    #[pyo3(get)]
    writes: u64,
    /// Bytes they wrote.
    #[pyo3(get)]
    write_bytes: u64,
}

/// Whether a scheme's policy is in Python.
pub fn is_hosted(scheme: &str) -> bool {
    scheme.contains(':') || scheme == "custom"
}

/// An instance of a class of Python.
struct PyPolicy {
    object: Py<PyAny>,
    names: Names,
    view: Py<PyView>,
    hooks: Hooks,
    place: Py<PyAny>,
    reclaim: Py<PyAny>,
    idle: Py<PyAny>,
    window: Py<PyAny>,
    destination: Py<PyAny>,
}

impl PyPolicy {
    /// Around an instance, whose class decides what `hooks` name.
    fn new(py: Python<'_>, object: Py<PyAny>, hooks: Hooks, regions: &[String]) -> PyResult<Self> {
        let method = |name: &str| object.getattr(py, name);
        let names = Arc::new(regions.to_vec());
        Ok(Self {
            place: method("place")?,
            reclaim: method("reclaim")?,
            idle: method("idle")?,
            window: method("window")?,
            destination: method("destination")?,
            names: Names::new(py, Arc::clone(&names)),
            view: Py::new(py, PyView(names))?,
            hooks,
            object,
        })
    }

    /// Calls `work` with the view shown; what it raises is told in the words of `method`.
    fn ask<T>(
        &self,
        method: &str,
        view: &View<'_>,
        work: impl FnOnce(Python<'_>, &Self) -> PyResult<T>,
    ) -> Result<T, String> {
        Python::attach(|py| {
            let answer = shown(view, self.view.get(), || work(py, self));
            answer.map_err(|error| message(py, method, &error))
        })
    }

    /// What a function of the hosting module says of the instance.
    fn hosted<T>(
        &self,
        function: &str,
        take: impl FnOnce(Python<'_>, Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, String> {
        Python::attach(|py| {
            let asked = py.import(HOSTED).and_then(|module| module.call_method1(function, (&self.object,)));
            asked.and_then(|answer| take(py, answer)).map_err(|error| message(py, function, &error))
        })
    }
}

/// An exception in one line: the method, what was raised, and where in the class's file.
fn message(py: Python<'_>, method: &str, error: &PyErr) -> String {
    let hosted = py
        .import(HOSTED)
        .and_then(|module| module.call_method1("told", (error.value(py), error.traceback(py))));
    let words = hosted.and_then(|words| words.extract::<String>()).unwrap_or_else(|_| error.to_string());
    format!("{method}: {words}")
}

impl Policy for PyPolicy {
    fn hooks(&self) -> Hooks {
        self.hooks
    }

    fn place(&mut self, write: &Write, view: &View<'_>) -> Result<Choice, String> {
        self.ask("place", view, |py, policy| {
            let answer = policy.place.bind(py).call1((PyWrite::from(write), &policy.view))?;
            policy.names.choice(&answer)
        })
    }

    fn reclaim(&mut self, region: usize, view: &View<'_>) -> Result<Option<BlockReclaim>, String> {
        self.ask("reclaim", view, |py, policy| {
            let answer = policy.reclaim.bind(py).call1((policy.names.name(py, region), &policy.view))?;
            policy.names.reclaim(&answer, Some(region))
        })
    }

    fn destination(&mut self, page: u32, region: usize, view: &View<'_>) -> Result<usize, String> {
        self.ask("destination", view, |py, policy| {
            let name = policy.names.name(py, region);
            let answer = policy.destination.bind(py).call1((page, name, &policy.view))?;
            policy.names.region(&answer)
        })
    }

    fn idle(&mut self, view: &View<'_>) -> Result<Option<BlockReclaim>, String> {
        self.ask("idle", view, |py, policy| {
            let answer = policy.idle.bind(py).call1((&policy.view,))?;
            policy.names.reclaim(&answer, None)
        })
    }

    fn window(&mut self, counters: &WindowCounters, view: &View<'_>) -> Result<Vec<(usize, u32)>, String> {
        self.ask("window", view, |py, policy| {
            let window = PyWindow {
                index: counters.index,
                duration_ns: counters.duration_ns,
                reads: counters.reads.requests,
                read_bytes: counters.reads.bytes,
                writes: counters.writes.requests,
                write_bytes: counters.writes.bytes,
            };
            let answer = policy.window.bind(py).call1((window, &policy.view))?;
            policy.names.quotas(&answer)
        })
    }

    fn figures(&self) -> Result<BTreeMap<String, f64>, String> {
        self.hosted("figures", |_, answer| answer.extract())
    }

    fn save(&self) -> Result<String, String> {
        self.hosted("save", |_, answer| answer.extract())
    }

    fn load(&mut self, state: &str) -> Result<(), String> {
        Python::attach(|py| {
            let asked =
                py.import(HOSTED).and_then(|module| module.call_method1("load", (&self.object, state)));
            asked.map(|_| ()).map_err(|error| message(py, "load", &error))
        })
    }

    fn copy(&self) -> Result<Box<dyn Policy>, String> {
        let (hooks, names) = (self.hooks, self.names.all());
        let copied = self.hosted("copied", |py, answer| Self::new(py, answer.unbind(), hooks, &names));
        copied.map(|policy| Box::new(policy) as Box<dyn Policy>)
    }
}

/// Runs small random cases of a scheme up to the first that fails, and returns what came of them as JSON.
#[pyfunction]
#[pyo3(signature = (*, scheme, sets, cases, seed, progress))]
pub fn check_scheme(
    py: Python<'_>,
    scheme: String,
    sets: Vec<String>,
    cases: u32,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let outcome = progress::run_known(py, is_hosted(&scheme), progress, move |progress, _| {
        let total = u64::from(cases);
        conformance::check(&scheme, &sets, cases, seed, |case| progress("check", u64::from(case), total))
    })?;
    Ok(json!({
        "ran": outcome.ran,
        "refused": outcome.refused,
        "reason": outcome.reason,
        "passed": outcome.passed,
        "failure": outcome.failure,
    })
    .to_string())
}
