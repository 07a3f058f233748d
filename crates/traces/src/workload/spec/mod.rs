//! The keys of a workload file.

mod arrivals;
mod stream;
mod twin;

pub use arrivals::{ArrivalProcess, ArrivalsSpec, BurstLength};
pub use stream::StreamSpec;
pub use twin::{FreeFigure, GapShare, MeasuredClass, SizeShare, SizeSharesBy, SweepValue, TwinSpec};

use super::quantity::{SizeBytes, TimeNs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workload file. It describes either patterns (`global`, `stream`,
/// `arrivals`) or, with `twin`, a stand-in for a published trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkloadSpec {
    /// Name of the workload.
    pub name: Option<String>,
    /// What it is, in one line.
    pub about: Option<String>,
    /// Where its figures come from.
    pub source: Option<String>,
    /// Requests to make, flushes and trims included; left out, a pattern has no
    /// end and a twin has as many as its figures say. A twin with fewer is
    /// scaled: shares, sizes and rates stay, footprint and duration shrink along.
    pub requests: Option<u64>,
    /// Patterns end with the last request that arrives by this time.
    pub duration_ns: Option<TimeNs>,
    /// Bytes of address space that patterns use; required for them.
    pub footprint_bytes: Option<SizeBytes>,
    /// First byte of that address space; default 0. A multiple of 512 (twins: of 4096).
    pub offset_bytes: Option<SizeBytes>,
    /// When requests arrive; default: all at time 0 (`closed`).
    pub arrivals: Option<ArrivalsSpec>,
    /// Settings of every stream that does not say otherwise.
    pub global: Option<StreamSpec>,
    /// Streams mixed at random by weight; left out, `global` is the only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stream: Vec<StreamSpec>,
    /// Figures of a published trace to meet.
    pub twin: Option<TwinSpec>,
}
