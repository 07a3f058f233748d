//! What schemes share that are no schemes themselves.

pub mod cache;
pub mod census;
pub mod device_fit;
pub mod dials;
pub mod mixed_cache;
pub mod tables;
pub mod turns;
