//! The ground every other room stands on: identifiers, units and seeded randomness.

pub mod arithmetic;
pub mod bit_table;
pub mod cell_mode;
pub mod defaults;
pub mod ids;
pub mod op;
pub mod power_state;
pub mod prefetch;
pub mod problem;
pub mod room;
pub mod slab;
pub mod sparse;
pub mod stop;
pub mod table;

pub use cell_mode::CellMode;
pub use ids::{BlockId, Mu, PlaneId, Ppn, Slot};
pub use op::{Cause, Class, Gap, OpKind};
pub use problem::Problem;
pub use slcache_base::{request, rng, units};
pub use stop::Stop;
