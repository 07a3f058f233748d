//! What operations wait for, by kind.

use crate::base::op::CAUSES;

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
/// Kinds of waiting: behind each cause, and those above.
pub const WAIT_KINDS: usize = CAUSES + 7;

/// Waiting time by what occupied the resource, and service by the disk, ns.
pub type WaitTime = [u64; WAIT_KINDS];
