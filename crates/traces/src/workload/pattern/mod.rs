//! Workloads described by patterns: places, sizes, operations and arrivals.

mod arrivals;
mod daily;
mod generator;
mod place;
mod resolve;
mod size_table;
mod sizes;
mod stream;

pub(super) use generator::PatternGenerator;
pub(super) use resolve::{resolve, PatternPlan};
