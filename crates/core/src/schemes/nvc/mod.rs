//! A flash cache in front of a disk: two circular logs, one in SLC mode and one in a dense mode, a single
//! log of either kind, and the disk alone.
//!
//! `lifespan` is the paper's arithmetic of how long the flash lasts; it knows no device. `rules` are
//! its decisions, `level` a region that follows them.

mod config;
mod copies;
mod disk_only;
mod figures;
mod level;
pub mod lifespan;
mod marks;
mod rules;
mod scheme;
mod single;

pub use config::{NvcConfig, NvcMlcOnlyConfig, NvcSlcOnlyConfig};
pub use disk_only::{DiskOnly, DiskOnlyConfig};
pub use rules::{LastLogRule, SlcLogRule};
pub use scheme::Nvc;
pub use single::{MlcOnly, Single, SlcOnly};
