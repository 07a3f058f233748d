//! The flash translation layer's mechanisms: the map, regions, frontiers and cleaning.
//!
//! Schemes compose these; everything that touches flash state goes through [`media::Media`].

pub mod audit;
pub mod block_list;
pub mod clean;
pub mod collect;
pub mod config;
mod free_list;
pub mod gather;
pub mod hold;
pub mod io;
pub mod media;
pub mod merge;
pub mod mixed;
mod moved;
pub mod op_log;
pub mod pack;
pub mod page_level;
pub mod region;
pub mod restore;
pub mod scheme;
mod stage;
pub mod store;
pub mod turn;
pub mod two_layer;
pub mod victim;
