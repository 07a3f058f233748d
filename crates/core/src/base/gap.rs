//! What a request waits for while nothing of it is in the flash.

/// What a request waited for before the operation that ended it was begun, or without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Gap {
    /// Nothing: the operation was begun with the request.
    #[default]
    None = 0,
    /// A wordline to fill.
    Stage = 1,
    /// A packed page to fill.
    Merge = 2,
    /// Room in the buffer where pieces wait to be packed.
    Buffer = 3,
    /// What a flush makes durable.
    Flush = 4,
    /// What another request fetches from the disk.
    Fetch = 5,
    /// Room in the DRAM buffer.
    Room = 6,
}

pub const GAPS: usize = Gap::Room as usize + 1;
