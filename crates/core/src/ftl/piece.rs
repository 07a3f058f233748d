//! What the host's data are cut into: pieces of requests, and the pages that are programmed for them.

use crate::base::op::{Cause, Class};
use crate::hw::timing::RequestId;

/// The part of a host request that lies in one logical page.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub request: RequestId,
    /// Logical page.
    pub page: u32,
    /// Mapping units of the page that are touched (bit per unit).
    pub mask: u32,
    /// Those of them that are only partly covered.
    pub partial: u32,
    /// Exact bytes.
    pub bytes: u32,
    /// Host, or flush when the DRAM buffer writes back.
    pub cause: Cause,
    /// Whether it is the first piece of its request, or written back out of the DRAM buffer.
    pub first: bool,
    /// The stream of its request; out of the DRAM buffer, of the last write that came for the page.
    pub stream: u16,
    /// The hint of its request; out of the DRAM buffer, of the last write that came for the page.
    pub hint: u8,
    /// Size of the whole request, sectors; out of the DRAM buffer, of the last write that came for the
    /// page.
    pub request_sectors: u32,
}

impl Piece {
    /// Whether it covers the mapping units `within` wholly.
    #[inline(always)]
    pub fn covers(&self, within: u32) -> bool {
        self.mask & within == within && self.partial & within == 0
    }

    /// Whether it covers its logical page of `mus_per_page` units wholly.
    #[inline(always)]
    pub fn is_full(&self, mus_per_page: u32) -> bool {
        self.covers((u64::MAX >> (64 - mus_per_page)) as u32)
    }
}

/// Why a page is programmed.
#[derive(Clone, Copy, Debug)]
pub struct PageWrite {
    /// Bytes that cross the channel.
    pub bytes: u32,
    /// Mapping units with new data; the page's other live units are counted as read-modify-write.
    pub fresh_slots: u32,
    /// All live mapping units of the page.
    pub slots: u32,
    pub cause: Cause,
    /// Priority.
    pub class: Class,
    /// The request that waits for it.
    pub request: RequestId,
}
