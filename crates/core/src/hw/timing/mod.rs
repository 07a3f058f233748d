//! When flash operations happen: units, channels, priorities, dependencies.
//!
//! State changes first; the FTL then emits operations here, and this room decides only their
//! time. Four orders hold: (a) operations of one block run in emission order; (b) an erase waits
//! for the block's earlier reads and for the programs of what was moved out of it, or superseded
//! there without power-loss protection; (c) an operation inherits the highest class of anything that waits for it; (d) a read returns the
//! version current at its emission (`in_flight` tells the FTL what is not yet programmed).

mod attribution;
mod channel;
mod choice;
mod clock;
mod completion;
mod disk;
mod emission;
mod engine;
pub mod event;
mod hosts;
mod idle;
mod moves;
mod operation_log;
mod ops;
mod queries;
mod queueing;
mod queues;
mod read_plans;
mod requests;
mod run;
mod spec;
mod start;
mod state;
mod stretch;
mod suspend;
mod turns;
mod unit;

pub use disk::DiskOp;
pub use engine::Timing;
pub use operation_log::LoggedOperation;
pub use ops::PageMove;
pub use requests::{
    RequestPath, WaitTime, Waiter, DISK_POSITIONING, DISK_TRANSFER, RETRY, WAIT_CHANNEL, WAIT_KINDS,
    WAIT_ORDER, WAIT_SOURCE, WAIT_SPIN_UP, WAIT_SUSPENDED,
};
pub use spec::{MoveTarget, OpId, OpSpec, RequestId};
pub use state::ClockState;

#[cfg(test)]
mod blocks_tests;
#[cfg(test)]
mod emission_tests;
#[cfg(test)]
mod folds_tests;
#[cfg(test)]
mod move_run_tests;
#[cfg(test)]
mod read_plans_tests;
#[cfg(test)]
mod stretch_tests;
#[cfg(test)]
mod twins;
#[cfg(test)]
mod window_tests;
