//! Running slcache's device model on a trace: configuration, presets,
//! execution, snapshots and the result document.

pub mod config;
pub mod preset;
pub mod provenance;
pub mod replay;
pub mod resources;
pub mod schema;
pub mod snapshot;
mod trace_options;

pub use config::{resolve, ConfigError, ConfigErrors, Layers, RunConfig};
pub use replay::{execute, Progress, RunRequest, SimError};
pub use trace_options::trace_options;
