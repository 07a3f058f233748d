//! What is fuzzed, shared by the fuzz targets and by the tests' short run of
//! the same checks.

pub mod checks;
pub mod seeds;
pub mod snapshots;
