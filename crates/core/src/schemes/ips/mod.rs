//! The in-place-switch family: three schemes over one kind of cache.

mod agc;
mod balance;
mod cache;
mod cooperative;
mod plain;
mod with_agc;

pub use agc::AgcConfig;
pub use cooperative::{IpsCoop, IpsCoopConfig};
pub use plain::{Ips, IpsConfig};
pub use with_agc::{IpsAgc, IpsAgcConfig};
