//! A scheme whose decisions are taken elsewhere: a class of Python, or the defaults of all of them.
//!
//! **What it does.** A policy says which regions may take a write; the first that has room in the write's
//! plane does. Before a region with blocks of its own opens one, the policy says what is emptied, and
//! whither; so it does in a pause. Regions without blocks of their own share the rest of each plane, hold
//! the user's data and are cleaned together. By default a write tries all regions in order, and the one that
//! is out of blocks empties one into the last.
//! **Paper.** None: it is the ground on which new ones are tried.
//! **What the paper leaves open and what we chose.** Every region takes turns among the planes of its own;
//! a one-shot wordline that a write had to fall back on is filled first, as `turbo-write` does it.
//! **Knobs.** None; a policy changes its mind by `window`.

mod config;
mod host;
mod policy;
mod view;

pub use config::{CustomConfig, OptionValue, Planned, RegionConfig};
pub use host::{set_host, Description, Given, Host};
pub use policy::{Choice, Hooks, Policy, Reclaim, Whither, Write, REGIONS_MAX};
pub use view::{ClosedBlock, View};
