//! Where time goes: what operations wait for, by kind, the path of an operation or a request, and what a
//! request has done on one unit.

use crate::base::op::{Cause, CAUSES};

pub const WAIT_CHANNEL: usize = CAUSES;
/// Waiting in an idle unit for an earlier operation of the block, which itself waits.
pub const WAIT_ORDER: usize = CAUSES + 1;
/// Waiting for the reads or the program that an operation's data come from.
pub const WAIT_SOURCE: usize = CAUSES + 2;
pub const WAIT_SUSPENDED: usize = CAUSES + 3;
/// Waiting for the disk to be awake.
pub const WAIT_SPIN_UP: usize = CAUSES + 4;
/// Being served by the disk: the way of head and platter. As much of it as there is follows only from
/// the moment it starts, so that it is booked beside the waiting.
pub const DISK_POSITIONING: usize = CAUSES + 5;
/// Being served by the disk: the transfer.
pub const DISK_TRANSFER: usize = CAUSES + 6;
/// Reading again what could not be corrected, in the array and on the channel: as known when a read is emitted.
pub const RETRY: usize = CAUSES + 7;
/// Kinds of waiting: behind each cause, and those above.
pub const WAIT_KINDS: usize = CAUSES + 8;

/// Waiting time by what occupied the resource, service by the disk, and repeated reads, ns.
pub type WaitTime = [u64; WAIT_KINDS];

/// Time for which a unit was at work, ns: in the array, on the channel, waiting for the channel, on the
/// way of the disk's head and platter, in the disk's transfer, and repeating reads.
pub type WorkParts = [u64; 6];

/// What the operations of one request have done so far on one unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    pub(super) unit: u32,
    /// The request's account of another unit (0: none).
    pub(super) next: u32,
    /// When the command counted last had ended, ns: several of its operations may be the request's.
    pub(super) counted_ns: Option<u64>,
    /// Time at work by the cause under which the unit books it, ns.
    pub(super) busy_ns: [u64; CAUSES],
    pub(super) parts_ns: WorkParts,
}

impl Own {
    pub(super) fn add(&mut self, cause: usize, parts_ns: &WorkParts) {
        self.busy_ns[cause] += parts_ns.iter().sum::<u64>();
        for (sum_ns, ns) in self.parts_ns.iter_mut().zip(parts_ns) {
            *sum_ns += ns;
        }
    }
}

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
    /// Array time, less what of the operation's own is for repeating its read: below 0 until that is over, ns.
    pub array_ns: i64,
    /// Channel time, less the same, ns.
    pub bus_ns: i64,
    pub wait: WaitTime,
    /// The cause of the operation that it waited for last as a source.
    pub source: Option<Cause>,
    /// What of the operation's own times is for repeating its read, in the array and on the channel, ns.
    pub own_retry_ns: (u32, u32),
}

impl Path {
    /// Has so much of the operation's own times, in the array and on the channel, ns, be for repeating its read:
    /// less on the path of what it does once.
    #[cold]
    pub fn repeat(&mut self, (array_ns, bus_ns): (u32, u32)) {
        self.own_retry_ns = (array_ns, bus_ns);
        self.array_ns -= i64::from(array_ns);
        self.bus_ns -= i64::from(bus_ns);
        self.wait[RETRY] += u64::from(array_ns) + u64::from(bus_ns);
    }
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
