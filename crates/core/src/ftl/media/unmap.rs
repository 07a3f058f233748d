//! Mapping units that leave the flash: trimmed ones, and those that the disk has.

use super::{bits, Media, REFUSED};
use crate::base::{Mu, Slot};

impl Media {
    /// Forgets the mapping units `first..end` that the host declared unused; runs of unmapped
    /// ones cost a scan.
    pub(in crate::ftl) fn trim(&mut self, first: u32, end: u32) {
        self.mapped_peak = self.mapped_peak();
        let mut next = first as usize;
        while let Some(offset) = self.map[next..end as usize].iter().position(|&entry| entry != 0) {
            next += offset;
            self.trim_one(Mu(next as u32));
        }
        if let Some(versions) = self.versions.as_mut().filter(|_| self.has_disk) {
            versions.newest[first as usize..end as usize].fill(0);
            versions.disk[first as usize..end as usize].fill(0);
        }
    }

    fn trim_one(&mut self, mu: Mu) {
        self.unmap(mu);
        if let Some(versions) = self.versions.as_mut() {
            versions.newest[mu.index()] = 0;
        }
    }

    /// The flash copy of `mu` dies, if there is one; returns where it was.
    fn unmap(&mut self, mu: Mu) -> Option<Slot> {
        let old = Slot(std::mem::take(&mut self.map[mu.index()]).checked_sub(1)?);
        self.mapped -= 1;
        self.array.invalidate(old).expect(REFUSED);
        Some(old)
    }

    /// The disk takes the units in `mask` of the logical page that starts at `first`: as they are in
    /// flash, or new (`fresh`); their flash copies die.
    pub(in crate::ftl) fn move_to_disk(&mut self, first: u32, mask: u32, fresh: bool) {
        self.mapped_peak = self.mapped_peak();
        for mu in bits(mask).map(|i| Mu(first + i)) {
            let old = self.unmap(mu);
            let Some(versions) = self.versions.as_mut() else { continue };
            if fresh {
                versions.next += 1;
                versions.newest[mu.index()] = versions.next;
                versions.disk[mu.index()] = versions.next;
            } else if let Some(slot) = old {
                versions.disk[mu.index()] = versions.stored[slot.index()];
            }
        }
    }

    /// The flash copies of the units in `mask` die, of which the disk has the same.
    pub(in crate::ftl) fn drop_clean(&mut self, first: u32, mask: u32) {
        self.mapped_peak = self.mapped_peak();
        for mu in bits(mask).map(|i| Mu(first + i)) {
            let old = self.unmap(mu);
            if let (Some(versions), Some(slot)) = (&self.versions, old) {
                let same = versions.stored[slot.index()] == versions.disk[mu.index()];
                assert!(same, "Invariant: {mu:?} was dropped as clean, and the disk has an older version");
            }
        }
    }
}
