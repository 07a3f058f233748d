//! Running slcache's device model on a trace: configuration, presets,
//! execution, snapshots, learned memories and the result document.

pub mod catalogue;
pub mod config;
pub mod conformance;
pub mod device_facts;
mod differences;
pub mod episode;
pub mod memory;
pub mod memory_file;
pub mod models;
pub mod notes;
pub mod preset;
pub mod provenance;
pub mod replay;
pub mod resources;
pub mod schema;
pub mod snapshot;
mod trace_options;

pub use config::{resolve, ConfigError, ConfigErrors, DeviceSource, Layers, Origin, RunConfig, Words};
pub use replay::{
    bounds, device_bounds, execute, save_state, Progress, RunRequest, SimError, TimelineRequest,
};
pub use slcache_core::base::rng::RngStream;
pub use slcache_core::device::Stop;
/// Schemes whose policy is elsewhere, for programs that host them.
pub mod custom {
    pub use slcache_core::base::{BlockId, PlaneId, Problem};
    pub use slcache_core::ftl::window::WindowCounters;
    pub use slcache_core::schemes::custom::*;
}
/// The traces room, for programs that use this crate.
pub use slcache_traces as traces;
pub use trace_options::trace_options;
