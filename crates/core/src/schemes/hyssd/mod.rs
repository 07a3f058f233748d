//! HySSD: two kinds of flash side by side, and an analytic model that says how much of the fast one to
//! fill.
//!
//! `analyser`, `cost`, `histogram`, `lifetime` and `recency` are the arithmetic of the paper, a file for
//! each of its parts; none of them knows a device. The other files put them to work on two tiers: pools
//! of a device, or parts of its only one (`tiers`).

mod adaptive;
pub mod analyser;
mod analysis;
mod capacity;
mod classifier;
mod config;
pub mod cost;
mod destage;
mod fixed;
pub mod histogram;
pub mod lifetime;
mod migrator;
mod model;
mod placement;
mod policy;
pub mod recency;
mod scheme;
mod tiers;
mod two_tier;
mod wear;

pub use adaptive::{Adaptive, Goal, History, HyssdConfig, LifetimeRule};
pub use config::{Destage, Misses, Wear};
pub use fixed::{Fixed, HyssdStaticConfig, LifetimeFigures};
pub use scheme::Hyssd;
