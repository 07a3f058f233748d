//! Operations in flight: their records and links, the moves that some stand for, and what is done to blocks.
//!
//! What a record says is for all of the clockwork to read; lists, runs and blocks are changed here alone.

mod blocks;
mod links;
mod op;
mod runs;
mod table;

pub(super) use blocks::Blocks;
pub(super) use op::{Op, COUNTS, FOLLOWS, HELD, JOINABLE, MOVES, PATH, QUEUED, WAITERS};
pub use runs::PageMove;
pub(super) use table::Ops;
