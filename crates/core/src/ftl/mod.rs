//! The flash translation layer's mechanisms: the map, regions, frontiers and cleaning.
//!
//! Schemes compose these; flash state changes only through the verbs of [`io::Io`], time only through
//! those of [`io::Driver`], which the device alone has.
//!
//! A file uses those above it and never, by whatever way, one that uses it:
//!
//! ```text
//! config, answer, piece, window, knob, block_list, moved_data, cache_use, op_log,
//! early_writes, disk_traffic, wakeup, oracle                    words and lists
//! translation                                                   which part of the map is in DRAM
//! free_list <- bank; hold, bank <- media                        what is stored
//! io <- merge, write_buffer, plane_allocator; audit             what it does in time
//! destination <- relocate; separator <- region, two_layer <- victim, page_level    blocks managed alike
//! pack <- mixed; transfer; packer <- clean <- store <- gather            what moves between them
//! clean <- fold                                                 the same inside the chip
//! unit_level, destage                                           flash in front of a disk
//! any_region <- log_region, scheme <- by_regions                the contract; blocks in a circle
//! ```

pub mod answer;
pub mod any_region;
pub mod audit;
pub mod bank;
pub mod block_list;
pub mod by_regions;
pub mod cache_use;
pub mod clean;
pub mod config;
pub mod destage;
pub mod destination;
pub mod disk_traffic;
pub mod early_writes;
pub mod fold;
mod free_list;
pub mod gather;
pub mod hold;
pub mod io;
pub mod knob;
pub mod log_region;
pub mod media;
pub mod merge;
pub mod mixed;
mod moved_data;
pub mod op_log;
pub mod oracle;
pub mod pack;
pub mod packer;
pub mod page_level;
pub mod piece;
pub mod plane_allocator;
pub mod region;
pub mod relocate;
pub mod scheme;
pub mod separator;
pub mod store;
pub mod transfer;
pub mod translation;
pub mod two_layer;
pub mod unit_level;
mod upkeep;
pub mod victim;
pub mod wakeup;
pub mod window;
pub mod write_buffer;
