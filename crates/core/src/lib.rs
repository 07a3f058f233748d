//! The flash device model of slcache.

pub mod device;
