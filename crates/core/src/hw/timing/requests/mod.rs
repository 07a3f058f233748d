//! Requests in flight: what they wait for, who hears of their end, and where their time went.

mod accounts;
mod paths;
mod table;
mod waits;

pub(super) use table::Requests;
pub use table::{RequestPath, Waiter};
pub(super) use waits::{Snapshot, Waited, WorkParts};
pub use waits::{
    WaitTime, DISK_POSITIONING, DISK_TRANSFER, RETRY, WAIT_CHANNEL, WAIT_KINDS, WAIT_ORDER, WAIT_SOURCE,
    WAIT_SPIN_UP, WAIT_SUSPENDED,
};
