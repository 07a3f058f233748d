//! What there is to choose from, as JSON.

use super::json;
use pyo3::prelude::*;

/// The schemes with their configuration schemas.
#[pyfunction]
pub fn schemes() -> String {
    slcache_sim::catalogue::schemes().to_string()
}

/// The device presets.
#[pyfunction]
pub fn devices() -> String {
    slcache_sim::preset::catalogue().to_string()
}

/// The trace formats.
#[pyfunction]
pub fn formats() -> String {
    json(&slcache_sim::traces::formats().collect::<Vec<_>>())
}
