//! What the formats are called that are no records one after the other, as those of the registry.

/// slcache's own layout.
pub(crate) const PARQUET: &str = "parquet";
/// A workload file in the place of a trace.
pub(crate) const WORKLOAD: &str = "workload";
