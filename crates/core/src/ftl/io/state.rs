//! Changes of what the flash holds, apart from when they happen, by what the device has chosen once and for all.

use super::Io;
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::ftl::bank::{Bank, BankAccess, BankId};
use crate::ftl::config::WearLevelling;
use crate::ftl::media::bits;
use crate::hw::array::RegionId;

impl Io {
    /// Issues the number of a further region: blocks are opened for it, and its live data counted.
    pub(in crate::ftl) fn new_region(&mut self) -> RegionId {
        self.media.new_region()
    }

    /// Opens a free block in `mode` for `region`.
    pub(in crate::ftl) fn open_block(&mut self, block: BlockId, mode: CellMode, region: RegionId) {
        self.media.open(block, mode, region);
        self.note_opened(block, region);
    }

    /// Opens a free block in two-layer layout for `region`.
    pub(in crate::ftl) fn open_two_layer_block(&mut self, block: BlockId, region: RegionId) {
        self.media.open_two_layer(block, region);
    }

    /// Closes an open block before it is full.
    pub(in crate::ftl) fn close_block(&mut self, block: BlockId) {
        self.media.close(block);
    }

    /// Adds a bank of never-used blocks of `pool`, to be shared by regions: the first `sizes[0]` of each
    /// plane from `first` on are its first share, and so on.
    pub fn new_bank(&mut self, pool: usize, first: u32, sizes: &[u32]) -> BankId {
        self.media.new_bank(pool, first, sizes)
    }

    /// A bank of free blocks, to look at.
    #[inline(always)]
    pub fn bank(&self, bank: BankId) -> &Bank {
        &self.media.banks()[bank.0]
    }

    /// Adds a region to `bank` that begins with block `first`.
    pub(in crate::ftl) fn join_bank(&mut self, bank: BankId, first: u32) -> BankAccess {
        self.media.join_bank(bank, first)
    }

    /// Takes a free block of `plane` out of a bank.
    pub(in crate::ftl) fn take_free(
        &mut self,
        from: BankAccess,
        plane: PlaneId,
        rule: WearLevelling,
    ) -> Option<BlockId> {
        self.media.take_free(from, plane, rule)
    }

    /// Takes the most worn erased block of `plane` out of a bank, if it has more than `cycles` of the densest mode.
    pub(in crate::ftl) fn take_more_worn(
        &mut self,
        from: BankAccess,
        plane: PlaneId,
        cycles: f64,
    ) -> Option<BlockId> {
        self.media.take_more_worn(from, plane, cycles)
    }

    /// Adds an erased block to a bank; false if it is out of use from here on.
    pub(in crate::ftl) fn put_free(&mut self, to: BankAccess, block: BlockId) -> bool {
        if self.takes_out(block, false) {
            return false;
        }
        self.media.put_free(to, block);
        true
    }

    /// Stores mapping units in `page` (tag = unit + 1, 0 = nothing), no more than its slots; older
    /// copies die. Units in
    /// `fresh` (bit per slot) carry new data, those in `held` what the hold buffer has (which the
    /// caller takes out), the others a copy of what is stored.
    #[inline(always)]
    pub(in crate::ftl) fn write_page(&mut self, page: Ppn, tags: &[u32], fresh: u32, held: u32) {
        if self.keeps_superseded() && fresh | held != 0 {
            self.supersede(page, tags.iter().copied());
        }
        self.media.write_page(page, tags, fresh, held);
    }

    /// Stores those of the `units` mapping units from `first` on that are in `live` (bit per slot) in `page`;
    /// otherwise as `write_page`, without held units.
    #[inline(always)]
    pub(in crate::ftl) fn write_units(&mut self, page: Ppn, first: u32, units: u32, live: u32, fresh: u32) {
        if self.keeps_superseded() && fresh != 0 {
            self.supersede(page, bits(live).map(|i| first + i + 1));
        }
        self.media.write_units(page, first, units, live, fresh);
    }

    /// Moves a page's live slots to `to`, each to the same place; returns how many.
    #[inline(always)]
    pub(in crate::ftl) fn remap_page(&mut self, from: Ppn, to: Ppn) -> u32 {
        self.media.remap_page(from, to)
    }
}

/// Fixed choices of the device that the verbs follow.
#[derive(Clone, Copy, Debug)]
pub struct IoPolicy {
    /// A read-modify-write transfers and reads whole pages.
    pub rmw_whole_page: bool,
    /// A read transfers all of the flash page.
    pub reads_whole_pages: bool,
    /// Parts of a logical page in several flash pages are read one behind the other.
    pub parts_in_turn: bool,
    /// Pages still being programmed are served from the controller.
    pub inflight_from_buffer: bool,
    /// Erases need not wait for staged pages.
    pub plp: bool,
    /// How long staged host pages wait before the wordline is padded, ns.
    pub stage_timeout_ns: u64,
    /// Mapping units per logical page.
    pub mus_per_page: u32,
}
