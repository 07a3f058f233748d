//! Cells that err: how often, and what that means to reads. What is kept of each block lies beside the blocks of
//! the array.

mod bad_blocks;
mod kept;
mod model;
mod normal;
mod rates;

pub use bad_blocks::{BadBlocks, End, Fate, Replaced};
pub use kept::{Cells, PageAt, SavedCells};
pub use model::{Life, Need};
pub use rates::{of_kinds, Condition, ModeRates, Outcome, Rates};
