//! What is counted and reported: operations by cause, latency, time series, and the figures of a run.

pub mod cells;
pub mod components;
pub mod counters;
pub mod figures;
pub mod report;
pub mod series;
pub mod shape;
mod spectrum;
pub mod state;

pub use slcache_base::latency;
