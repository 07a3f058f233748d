//! Pieces held in the controller until they fill a page, and their versions.

use super::{bits, Media};
use crate::ftl::piece::Piece;
use crate::hw::timing::RequestId;

impl Media {
    /// Makes `request`, which is held once for this, wait for a held entry.
    pub(in crate::ftl) fn add_token(&mut self, entry: usize, request: RequestId) {
        self.hold.add_token(entry, request);
    }

    /// Notes that the units of a held entry in `mask` are acknowledged.
    pub(in crate::ftl) fn acknowledge(&mut self, entry: usize, mask: u32) {
        self.hold.acknowledge(entry, mask);
    }

    /// Parks a piece whose logical page starts at mapping unit `first`; see `HoldBuffer::put`.
    pub(in crate::ftl) fn hold(
        &mut self,
        piece: &Piece,
        first: u32,
        group: u8,
        slots: u32,
        now_ns: u64,
    ) -> usize {
        if let Some(versions) = self.versions.as_mut() {
            for mu in bits(piece.mask).map(|i| (first + i) as usize) {
                versions.next += 1;
                versions.newest[mu] = versions.next;
                versions.held[mu] = versions.next;
            }
        }
        self.hold.put(piece, group, slots, now_ns)
    }

    /// Takes units out of a held entry whose logical page starts at mapping unit `first`, written
    /// or (`lost`) unused; true if the entry is gone.
    pub(in crate::ftl) fn unhold(&mut self, entry: usize, mask: u32, first: u32, lost: bool) -> bool {
        if let Some(versions) = self.versions.as_mut() {
            for mu in bits(self.hold.entries()[entry].mask & mask).map(|i| (first + i) as usize) {
                versions.held[mu] = 0;
                if lost {
                    versions.newest[mu] = 0;
                }
            }
        }
        self.hold.take(entry, mask)
    }
}
