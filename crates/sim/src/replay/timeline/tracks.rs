//! The numbers of the tracks.

/// Tracks that others stand below, in their order, and the first of the others.
pub const REQUESTS: u64 = 1;
pub const DECISIONS: u64 = 2;
pub const REGIONS: u64 = 3;
pub const CHANNELS: u64 = 4;
pub const PLANES: u64 = 5;
pub const DISK: u64 = 6;
pub const FIRST: u64 = 16;
