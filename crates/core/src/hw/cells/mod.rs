//! Cells that err: how often, and what that means to reads.

mod normal;
mod rates;

pub use rates::{of_kinds, Condition, ModeRates, Outcome, Rates, Until, Z_MAX};
