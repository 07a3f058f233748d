//! The ground every other room stands on: identifiers, units and seeded randomness.

pub mod divisor;
pub mod ids;
pub mod prefetch;
pub mod problem;
pub mod request;
pub mod rng;
pub mod sparse;
pub mod stop;
pub mod units;

pub use ids::{BlockId, Mu, PlaneId, Ppn, Slot};
pub use problem::Problem;
pub use stop::Stop;
