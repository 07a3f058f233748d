//! HySSD: two kinds of flash side by side, and an analytic model that says how much of the fast one to
//! fill.
//!
//! What follows is the arithmetic of the paper, a file for each of its parts; none of it knows a device.

pub mod analyser;
pub mod cost;
pub mod histogram;
pub mod lifetime;
pub mod recency;
