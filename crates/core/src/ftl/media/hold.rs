//! Pieces held in the controller until they fill a page, and versions of the data, which tests keep.

use super::{bits, Media};
use crate::base::CellMode;
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

/// Versions of every mapping unit and slot, kept to prove that no data are lost.
#[derive(Clone)]
pub struct Versions {
    /// Newest version of each mapping unit; 0 = never written or trimmed.
    pub newest: Vec<u32>,
    /// Version stored in each slot.
    pub stored: Vec<u32>,
    /// Version of each mapping unit in the hold buffer; 0 = not held.
    pub held: Vec<u32>,
    /// Version of each mapping unit on the disk, if there is one; 0 = what it had at first.
    pub disk: Vec<u32>,
    pub(super) next: u32,
    /// Of each version the kinds of cells that it was programmed in, a bit for each.
    cells: Vec<u16>,
}

impl Versions {
    /// Of a device that is empty.
    pub(super) fn new(mus: usize, slots: usize, has_disk: bool) -> Self {
        Self {
            newest: vec![0; mus],
            stored: vec![0; slots],
            held: vec![0; mus],
            disk: vec![0; if has_disk { mus } else { 0 }],
            next: 0,
            cells: Vec::new(),
        }
    }

    pub fn last(&self) -> u32 {
        self.next
    }

    /// Notes that `version` is programmed in such cells.
    pub(super) fn program(&mut self, version: u32, pool: usize, mode: CellMode) {
        let version = version as usize;
        if version >= self.cells.len() {
            self.cells.resize(version + 1, 0);
        }
        self.cells[version] |= bit(pool, mode);
    }

    /// How many of the versions after `first` ever lay in cells other than these.
    pub fn programmed_beside(&self, first: u32, cells: &[(usize, CellMode)]) -> u64 {
        let of_cache: u16 = cells.iter().map(|&(pool, mode)| bit(pool, mode)).fold(0, |all, bit| all | bit);
        let later = self.cells.iter().skip(first as usize + 1);
        later.filter(|&&lay| lay & !of_cache != 0).count() as u64
    }
}

fn bit(pool: usize, mode: CellMode) -> u16 {
    1 << (pool * CellMode::COUNT + mode as usize)
}
