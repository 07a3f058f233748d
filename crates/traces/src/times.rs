//! The one bound on times.

use crate::error::LineFault;

/// First time that no request comes at, in nanoseconds: 146 years. Below it,
/// what a device adds to a time cannot pass 64 bits.
pub const TIME_END_NS: u64 = 1 << 62;

/// Refuses a time as it is given out, after every conversion.
#[inline]
pub(crate) fn check(at_ns: u64) -> Result<(), LineFault> {
    match at_ns < TIME_END_NS {
        true => Ok(()),
        false => Err(LineFault::TooLate { at_ns }),
    }
}

/// A time that was changed, if it may still be given out.
#[inline]
pub(crate) fn allowed(at_ns: Option<u64>) -> Option<u64> {
    at_ns.filter(|at_ns| check(*at_ns).is_ok())
}
