//! Finds the class that a configuration names, by the Python that hosts the simulator.

use super::{message, PyPolicy, HOSTED};
use pyo3::prelude::*;
use serde::Deserialize;
use slcache_sim::custom::{
    set_host, Description, Hooks, Host, OptionValue, Policy, PolicySource, Problem, RegionConfig,
};
use std::collections::BTreeMap;

/// Has custom schemes come from Python.
pub fn register() {
    set_host(Box::new(PythonHost));
}

struct PythonHost;

/// What the hosting module says of a class.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Problems { problems: Vec<(String, String, String)> },
    Class(Class),
}

#[derive(Deserialize)]
struct Class {
    sha256: String,
    slc_blocks: Option<u32>,
    options: BTreeMap<String, OptionValue>,
    regions: Vec<RegionConfig>,
    idle: bool,
    drain: bool,
    window_writes: u64,
    history: bool,
}

fn ask<'py>(py: Python<'py>, function: &str, given: &PolicySource<'_>) -> PyResult<Bound<'py, PyAny>> {
    let options = serde_json::to_string(given.options).expect("plain data has a JSON form");
    py.import(HOSTED)?.call_method1(function, (given.source, given.sha256, given.slc_blocks, options))
}

impl Host for PythonHost {
    fn describe(&self, given: &PolicySource<'_>) -> Result<Description, Vec<Problem>> {
        let problem = |allowed: String| vec![Problem::new("scheme.custom.source", given.source, allowed)];
        let text = Python::attach(|py| {
            let answer = ask(py, "describe", given).and_then(|answer| answer.extract::<String>());
            answer.map_err(|error| message(py, "a scheme", &error))
        });
        let told = text.map_err(problem)?;
        match serde_json::from_str(&told).map_err(|error| problem(error.to_string()))? {
            Answer::Problems { problems } => Err(problems
                .into_iter()
                .map(|(key, value, allowed)| Problem::new(format!("scheme.custom.{key}"), value, allowed))
                .collect()),
            Answer::Class(class) => Ok(Description {
                sha256: class.sha256,
                slc_blocks: class.slc_blocks,
                options: class.options,
                regions: class.regions,
                idle: class.idle,
                drain: class.drain,
                window_writes: class.window_writes,
                history: class.history,
            }),
        }
    }

    fn policy(&self, given: &PolicySource<'_>, regions: &[String]) -> Result<Box<dyn Policy>, String> {
        Python::attach(|py| {
            let made = ask(py, "policy", given)
                .and_then(|made| made.extract::<(Py<PyAny>, (bool, bool, bool, bool))>())
                .and_then(|(object, (place, reclaim, idle, window))| {
                    PyPolicy::new(py, object, Hooks { place, reclaim, idle, window }, regions)
                });
            let boxed = made.map(|policy| Box::new(policy) as Box<dyn Policy>);
            boxed.map_err(|error| message(py, "a new scheme", &error))
        })
    }
}
