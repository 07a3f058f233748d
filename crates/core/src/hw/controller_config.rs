//! Configuration of the controller's own time.

use crate::base::request::HostOp;
use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The controller's own time: latencies that occupy nothing, and a limit of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControllerConfig {
    /// Time of every read beside the flash's, ns.
    #[schemars(range(max = 1_000_000_000))]
    pub read_ns: u32,
    /// Time of every write before its data are in the buffer, ns.
    #[schemars(range(max = 1_000_000_000))]
    pub write_ns: u32,
    /// Time of every flush beside its programs, ns; only without power-loss protection.
    #[schemars(range(max = 1_000_000_000))]
    pub flush_ns: u32,
    /// Reads and writes taken a second, one after the other; absent = as many as come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub commands_per_s: Option<u32>,
}

impl ControllerConfig {
    /// Time of an operation, which occupies nothing, ns.
    pub fn latency_ns(&self, op: HostOp) -> u64 {
        u64::from(match op {
            HostOp::Read => self.read_ns,
            HostOp::Write => self.write_ns,
            HostOp::Flush => self.flush_ns,
            HostOp::Trim => 0,
        })
    }

    /// Time from a command to the next, ns; 0 without a limit and for what is no command of it.
    pub fn command_ns(&self, op: HostOp) -> u64 {
        let counts = matches!(op, HostOp::Read | HostOp::Write);
        self.commands_per_s.filter(|_| counts).map_or(0, |rate| (2_000_000_000 / u64::from(rate)).div_ceil(2))
    }

    /// Adds every problem; `plp` is whether the device has power-loss protection.
    pub fn check(&self, plp: bool, problems: &mut Vec<Problem>) {
        if plp && self.flush_ns > 0 {
            let allowed = "0 with device.plp = true: a flush finds everything durable and takes no time";
            problems.push(Problem::new("device.controller.flush_ns", self.flush_ns, allowed));
        }
    }
}
