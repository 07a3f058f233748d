//! The latencies of what was completed lately, for whoever looks at windows.

use super::Simulation;
use crate::base::request::HostOp;

/// Latencies of reads and writes, in the order of their completion, ns.
#[derive(Clone, Debug, Default)]
pub struct Completed {
    pub reads_ns: Vec<u64>,
    pub writes_ns: Vec<u64>,
}

impl Completed {
    #[inline]
    pub(super) fn record(&mut self, op: HostOp, latency_ns: u64) {
        match op {
            HostOp::Read => self.reads_ns.push(latency_ns),
            HostOp::Write => self.writes_ns.push(latency_ns),
            HostOp::Trim | HostOp::Flush => {}
        }
    }

    /// Forgets them; the room stays.
    pub fn clear(&mut self) {
        self.reads_ns.clear();
        self.writes_ns.clear();
    }
}

impl Simulation {
    /// Keeps the latencies of what completes from now on, until they are taken.
    pub fn keep_completed(&mut self) {
        self.completed = Some(Completed::default());
        self.watched = true;
    }

    /// Takes the latencies kept so far into `completed`, whose own are forgotten.
    pub fn take_completed(&mut self, completed: &mut Completed) {
        completed.clear();
        if let Some(kept) = self.completed.as_mut() {
            std::mem::swap(kept, completed);
        }
    }
}
