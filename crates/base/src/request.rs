//! A host request as every trace reader yields it and the device takes it.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum HostOp {
    /// Read sectors.
    Read,
    /// Write sectors.
    Write,
    /// Declare sectors unused (TRIM, discard, deallocate).
    Trim,
    /// Make everything written so far durable; carries no address.
    Flush,
}

/// One host request: when, what and where, in 512-byte sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival time in nanoseconds from the start of the trace.
    pub at_ns: u64,
    /// First sector (512 B).
    pub sector: u64,
    /// Length in sectors; zero only for a flush.
    pub sectors: u32,
    /// Stream (volume, namespace or submission queue) the request belongs to.
    pub stream: u16,
    /// What the host says about the data, such as a write hint or a UFS group; 0 for nothing.
    pub hint: u8,
    pub op: HostOp,
}

/// Bytes in a host sector.
pub const SECTOR_BYTES: u64 = 512;

impl Request {
    /// Length in bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * SECTOR_BYTES
    }

    /// First sector behind the request.
    #[inline]
    pub fn end_sector(&self) -> u64 {
        self.sector + u64::from(self.sectors)
    }
}
