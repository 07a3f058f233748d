//! Documents that a user writes: their keys, where these stand, and whether they have the shape of a schema.

pub mod nearest;
pub mod places;
pub mod shape;
pub mod tree;

pub use tree::{Key, Step};
