//! The in-place-switch family: three schemes over one kind of cache.

mod balance;
mod cache;
mod cooperative;
mod plain;
mod with_agc;

pub use cache::AgcConfig;
pub use cooperative::{IpsCoop, IpsCoopConfig};
pub use plain::{Ips, IpsConfig};
pub use with_agc::{IpsAgc, IpsAgcConfig};
