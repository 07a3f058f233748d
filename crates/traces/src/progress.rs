//! How a caller follows what takes long, and ends it.

/// Called with what is being done, how much of it is done and how much there is
/// (0 = unknown); returning `false` cancels.
pub type Progress<'a> = dyn FnMut(&str, u64, u64) -> bool + 'a;
