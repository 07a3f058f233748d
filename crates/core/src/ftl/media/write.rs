//! Mapping units that come to the flash, in pages that are programmed, and those that leave it.

use super::{bits, Media, REFUSED, SLOTS_MAX};
use crate::base::{CellMode, Mu, Ppn, Slot};

/// The tags of those of the `units` mapping units from `first` on that are in `live`, and how many slots they take.
#[inline(never)]
fn tags_of(first: u32, units: u32, live: u32) -> ([u32; SLOTS_MAX], usize) {
    let mut tags = [0; SLOTS_MAX];
    bits(live).for_each(|i| tags[i as usize] = first + i + 1);
    (tags, units as usize)
}

impl Media {
    /// Stores `tags` in `page`: a program, or a reprogram where the wordline holds data.
    #[inline(always)]
    pub(super) fn store(&mut self, page: Ppn, tags: &[u32]) {
        let stored = match self.array.gains_bit(page) {
            true => self.array.reprogram(page, tags),
            false => self.array.program(page, tags),
        };
        stored.expect(REFUSED);
    }

    /// Programs `page` with mapping units (tag = unit + 1, 0 = nothing), no more than its slots;
    /// older copies die. Units in `fresh` (bit per slot) carry new data, those in `held` what the
    /// hold buffer has (which the caller takes out), the others a copy of what is stored, in flash or,
    /// where nothing is mapped, on the disk.
    #[inline(always)]
    pub(in crate::ftl) fn write_page(&mut self, page: Ppn, tags: &[u32], fresh: u32, held: u32) {
        let first = self.array.geometry.slot(page, 0);
        if self.versions.is_some() {
            self.copy_versions(first, tags, fresh, held);
        }
        for (i, &tag) in tags.iter().enumerate() {
            if tag == 0 {
                continue;
            }
            let entry = &mut self.map[tag as usize - 1];
            let old = std::mem::replace(entry, first.0 + i as u32 + 1);
            if old == 0 {
                self.mapped += 1;
            } else {
                self.array.invalidate(Slot(old - 1)).expect(REFUSED);
            }
        }
        self.store(page, tags);
    }

    /// Programs `page` with those of the `units` mapping units from `first` on that are in `live` (bit per
    /// slot); otherwise as `write_page`, without held units.
    #[inline(always)]
    pub(in crate::ftl) fn write_units(&mut self, page: Ppn, first: u32, units: u32, live: u32, fresh: u32) {
        let slot = self.array.geometry.slot(page, 0).0;
        if self.versions.is_some() {
            let (tags, len) = tags_of(first, units, live);
            self.copy_versions(Slot(slot), &tags[..len], fresh, 0);
        }
        // Whole pages whose units were together before, or nowhere, are most.
        let is_written = live == (u64::MAX >> (64 - units)) as u32
            && match units {
                1 => self.overwrite::<1>(slot, first),
                2 => self.overwrite::<2>(slot, first),
                4 => self.overwrite::<4>(slot, first),
                _ => false,
            };
        if !is_written {
            self.map_units(slot, first, units, live);
        }
        if !self.array.program_units(page, first + 1, units, live).expect(REFUSED) {
            let (tags, len) = tags_of(first, units, live);
            self.store(page, &tags[..len]);
        }
    }

    /// Maps `N` units from `first` on to the slots from `slot` on, if their older copies are neighbours in
    /// one page, which die, or if there are none.
    #[inline(always)]
    fn overwrite<const N: usize>(&mut self, slot: u32, first: u32) -> bool {
        let Self { array, map, mapped, .. } = self;
        let entries: &mut [u32; N] = match map[first as usize..].first_chunk_mut() {
            Some(entries) => entries,
            None => return false,
        };
        let old = entries[0];
        if old == 0 {
            if entries.iter().any(|&entry| entry != 0) {
                return false;
            }
            *mapped += N as u64;
        } else {
            let is_run = (1..N).all(|i| entries[i] == old + i as u32);
            if !is_run || !array.geometry.is_one_page(Slot(old - 1), N as u32) {
                return false;
            }
            array.invalidate_run(Slot(old - 1), N as u32).expect(REFUSED);
        }
        *entries = std::array::from_fn(|i| slot + i as u32 + 1);
        true
    }

    /// Maps those of the `units` units from `first` on that are in `live` to the slots from `slot` on; their
    /// older copies die.
    #[inline(never)]
    fn map_units(&mut self, slot: u32, first: u32, units: u32, live: u32) {
        let Self { array, map, mapped, .. } = self;
        // Neighbours in one page die together.
        let (mut dying, mut dead) = (0, 0);
        for (i, entry) in map[first as usize..(first + units) as usize].iter_mut().enumerate() {
            if live >> i & 1 == 0 {
                continue;
            }
            let old = std::mem::replace(entry, slot + i as u32 + 1);
            if old == 0 {
                *mapped += 1;
            } else if dead > 0 && old == dying + dead && array.geometry.is_inner(Slot(old - 1)) {
                dead += 1;
            } else {
                if dead > 0 {
                    array.invalidate_run(Slot(dying - 1), dead).expect(REFUSED);
                }
                (dying, dead) = (old, 1);
            }
        }
        if dead > 0 {
            array.invalidate_run(Slot(dying - 1), dead).expect(REFUSED);
        }
    }

    #[cold]
    fn copy_versions(&mut self, first: Slot, tags: &[u32], fresh: u32, held: u32) {
        let (pool, mode) = self.cells_of(self.array.geometry.page_of(first));
        let Some(versions) = self.versions.as_mut() else {
            return;
        };
        for (i, &tag) in tags.iter().enumerate().filter(|(_, &tag)| tag != 0) {
            let mu = tag as usize - 1;
            let version = if fresh >> i & 1 == 1 {
                versions.next += 1;
                versions.newest[mu] = versions.next;
                versions.next
            } else if held >> i & 1 == 1 {
                versions.held[mu]
            } else if let Some(slot) = self.map[mu].checked_sub(1) {
                versions.stored[slot as usize]
            } else {
                versions.disk[mu]
            };
            versions.stored[first.index() + i] = version;
            versions.program(version, pool, mode);
        }
    }

    /// The kind of the cells in which a page of an open block lies.
    pub(super) fn cells_of(&self, page: Ppn) -> (usize, CellMode) {
        let block = self.array.geometry.block_of(page);
        let plane = self.array.geometry.plane_of(block);
        (self.array.geometry.planes[plane.index()].pool as usize, self.array.block(block).mode())
    }
}

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
