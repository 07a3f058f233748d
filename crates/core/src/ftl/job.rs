//! A job that moves data: its cause and its priority.

use super::piece::PageWrite;
use crate::base::op::{Cause, Class};
use crate::hw::timing::RequestId;

/// Why and how urgently data are moved.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Cause of every operation of the job.
    pub cause: Cause,
    /// Priority.
    pub class: Class,
}

impl Job {
    /// The program of `units` moved mapping units of `mu_bytes`.
    pub(super) fn write(self, units: u32, mu_bytes: u32) -> PageWrite {
        PageWrite {
            bytes: units * mu_bytes,
            fresh_slots: units,
            slots: units,
            cause: self.cause,
            class: self.class,
            request: RequestId::NONE,
        }
    }
}
