//! The one map (mapping unit to slot) over the flash array, and the only ways to change either.
//!
//! The array refuses what flash cannot do; a refusal here is a broken invariant of the caller.

use super::bank::{Bank, BankAccess, BankId, BankState};
use super::config::WearLevelling;
use super::hold::HoldBuffer;
use super::moving::Moving;
use super::piece::Piece;
use crate::base::sparse::Sparse;
use crate::base::table::Table;
use crate::base::{BlockId, CellMode, Mu, PlaneId, Ppn, Slot};
use crate::hw::array::{ArrayState, FlashArray, RegionId};
use crate::hw::timing::RequestId;

/// Most mapping units a page may hold.
pub const SLOTS_MAX: usize = 16;

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
    next: u32,
}

/// Map, array and the banks of its free blocks.
#[derive(Clone)]
pub struct Media {
    array: FlashArray,
    banks: Vec<Bank>,
    /// Pieces that wait to be packed; what is held is newer than what is mapped.
    hold: HoldBuffer,
    /// Slot + 1 of each mapping unit; 0 = unmapped.
    map: Table,
    mapped: u64,
    /// The most that were mapped when some were trimmed or left for the disk, after which fewer are.
    mapped_peak: u64,
    versions: Option<Versions>,
    /// What is not mapped lies on a disk.
    has_disk: bool,
}

/// What a snapshot holds of the media.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MediaState {
    map: Sparse,
    mapped_peak: u64,
    array: ArrayState,
    banks: Vec<BankState>,
}

/// The bits set in `mask`, ascending.
pub fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        bit
    })
}

/// The tags of those of the `units` mapping units from `first` on that are in `live`, and how many slots they take.
#[inline(never)]
fn tags_of(first: u32, units: u32, live: u32) -> ([u32; SLOTS_MAX], usize) {
    let mut tags = [0; SLOTS_MAX];
    bits(live).for_each(|i| tags[i as usize] = first + i + 1);
    (tags, units as usize)
}

const REFUSED: &str = "Invariant: schemes only ask for what flash can do";

impl Media {
    /// An empty map of `mus` mapping units over `array`.
    pub(super) fn new(array: FlashArray, mus: u32, has_disk: bool) -> Self {
        let hold = HoldBuffer::new(array.geometry.mu_bytes);
        let map = Table::new(mus as usize);
        Self { array, banks: Vec::new(), hold, map, mapped: 0, mapped_peak: 0, versions: None, has_disk }
    }

    /// The flash array, to look at.
    #[inline(always)]
    pub fn array(&self) -> &FlashArray {
        &self.array
    }

    /// The pieces that wait to be packed.
    #[inline(always)]
    pub fn held(&self) -> &HoldBuffer {
        &self.hold
    }

    /// Slot + 1 of each mapping unit; 0 = unmapped.
    pub(super) fn map(&self) -> &[u32] {
        &self.map
    }

    /// Starts to keep versions; the device must be empty.
    pub(super) fn track_versions(&mut self) {
        let slots = self.array.geometry.block_numbers() * self.array.geometry.slots_per_block() as usize;
        let mus = self.map.len();
        self.versions = Some(Versions {
            newest: vec![0; mus],
            stored: vec![0; slots],
            held: vec![0; mus],
            disk: vec![0; if self.has_disk { mus } else { 0 }],
            next: 0,
        });
    }

    /// The versions kept, if any.
    pub fn versions(&self) -> Option<&Versions> {
        self.versions.as_ref()
    }

    /// Mapping units of the device.
    pub fn mus(&self) -> u32 {
        self.map.len() as u32
    }

    /// Mapping units that hold data.
    pub fn mapped(&self) -> u64 {
        self.mapped
    }

    /// The most mapping units that ever held data.
    pub fn mapped_peak(&self) -> u64 {
        self.mapped_peak.max(self.mapped)
    }

    /// Where a mapping unit is stored.
    #[inline(always)]
    pub fn lookup(&self, mu: Mu) -> Option<Slot> {
        self.map[mu.index()].checked_sub(1).map(Slot)
    }

    /// The version a read of `mu` returns now (0 = no data); only with versions tracked.
    pub fn read_version(&self, mu: Mu) -> u32 {
        let versions = self.versions.as_ref().expect("Invariant: versions are tracked");
        match (versions.held[mu.index()], self.lookup(mu)) {
            (0, Some(slot)) => versions.stored[slot.index()],
            (0, None) => versions.disk.get(mu.index()).copied().unwrap_or(0),
            (held, _) => held,
        }
    }

    /// Asks the processor to fetch the map entry of `mu`.
    #[inline(always)]
    pub fn prefetch_map(&self, mu: Mu) {
        crate::base::prefetch::read(&self.map, mu.index());
    }

    /// Asks the processor to fetch what an overwrite of `mu` will touch.
    #[inline(always)]
    pub fn prefetch_block(&self, mu: Mu) {
        if let Some(&entry) = self.map.get(mu.index()) {
            if entry != 0 {
                self.array.prefetch(Slot(entry - 1));
            }
        }
    }

    /// Asks the processor to fetch the reverse entries of the page that holds `mu`.
    #[inline(always)]
    pub fn prefetch_tags(&self, mu: Mu) {
        if let Some(&entry) = self.map.get(mu.index()) {
            if entry != 0 {
                self.array.prefetch_tags(Slot(entry - 1));
            }
        }
    }

    /// Issues the number of a further region.
    pub(super) fn new_region(&mut self) -> RegionId {
        self.array.new_region()
    }

    /// Opens a free block.
    pub(super) fn open(&mut self, block: BlockId, mode: CellMode, region: RegionId) {
        self.array.open(block, mode, region).expect(REFUSED);
    }

    /// Opens a free block in two-layer layout.
    pub(super) fn open_two_layer(&mut self, block: BlockId, region: RegionId) {
        self.array.open_two_layer(block, region).expect(REFUSED);
    }

    /// Stores `tags` in `page`: a program, or a reprogram where the wordline holds data.
    #[inline(always)]
    fn store(&mut self, page: Ppn, tags: &[u32]) {
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
    pub(super) fn write_page(&mut self, page: Ppn, tags: &[u32], fresh: u32, held: u32) {
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
    pub(super) fn write_units(&mut self, page: Ppn, first: u32, units: u32, live: u32, fresh: u32) {
        let slot = self.array.geometry.slot(page, 0).0;
        if self.versions.is_some() {
            let (tags, len) = tags_of(first, units, live);
            self.copy_versions(Slot(slot), &tags[..len], fresh, 0);
        }
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
        if !array.program_units(page, first + 1, units, live).expect(REFUSED) {
            let (tags, len) = tags_of(first, units, live);
            self.store(page, &tags[..len]);
        }
    }

    #[cold]
    fn copy_versions(&mut self, first: Slot, tags: &[u32], fresh: u32, held: u32) {
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
        }
    }

    /// Asks the processor to fetch the map entries of the live slots of page `index` of the block whose
    /// tags begin at `first_tag`.
    #[inline(always)]
    pub(super) fn prefetch_owners(&self, first_tag: usize, index: u32) {
        for &tag in self.array.tags_at(first_tag, index).iter().filter(|&&tag| tag != 0) {
            crate::base::prefetch::read(&self.map, tag as usize - 1);
        }
    }

    /// Moves a page's live slots to `to`, each to the same place; returns how many.
    #[inline(always)]
    pub(super) fn remap_page(&mut self, from: Ppn, to: Ppn) -> u32 {
        let first = self.array.geometry.slot(to, 0).0;
        if self.versions.is_some() {
            self.move_versions(from, first as usize);
        }
        if !self.array.both_plain(from, to) {
            return self.remap_by_copy(from, to);
        }
        let Self { array, map, .. } = self;
        array.move_page(from, to, |tag, place| map[tag as usize - 1] = first + place + 1).expect(REFUSED)
    }

    /// Moves what lives in `block`, from page `first` on, to `count` pages of a plain block of its unit, `to`
    /// and those behind it, and puts index and mapping units of each page that moved into `moved`. Returns the
    /// page behind the last of them.
    #[inline(always)]
    pub(super) fn remap_pages(
        &mut self,
        block: BlockId,
        first: u32,
        to: Ppn,
        count: u32,
        moved: &mut Vec<(u16, u16)>,
    ) -> u32 {
        let geometry = &self.array.geometry;
        let source = geometry.slot(geometry.page(block, 0), 0).0;
        let target = geometry.slot(geometry.page(geometry.block_of(to), 0), 0).0;
        let slot_bits = geometry.slot_bits;
        let Self { array, map, versions, .. } = self;
        let stored = versions.as_mut().map(|versions| &mut versions.stored[..]);
        let mut owners = Moving { map, stored, source, target, slot_bits, moved };
        array.move_pages(block, first, to, count, &mut owners).expect(REFUSED)
    }

    #[cold]
    fn move_versions(&mut self, from: Ppn, to: usize) {
        let source = self.array.geometry.slot(from, 0).index();
        if let Some(versions) = self.versions.as_mut() {
            versions.stored.copy_within(source..source + (1 << self.array.geometry.slot_bits), to);
        }
    }

    /// The same where blocks of two-layer layout take part.
    fn remap_by_copy(&mut self, from: Ppn, to: Ppn) -> u32 {
        let mut buffer = [0; SLOTS_MAX];
        let tags = &mut buffer[..1 << self.array.geometry.slot_bits];
        self.array.take_page(from, tags);
        let first = self.array.geometry.slot(to, 0).0;
        let (mut moved, mut end) = (0, 0);
        for (i, &tag) in tags.iter().enumerate().filter(|(_, &tag)| tag != 0) {
            self.map[tag as usize - 1] = first + i as u32 + 1;
            moved += 1;
            end = i + 1;
        }
        self.store(to, &tags[..end]);
        moved
    }

    /// Erases a block without live slots.
    pub(super) fn erase(&mut self, block: BlockId) {
        self.array.erase(block).expect(REFUSED);
    }

    /// Adds a bank of never-used blocks; see `Bank::new`.
    pub(super) fn new_bank(&mut self, pool: usize, first: u32, sizes: &[u32]) -> BankId {
        self.banks.push(Bank::new(pool, first, sizes, &self.array));
        BankId(self.banks.len() - 1)
    }

    /// Adds a region to `bank` that begins with block `first`.
    pub(super) fn join_bank(&mut self, bank: BankId, first: u32) -> BankAccess {
        BankAccess { bank, share: self.banks[bank.0].add_region(first) }
    }

    /// The banks, in the order they were added.
    pub(super) fn banks(&self) -> &[Bank] {
        &self.banks
    }

    /// Takes a free block of `plane` out of a bank.
    pub(super) fn take_free(
        &mut self,
        from: BankAccess,
        plane: PlaneId,
        rule: WearLevelling,
    ) -> Option<BlockId> {
        self.banks[from.bank.0].take(&mut self.array, plane, from.share, rule)
    }

    /// Adds an erased block to a bank.
    pub(super) fn put_free(&mut self, to: BankAccess, block: BlockId) {
        self.banks[to.bank.0].put(&mut self.array, block);
    }

    /// Forgets the wear of the time before the run.
    pub(super) fn reset_wear(&mut self) {
        self.array.reset_wear();
    }

    /// Closes an open block early.
    pub(super) fn close(&mut self, block: BlockId) {
        self.array.close(block).expect(REFUSED);
    }

    /// Forgets the mapping units `first..end` that the host declared unused; runs of unmapped
    /// ones cost a scan.
    pub(super) fn trim(&mut self, first: u32, end: u32) {
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
    pub(super) fn move_to_disk(&mut self, first: u32, mask: u32, fresh: bool) {
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
    pub(super) fn drop_clean(&mut self, first: u32, mask: u32) {
        self.mapped_peak = self.mapped_peak();
        for mu in bits(mask).map(|i| Mu(first + i)) {
            let old = self.unmap(mu);
            if let (Some(versions), Some(slot)) = (&self.versions, old) {
                let same = versions.stored[slot.index()] == versions.disk[mu.index()];
                assert!(same, "Invariant: {mu:?} was dropped as clean, and the disk has an older version");
            }
        }
    }

    /// Makes `request`, which is held once for this, wait for a held entry.
    pub(super) fn add_token(&mut self, entry: usize, request: RequestId) {
        self.hold.add_token(entry, request);
    }

    /// Notes that the units of a held entry in `mask` are acknowledged.
    pub(super) fn acknowledge(&mut self, entry: usize, mask: u32) {
        self.hold.acknowledge(entry, mask);
    }

    /// Parks a piece whose logical page starts at mapping unit `first`; see `HoldBuffer::put`.
    pub(super) fn hold(&mut self, piece: &Piece, first: u32, group: u8, slots: u32, now_ns: u64) -> usize {
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
    pub(super) fn unhold(&mut self, entry: usize, mask: u32, first: u32, lost: bool) -> bool {
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

    /// What a snapshot holds.
    pub(super) fn save(&self) -> MediaState {
        MediaState {
            map: Sparse::of(&self.map),
            mapped_peak: self.mapped_peak(),
            array: self.array.save(),
            banks: self.banks.iter().map(Bank::save).collect(),
        }
    }

    /// Takes a snapshot's part, or says why it does not fit.
    pub(super) fn load(&mut self, state: MediaState) -> Result<(), String> {
        state.map.fill(&mut self.map)?;
        self.mapped = self.map.iter().filter(|&&entry| entry != 0).count() as u64;
        let mus = self.map.len() as u64;
        if !(self.mapped..=mus).contains(&state.mapped_peak) {
            let (peak, now) = (state.mapped_peak, self.mapped);
            return Err(format!("{peak} of {mus} units were mapped at most, {now} are"));
        }
        self.mapped_peak = state.mapped_peak;
        self.array.load(state.array)?;
        if state.banks.len() != self.banks.len() {
            return Err(format!("{} banks of free blocks, of {}", state.banks.len(), self.banks.len()));
        }
        let Self { banks, array, .. } = self;
        banks.iter_mut().zip(state.banks).try_for_each(|(bank, state)| bank.load(state, array))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::PlaneId;
    use crate::hw::config::PoolConfig;
    use crate::hw::geometry::Geometry;
    use serde_json::json;

    fn pool(page_bytes: u32) -> PoolConfig {
        let mode = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1});
        let chips = json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1, "blocks": 4,
            "wordlines": 4, "page_bytes": page_bytes, "bus": {"ps_per_byte": 1000}, "slc": mode,
        });
        serde_json::from_value(chips).unwrap()
    }

    /// A page of 4 slots with `tags` in it moves to a pool whose pages have one.
    fn move_to_smaller_page(tags: &[u32]) -> (Media, Ppn) {
        let geometry = Geometry::new(&[pool(16384), pool(4096)], 4096).unwrap();
        let mut media = Media::new(FlashArray::new(geometry), 8, false);
        let region = media.new_region();
        let pages = [PlaneId(0), PlaneId(1)].map(|plane| {
            let block = media.array().geometry.block(plane, 0);
            media.open(block, CellMode::Slc, region);
            media.array().geometry.page(block, 0)
        });
        media.write_page(pages[0], tags, 0, 0);
        media.remap_page(pages[0], pages[1]);
        (media, pages[1])
    }

    #[test]
    fn a_page_that_fits_moves_to_a_pool_of_smaller_pages() {
        let (media, page) = move_to_smaller_page(&[1]);
        assert_eq!(media.lookup(Mu(0)), Some(media.array().geometry.slot(page, 0)));
        media.array().audit().unwrap();
    }

    #[test]
    #[should_panic(expected = "SlotsBeyondPage")]
    fn a_page_with_more_units_than_the_other_pools_pages_hold_does_not_move() {
        move_to_smaller_page(&[1, 2]);
    }

    #[test]
    fn the_most_that_were_mapped_is_remembered_when_the_disk_takes_them() {
        let geometry = Geometry::new(&[pool(16384)], 4096).unwrap();
        let mut media = Media::new(FlashArray::new(geometry), 8, true);
        let region = media.new_region();
        let block = media.array().geometry.block(PlaneId(0), 0);
        media.open(block, CellMode::Slc, region);
        let page = media.array().geometry.page(block, 0);
        media.write_page(page, &[1, 2, 3, 4], 0b1111, 0);
        media.move_to_disk(0, 0b11, false);
        assert_eq!((media.mapped(), media.mapped_peak()), (2, 4));
        media.drop_clean(0, 0b100);
        assert_eq!((media.mapped(), media.mapped_peak()), (1, 4));
    }

    #[test]
    #[should_panic(expected = "SlotsBeyondPage")]
    fn no_unit_beyond_the_pages_slots_is_written() {
        move_to_smaller_page(&[1, 2, 3, 4, 5]);
    }
}
