//! The path of an operation or a request, and what it is told from.

use super::waits::WaitTime;
use crate::base::op::{Cause, CAUSES};

/// What a unit had done at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    pub busy_ns: [u64; CAUSES],
    /// Waiting for the channel, ns.
    pub wished_ns: u64,
    /// For operations of the request of the one that waits (index into the accounts, 0 = it has no account).
    pub own: u32,
}

/// What came before the own times of an operation that a request waits for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    pub array_ns: u64,
    /// Channel time, ns.
    pub bus_ns: u64,
    pub wait: WaitTime,
    /// The cause of the operation that it waited for last as a source.
    pub source: Option<Cause>,
}

/// The waiting of an operation that starts now.
#[derive(Clone, Copy)]
pub struct Waited {
    /// What its unit had done when it was queued (index into the snapshots, 0 = it found it idle).
    pub before: u32,
    pub ns: u64,
    /// What of it was for the channel if it found the unit idle, ns.
    pub channel_ns: u64,
    pub channel: usize,
}
