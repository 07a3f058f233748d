//! The one map (mapping unit to slot) over the flash array, and the only ways to change either.
//!
//! The array refuses what flash cannot do; a refusal here is a broken invariant of the caller.

mod hold;
mod moving;
#[cfg(test)]
mod tests;
mod write;

pub use hold::Versions;

use super::bank::{Bank, BankAccess, BankId};
use super::config::WearLevelling;
use super::hold::HoldBuffer;
use crate::base::table::Table;
use crate::base::{sparse, BlockId, CellMode, Mu, PlaneId, Slot};
use crate::hw::array::{FlashArray, RegionId};
use crate::hw::config::Uneven;
use serde::{Deserialize, Serialize};

/// Most mapping units a page may hold.
pub const SLOTS_MAX: usize = 16;

/// Map, array and the banks of its free blocks.
#[derive(Clone, Serialize, Deserialize)]
pub struct Media {
    array: FlashArray,
    banks: Vec<Bank>,
    /// Pieces that wait to be packed; what is held is newer than what is mapped.
    #[serde(skip)]
    hold: HoldBuffer,
    /// Slot + 1 of each mapping unit; 0 = unmapped.
    #[serde(with = "sparse")]
    map: Table,
    mapped: u64,
    /// The most that were mapped when some were trimmed or left for the disk, after which fewer are.
    mapped_peak: u64,
    #[serde(skip)]
    versions: Option<Versions>,
    /// What is not mapped lies on a disk.
    has_disk: bool,
}

/// The bits set in `mask`, ascending.
pub fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        bit
    })
}

const REFUSED: &str = "Invariant: schemes only ask for what flash can do";

impl Media {
    /// An empty map of `mus` mapping units over `array`.
    pub(super) fn new(array: FlashArray, mus: u32, has_disk: bool) -> Self {
        let hold = HoldBuffer::new(array.geometry.mu_bytes);
        let map = Table::new(mus as usize);
        Self { array, banks: Vec::new(), hold, map, mapped: 0, mapped_peak: 0, versions: None, has_disk }
    }

    /// Takes the place of `fresh` out of a snapshot, or says what does not fit; nothing is held.
    pub(super) fn resume(&mut self, fresh: Self) -> Result<(), String> {
        let same_banks = self.banks.iter().zip(&fresh.banks).all(|(bank, new)| bank.is_like(new));
        if self.map.len() != fresh.map.len() || self.banks.len() != fresh.banks.len() || !same_banks {
            return Err(format!("a map of {} units and {} banks", self.map.len(), self.banks.len()));
        }
        (self.hold, self.has_disk) = (fresh.hold, fresh.has_disk);
        self.array.resume(fresh.array)
    }

    #[inline(always)]
    pub fn array(&self) -> &FlashArray {
        &self.array
    }

    /// The array, whose cells age and are read.
    pub(super) fn cells(&mut self) -> &mut FlashArray {
        &mut self.array
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
        self.versions = Some(Versions::new(mus, slots, self.has_disk));
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

    /// Where each of `count` mapping units from `first` on is stored.
    #[inline(always)]
    pub fn lookup_all(&self, first: Mu, count: u32) -> impl Iterator<Item = Option<Slot>> + '_ {
        let entries = &self.map[first.index()..first.index() + count as usize];
        entries.iter().map(|entry| entry.checked_sub(1).map(Slot))
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
    pub fn banks(&self) -> &[Bank] {
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

    /// Takes the most worn erased block of `plane` out of a bank, if it has more than `cycles` of the densest mode.
    pub(super) fn take_more_worn(
        &mut self,
        from: BankAccess,
        plane: PlaneId,
        cycles: f64,
    ) -> Option<BlockId> {
        self.banks[from.bank.0].take_more_worn(&mut self.array, plane, cycles)
    }

    /// Whether wear may be `uneven` in the plane of `block`, which was erased, among its bank's blocks.
    pub(super) fn may_differ(&mut self, block: BlockId, uneven: Uneven) -> bool {
        let Self { banks, array, .. } = self;
        let bank = banks.iter_mut().find(|bank| bank.has(block, array));
        bank.is_some_and(|bank| bank.may_differ(block, uneven, array))
    }

    /// The least worn closed block beside `erased` in its bank and plane, if it is to move.
    pub(super) fn least_worn(&mut self, erased: BlockId, uneven: Uneven) -> Option<BlockId> {
        let Self { banks, array, .. } = self;
        let bank = banks.iter_mut().find(|bank| bank.has(erased, array))?;
        bank.least_worn(array.geometry.plane_of(erased), uneven, array)
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
}
