//! Configuration of the controller's own time.

use crate::base::defaults::is;
use crate::base::request::HostOp;
use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The controller's own time: latencies that occupy nothing, and a limit of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ControllerConfig {
    /// Time of every read beside the flash's, ns.
    #[schemars(range(max = 1_000_000_000))]
    pub read_ns: u32,
    /// Time of every write before its data are in the buffer, ns.
    #[schemars(range(max = 1_000_000_000))]
    pub write_ns: u32,
    /// Mean of what a read or write takes longer than that, drawn from an exponential distribution, ns: host
    /// and firmware are now and then busy.
    #[serde(skip_serializing_if = "is::<0, u32>")]
    #[schemars(range(max = 1_000_000_000))]
    pub jitter_ns: u32,
    /// Time of every flush beside its programs, ns; only without power-loss protection.
    #[schemars(range(max = 1_000_000_000))]
    pub flush_ns: u32,
    /// Reads and writes taken a second, one after the other; absent = as many as come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub commands_per_s: Option<u32>,
}

impl ControllerConfig {
    /// Time of an operation, which occupies nothing, ns; `draw` is its chance.
    pub fn latency_ns(&self, op: HostOp, draw: u16) -> u64 {
        match op {
            HostOp::Read => u64::from(self.read_ns) + self.jitter_of(draw),
            HostOp::Write => u64::from(self.write_ns) + self.jitter_of(draw),
            HostOp::Flush => u64::from(self.flush_ns),
            HostOp::Trim => 0,
        }
    }

    #[inline]
    fn jitter_of(&self, draw: u16) -> u64 {
        match self.jitter_ns {
            0 => 0,
            mean_ns => drawn_ns(mean_ns, draw),
        }
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

/// The quantile of an exponential distribution of this mean at `draw` of 65,536, ns.
#[inline(never)]
fn drawn_ns(mean_ns: u32, draw: u16) -> u64 {
    let share = (f64::from(draw) + 0.5) / 65_536.0;
    libm::round(f64::from(mean_ns) * -libm::log(share)) as u64
}
