//! Requests of one size and alignment.

use super::sizes::PAGE_SECTORS;

/// Requests of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SizeClass {
    pub(super) sectors: u32,
    /// Whether they start off the 4 KiB pages; only whole pages do.
    pub(super) shifted: bool,
}

impl SizeClass {
    /// 4 KiB pages that such a request touches.
    pub(super) fn pages(self) -> u64 {
        u64::from(self.sectors.div_ceil(PAGE_SECTORS)) + u64::from(self.shifted)
    }

    /// Whether its start or length is off the 4 KiB pages.
    pub(super) fn unaligned(self) -> bool {
        self.shifted || self.sectors % PAGE_SECTORS != 0
    }
}
