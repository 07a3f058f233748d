//! The flash device model of slcache: pure, deterministic, without I/O, clock or Python.
//!
//! The rooms, each of which may use those before it: [`base`] (identifiers, small tables, and what the crate `base` shares with the traces),
//! [`metrics`] (what is counted), [`hw`] (the flash array and its timing), [`ftl`] (mapping,
//! regions, cleaning), [`schemes`] (one file per published scheme), [`device`] (host interface,
//! DRAM buffer, event loop).

pub mod base;
pub mod device;
pub mod ftl;
pub mod hw;
pub mod metrics;
pub mod schemes;

/// Version of the model: two results of one configuration, trace and seed can differ only if their
/// model versions do. It is raised whenever a golden moves; `golden/versions.toml` holds it to that.
pub const MODEL_VERSION: u32 = 20;

#[cfg(test)]
mod howto;

// Tests of the interface are in one build with those inside: apart, the crate was built twice for its tests.
#[cfg(test)]
extern crate self as slcache_core;
#[cfg(test)]
#[path = "../tests/it/main.rs"]
mod it;
