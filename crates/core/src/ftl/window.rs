//! Windows of the host's requests, after each of which a scheme or a controller may change its mind.

use crate::metrics::counters::OpCounters;
use crate::metrics::series::PerValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What windows are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowUnit {
    /// Requests of the host of any kind but flushes.
    Requests,
    /// Write requests of the host.
    #[default]
    WriteRequests,
    /// Bytes that the host writes.
    WriteBytes,
}

/// How long windows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLength {
    /// What they are counted in.
    pub unit: WindowUnit,
    /// So many of them; 0 = there are no windows.
    pub count: u64,
}

impl WindowLength {
    /// No windows.
    pub const NONE: Self = Self { unit: WindowUnit::WriteRequests, count: 0 };

    /// The distance of the values of a series that has one for every window.
    pub fn per_value(self) -> PerValue {
        match self.unit {
            WindowUnit::Requests => PerValue::Requests(self.count),
            WindowUnit::WriteRequests => PerValue::Writes(self.count),
            WindowUnit::WriteBytes => PerValue::WriteBytes(self.count),
        }
    }
}

/// Requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCount {
    /// Requests.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl HostCount {
    #[inline]
    pub fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes += bytes;
    }
}

/// What a window came to.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCounters {
    /// Number of the window, from 0.
    pub index: u64,
    /// When it was over, ns.
    pub end_ns: u64,
    /// How long it lasted, ns.
    pub duration_ns: u64,
    /// Reads that arrived in it.
    pub reads: HostCount,
    /// Writes that arrived in it.
    pub writes: HostCount,
    /// Trims that arrived in it.
    pub trims: HostCount,
    /// Flash operations that were emitted in it.
    pub ops: OpCounters,
}
