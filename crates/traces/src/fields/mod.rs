//! Numbers and fields out of the bytes of a record.

pub(crate) mod binary;
pub(crate) mod digits;
pub(crate) mod scan;
pub(crate) mod sectors;
