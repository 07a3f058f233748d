//! Records: cut out of blocks, parsed by a format, checked one after the other.

pub(crate) mod batch;
pub(crate) mod blocks;
pub(crate) mod checker;
pub(crate) mod in_flight;
pub(crate) mod order;
pub(crate) mod parser;
pub(crate) mod volumes;
