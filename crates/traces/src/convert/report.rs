//! What is reported about traces that were written again.

use crate::summary::TraceSummary;
use crate::writers::Written;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was read, done and written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConvertReport {
    /// The traces read, in order.
    pub inputs: Vec<InputReport>,
    /// What was done beside reading and writing, in order.
    pub steps: Vec<StepReport>,
    /// The files written, in order.
    pub outputs: Vec<Written>,
    /// What the requests are where they are not a recording.
    pub label: Option<String>,
}

/// A trace that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputReport {
    pub file: String,
    /// Format it was read as.
    pub format: &'static str,
    pub summary: TraceSummary,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// Its name and parameters.
    pub step: String,
    /// Requests left out or changed, by reason.
    pub counts: BTreeMap<&'static str, u64>,
}
