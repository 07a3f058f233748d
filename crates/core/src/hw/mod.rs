//! The hardware: the flash array's shape and state, and when its operations happen.

pub mod array;
pub mod cells;
pub mod config;
pub mod controller_config;
pub mod device_config;
pub mod disk;
pub mod geometry;
pub mod map_config;
pub mod timing;
pub mod two_layer;
