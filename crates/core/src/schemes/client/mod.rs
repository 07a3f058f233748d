//! The SLC cache of a client SSD: its parameters.

mod cap;
mod check;
mod config;

pub use config::ClientConfig;
