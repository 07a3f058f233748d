//! Why a run stops.

use crate::ftl::answer::DeviceFull;

/// A run that cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A request that reaches beyond the device.
    #[error("request {index} (sector {sector}, {sectors} sectors) ends at byte {end}, beyond the device's {user_bytes} bytes; allowed with an address policy: wrap, compact or clip")]
    OutOfRange {
        /// Number of the request in the trace, from 1.
        index: u64,
        /// First sector.
        sector: u64,
        sectors: u32,
        /// Byte behind the request.
        end: u64,
        /// Capacity.
        user_bytes: u64,
    },
    /// A read, write or trim without a size.
    #[error(
        "request {index} (sector {sector}) has no size; a read, write or trim covers at least one sector"
    )]
    ZeroSize {
        /// Number of the request in the trace, from 1.
        index: u64,
        /// First sector.
        sector: u64,
    },
    /// No block can be freed.
    #[error("request {index}: {source}; the data exceed what the scheme can hold (more spare space or a smaller footprint is needed)")]
    Full {
        /// Number of the request in the trace, from 1; 0 before time 0.
        index: u64,
        /// The scheme's answer.
        source: DeviceFull,
    },
    /// A policy of elsewhere answered what cannot be, or failed.
    #[error("request {index}: {message}")]
    Policy {
        /// Number of the request in the trace, from 1; 0 before time 0.
        index: u64,
        /// What was wrong: method, value, what is allowed.
        message: String,
    },
    /// Simulated time would pass what the model counts.
    #[error("request {index}: simulated time would reach {at_ns} ns; allowed is below 2^62 ns, some 146 years (times, gaps or time_scale are too large)")]
    TimeLimit {
        /// Number of the request in the trace, from 1.
        index: u64,
        at_ns: u64,
    },
    /// No memory for more requests at a time.
    #[error("request {index}: there is no memory for the {backlog} requests that have arrived and are not complete; allowed: fewer at a time (closed replay, a larger host.time_scale) or more memory")]
    OutOfMemory {
        /// Number of the request in the trace, from 1.
        index: u64,
        /// Requests that have arrived and are not complete.
        backlog: u64,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A snapshot that does not fit the configuration.
    #[error("the snapshot does not fit: {0}")]
    Snapshot(String),
}
