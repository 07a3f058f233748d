//! A request without its address: when, what, how large, and where in words of earlier requests.

use slcache_base::request::HostOp;

/// A request of the source as a twin keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Time behind the request before, in nanoseconds.
    pub gap_ns: u64,
    /// Length in sectors; 0 for a flush.
    pub sectors: u32,
    pub stream: u16,
    pub hint: u8,
    pub op: HostOp,
    pub place: Place,
}

/// Where a request goes. An extent is the place of an earlier read or write of the same volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere: a flush.
    None,
    /// Where nothing was: the sector in what a round brings to its volume.
    Fresh { sector: u64 },
    /// On used sectors, where the read or write before ended.
    Next,
    /// In an extent: its class, how many of the class were used since, and the sectors between its
    /// first one and the request.
    Inside { class: Class, distance: u32, offset: u32 },
}

/// Extents of one length that were written, or that were only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class(u32);

impl Class {
    /// Most sectors of an extent.
    pub(super) const SECTORS_MAX: u32 = u32::MAX >> 1;

    /// The class of extents of a length.
    pub(super) fn new(sectors: u32, is_written: bool) -> Self {
        Self(sectors << 1 | u32::from(is_written))
    }

    /// The length of its extents.
    pub(super) fn sectors(self) -> u32 {
        self.0 >> 1
    }

    /// Whether its extents were written.
    pub(super) fn is_written(self) -> bool {
        self.0 & 1 == 1
    }
}
