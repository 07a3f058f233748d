//! Whether a scheme in Python keeps what every scheme owes its user.

use super::is_hosted;
use crate::progress;
use pyo3::prelude::*;
use serde_json::json;
use slcache_sim::conformance;

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
