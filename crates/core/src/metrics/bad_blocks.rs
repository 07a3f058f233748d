//! Bad blocks, and the end of a device's life.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a device whose blocks retire takes no more requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfLife {
    /// A block is to retire, and its plane has no spare block left.
    FirstPlaneWithoutSpare,
    /// A write finds no room: blocks retired without a spare, and nothing can be cleaned.
    #[default]
    Full,
}

impl EndOfLife {
    /// The name used in configuration and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstPlaneWithoutSpare => "first-plane-without-spare",
            Self::Full => "full",
        }
    }
}

/// The blocks that are bad.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BadBlocksReport {
    /// Blocks bad from the start.
    pub factory_bad: u32,
    /// Blocks retired, before a state was saved included.
    pub retired: u64,
    /// Bad blocks whose places nothing has.
    pub without_spare: u64,
    /// Spare blocks left.
    pub spares_left: u64,
    /// Share of its life that the mean block used has used up, start included and bad ones as they were when
    /// they retired, among the blocks where that is most; null before any is used.
    pub mean_damage: Option<f64>,
    /// The end of the device's life, if it has come.
    pub end: Option<EndReport>,
}

/// The end of a device's life, and with it of the run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EndReport {
    /// Why.
    pub reason: EndOfLife,
    /// The pool of the plane whose block was to retire last.
    pub pool: String,
    /// Which of its planes that is.
    pub plane: u32,
    /// When, ns; 0 if the device had ended before.
    pub at_ns: u64,
    /// Bytes that the host wrote until then, as it was told.
    pub host_bytes: u64,
    /// How long that takes at `trace.write_bytes_per_day`.
    pub years: Option<f64>,
    /// Requests of the trace that were not served: all that came later, and those that found no room.
    pub unserved_requests: u64,
    /// Bytes that were complete in the DRAM buffer and found no room in the flash.
    pub unwritten_bytes: u64,
}
