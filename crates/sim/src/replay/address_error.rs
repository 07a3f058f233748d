//! Requests that no address policy, or not the chosen one, can place.

/// A request that the address policy does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The request ends behind the last sector.
    #[error(
        "request {number} of the trace ({what} of {bytes} bytes at byte {first}) ends beyond the \
         device's {capacity} bytes; trace.address = \"wrap\", \"compact\" or \"clip\" says what to do"
    )]
    Beyond {
        /// Number of the request in the trace, from 1.
        number: u64,
        /// The operation.
        what: &'static str,
        /// First byte.
        first: u64,
        /// Length.
        bytes: u64,
        /// The device's capacity in bytes.
        capacity: u64,
    },
    /// The request does not fit the device at any address.
    #[error(
        "request {number} of the trace ({what} of {bytes} bytes) is larger than the device \
         ({capacity} bytes), so it cannot be wrapped; trace.address = \"clip\" cuts it"
    )]
    LargerThanDevice {
        /// Number of the request in the trace, from 1.
        number: u64,
        /// The operation.
        what: &'static str,
        /// Length.
        bytes: u64,
        /// The device's capacity in bytes.
        capacity: u64,
    },
    /// The touched pages do not fit, however densely they lie.
    #[error(
        "trace.address = \"compact\": the trace touches {touched} bytes in whole logical pages, \
         and the device holds {capacity}"
    )]
    FootprintTooLarge {
        /// Bytes of all touched logical pages.
        touched: u64,
        /// The device's capacity in bytes.
        capacity: u64,
    },
    /// The volumes do not fit a 64-bit address space side by side.
    #[error(
        "the trace's {volumes} volumes side by side reach past the last byte a 64-bit address can name; \
         volume = \"NAME\" takes one of them"
    )]
    Namespaces { volumes: usize },
}
