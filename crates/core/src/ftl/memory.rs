//! What a scheme has learned: kept apart from the device's state, so that a later run on another
//! device state or another trace can begin with it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a scheme has learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub scheme: String,
    /// Which meaning its tables have, `Scheme::MEMORY_VERSION` of the scheme that wrote it.
    pub version: u32,
    /// What must agree for the tables to mean the same.
    pub shape: BTreeMap<String, f64>,
    pub tables: BTreeMap<String, Vec<f64>>,
}
