//! The flash translation layer's mechanisms: the map, regions, frontiers and cleaning.
//!
//! Schemes compose these; everything that touches flash state goes through [`media::Media`].
//!
//! A file uses those above it and never, by whatever way, one that uses it:
//!
//! ```text
//! config, answer, piece, block_list, moved, op_log, page_reads,
//! early, wakeup                                                 words and lists
//! free_list <- bank; hold, bank <- media <- audit               what is stored
//! io <- merge, turn, restore                                    what it does in time
//! dest <- relocate; region, two_layer <- victim, page_level     blocks managed alike
//! pack <- mixed; clean <- store <- gather                       what moves between them
//! any_region <- scheme                                          the contract
//! ```

pub mod answer;
pub mod any_region;
pub mod audit;
pub mod bank;
pub mod block_list;
pub mod clean;
pub mod config;
pub mod dest;
pub mod early;
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
mod page_reads;
pub mod piece;
pub mod region;
pub mod relocate;
pub mod restore;
pub mod scheme;
pub mod store;
pub mod turn;
pub mod two_layer;
pub mod victim;
pub mod wakeup;
