//! Where requests come from, and what is told of a source: its format, its fingerprint, its problems.

pub(crate) mod detect;
pub(crate) mod lint;
pub(crate) mod merger;
pub(crate) mod part;
pub(crate) mod preparation;
pub(crate) mod reader;
pub(crate) mod records;
pub(crate) mod resampling;
pub(crate) mod source;
pub(crate) mod spawn;
pub(crate) mod workload;
