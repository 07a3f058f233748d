//! A flash cache in front of a disk: two circular logs, one in SLC mode and one in a dense mode.
//!
//! `lifespan` is the paper's arithmetic of how long the flash lasts; it knows no device.

pub mod lifespan;
