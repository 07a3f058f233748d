//! What is counted and reported: operations by cause, latency, time series.

pub mod counters;
pub mod report;
pub mod series;
mod spectrum;
pub mod state;
pub mod window_series;

pub use slcache_base::latency;
