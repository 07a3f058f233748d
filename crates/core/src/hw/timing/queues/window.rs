//! The first operations of a queue side by side, with their pages.

use super::super::ids::OpId;

/// How far a multi-plane command looks along its class for operations to take along.
pub const MATE_WINDOW: u32 = 16;

/// Operations of a window.
pub(super) const SIZE: usize = MATE_WINDOW as usize;

/// The first operations of a queue, in its order, and their pages.
#[derive(Clone, Default)]
pub struct Window {
    pub(super) pages: [u16; SIZE],
    pub(super) ids: [OpId; SIZE],
    pub(super) len: usize,
}

impl Window {
    /// One bit for each operation on `page`.
    #[inline(always)]
    pub(super) fn find(&self, page: u16) -> u32 {
        let places = self.pages.iter().enumerate();
        let found = places.fold(0, |found, (i, &p)| found | u32::from(p == page) << i);
        found & ((1 << self.len) - 1)
    }

    /// The operations.
    #[cfg(test)]
    pub(super) fn ids(&self) -> &[OpId] {
        &self.ids[..self.len]
    }

    pub(super) fn place(&self, id: OpId) -> Option<usize> {
        self.ids[..self.len].iter().position(|&other| other == id)
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.ids.copy_within(place + 1.., place);
        self.pages.copy_within(place + 1.., place);
        self.len -= 1;
    }
}
