//! A bank: the free blocks of a range of every plane of a pool, for all regions that open them.

mod levelling;

use super::config::WearLevelling;
use super::free_list::FreeList;
use crate::base::{BlockId, PlaneId};
use crate::hw::array::FlashArray;
use crate::hw::cells::Replaced;
use levelling::WearSpread;
use serde::{Deserialize, Serialize};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankId(pub(super) usize);

/// A region's way into its bank: whose blocks it opens, and of which share the never-used ones first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct BankAccess {
    pub(super) bank: BankId,
    pub(super) share: usize,
}

/// One plane's part of a bank.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PlanePart {
    /// Of each share the first block that was never opened.
    fresh: Vec<u32>,
    erased: FreeList,
    free: u32,
    /// How far its wear spreads at most, once that was looked at.
    #[serde(skip)]
    spread: Option<WearSpread>,
}

impl PlanePart {
    /// The next block of `share` that was never opened and `is_good`.
    fn take_fresh(
        &mut self,
        shares: &[Range<u32>],
        share: usize,
        is_good: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let end = shares[share].end;
        let taken = (self.fresh[share]..end).find(|&index| is_good(index));
        self.fresh[share] = taken.map_or(end, |index| index + 1);
        taken
    }
}

/// Free blocks of every plane. The range consists of shares, which say only which never-used blocks
/// a region opens first: every free block is open to every region of the bank, of any cell mode.
#[derive(Clone, Serialize, Deserialize)]
pub struct Bank {
    first_plane: u32,
    shares: Vec<Range<u32>>,
    parts: Vec<PlanePart>,
    regions: u32,
}

impl Bank {
    /// A bank of never-used blocks of `pool`: the first `sizes[0]` from `first` on are the first share,
    /// and so on.
    pub(super) fn new(pool: usize, first: u32, sizes: &[u32], array: &FlashArray) -> Self {
        let (pool_shape, mut next) = (&array.geometry.pools[pool], first);
        let share = |size: &u32| {
            next += size;
            next - size..next
        };
        let shares: Vec<Range<u32>> = sizes.iter().map(share).collect();
        let fresh = shares.iter().map(|share| share.start).collect();
        let part = PlanePart { fresh, erased: FreeList::default(), free: next - first, spread: None };
        let lost = |plane: u32| array.lost_in(PlaneId(pool_shape.first_plane + plane), first..next);
        let without = |plane| PlanePart { free: part.free - lost(plane), ..part.clone() };
        let parts = (0..pool_shape.planes).map(without).collect();
        Self { first_plane: pool_shape.first_plane, shares, parts, regions: 0 }
    }

    /// Its blocks in each plane, free or not.
    pub fn range(&self) -> Range<u32> {
        let end = self.shares.last().map_or(0, |share| share.end);
        self.shares.first().map_or(0, |share| share.start)..end
    }

    /// The first plane of its pool.
    pub fn first_plane(&self) -> PlaneId {
        PlaneId(self.first_plane)
    }

    /// The blocks of a share in each plane, for the region that joins: none if others have the share already.
    pub(super) fn share_of_newest(&self, share: usize) -> Range<u32> {
        match self.regions as usize <= self.shares.len() {
            true => self.shares[share].clone(),
            false => 0..0,
        }
    }

    /// The numbers of its planes.
    pub fn planes(&self) -> Range<u32> {
        self.first_plane..self.first_plane + self.parts.len() as u32
    }

    /// Its blocks in every plane, free or not.
    pub fn blocks<'a>(&self, array: &'a FlashArray) -> impl Iterator<Item = BlockId> + 'a {
        let (planes, range) = (self.planes(), self.range());
        planes.flat_map(move |plane| range.clone().map(move |i| array.geometry.block(PlaneId(plane), i)))
    }

    /// What retired of its blocks, and was replaced.
    pub fn replaced<'a>(&self, array: &'a FlashArray) -> impl Iterator<Item = &'a Replaced> + 'a {
        let (planes, range) = (self.planes(), self.range());
        let is_its = move |replaced: &&Replaced| {
            let plane = array.geometry.plane_of(replaced.place);
            let first = array.geometry.block(plane, 0).0;
            planes.contains(&plane.0) && range.contains(&(replaced.place.0 - first))
        };
        array.bad_blocks().into_iter().flat_map(|bad| bad.replaced()).filter(is_its)
    }

    pub fn has_one_region(&self) -> bool {
        self.regions == 1
    }

    /// Adds a region; returns the share that begins at block `first`.
    pub(super) fn add_region(&mut self, first: u32) -> usize {
        self.regions += 1;
        let share = self.shares.iter().position(|share| share.start == first);
        share.expect("Invariant: a region begins with a share of its bank")
    }

    /// Free blocks in `plane`.
    #[inline(always)]
    pub fn free(&self, plane: PlaneId) -> u32 {
        self.parts[(plane.0 - self.first_plane) as usize].free
    }

    /// Takes the next free block of `plane`: never-used ones of `share` first, then erased ones, the
    /// longest free first or as `rule` says, then never-used ones of the other shares.
    pub(super) fn take(
        &mut self,
        array: &mut FlashArray,
        plane: PlaneId,
        share: usize,
        rule: WearLevelling,
    ) -> Option<BlockId> {
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        let shares = &self.shares;
        let is_good = |array: &FlashArray, index| !array.is_lost(array.geometry.block(plane, index));
        let mut block = part
            .take_fresh(shares, share, |index| is_good(array, index))
            .map(|index| array.geometry.block(plane, index));
        if block.is_none() {
            block = part.erased.pop(array, rule == WearLevelling::Dynamic);
        }
        if block.is_none() {
            let index = (0..shares.len())
                .find_map(|other| part.take_fresh(shares, other, |index| is_good(array, index)));
            block = index.map(|index| array.geometry.block(plane, index));
        }
        part.free -= u32::from(block.is_some());
        block
    }

    /// Takes the most worn erased block of `plane`, if it has more than `cycles` of the densest mode.
    pub(super) fn take_more_worn(
        &mut self,
        array: &mut FlashArray,
        plane: PlaneId,
        cycles: f64,
    ) -> Option<BlockId> {
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        let block = part.erased.pop_more_worn(array, cycles)?;
        part.free -= 1;
        Some(block)
    }

    /// Adds an erased block.
    pub(super) fn put(&mut self, array: &mut FlashArray, block: BlockId) {
        let plane = array.geometry.plane_of(block);
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        part.erased.push(array, block);
        part.free += 1;
    }

    /// Whether it divides the same blocks as `other`.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let shape = |bank: &Self| (bank.first_plane, bank.parts.len(), bank.regions);
        let shares = |part: &PlanePart| part.fresh.len() == self.shares.len();
        shape(self) == shape(other) && self.shares == other.shares && self.parts.iter().all(shares)
    }

    /// Whether its free blocks are the erased ones and those never used; the first violation is described.
    pub(super) fn audit(&self, array: &FlashArray) -> Result<(), String> {
        let planes = (self.first_plane..).map(PlaneId);
        planes.zip(&self.parts).try_for_each(|(plane, part)| {
            self.audit_part(part, plane, array).map_err(|what| format!("plane {}: {what}", plane.0))
        })
    }

    fn audit_part(&self, part: &PlanePart, plane: PlaneId, array: &FlashArray) -> Result<(), String> {
        let erased = part.erased.walk(array, plane)?;
        let (range, first) = (self.range(), array.geometry.block(plane, 0).0);
        if let Some(block) = erased.iter().find(|block| !range.contains(&(block.0 - first))) {
            return Err(format!("block {} is listed as free", block.0));
        }
        let was_used = |index: u32| array.was_used(array.geometry.block(plane, index));
        let is_lost = |index: u32| array.is_lost(array.geometry.block(plane, index));
        let mut free = erased.len() as u32;
        for (share, &fresh) in self.shares.iter().zip(&part.fresh) {
            let opened = (share.start..=share.end).contains(&fresh)
                && (share.start..fresh).all(|index| was_used(index) || is_lost(index))
                && !(fresh..share.end).any(was_used);
            if !opened {
                return Err(format!("blocks {fresh} to {} were never used, those before were", share.end));
            }
            free += (fresh..share.end).filter(|&index| !is_lost(index)).count() as u32;
        }
        match free == part.free {
            true => Ok(()),
            false => Err(format!("{free} free blocks, counted as {}", part.free)),
        }
    }

    /// The erased blocks of every plane.
    pub(super) fn erased(&self, array: &FlashArray) -> Result<Vec<BlockId>, String> {
        let planes = (self.first_plane..).map(PlaneId);
        let lists = self.parts.iter().zip(planes).map(|(part, plane)| part.erased.walk(array, plane));
        Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::CellMode;
    use crate::hw::config::PoolConfig;
    use crate::hw::geometry::Geometry;

    /// A plane of eight blocks.
    fn array() -> FlashArray {
        let pool = r#"{
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1,
            "blocks": 8, "wordlines": 4, "page_bytes": 4096, "bus": { "ps_per_byte": 0 },
            "slc": { "read_ns": [20], "program_ns": [200], "erase_ns": 3000 }
        }"#;
        let pool: PoolConfig = serde_json::from_str(pool).unwrap();
        FlashArray::new(Geometry::new(&[pool], 4096).unwrap())
    }

    /// Takes a block and fills a page of it, as regions do.
    fn take(bank: &mut Bank, array: &mut FlashArray, share: usize) -> Option<u32> {
        let block = bank.take(array, PlaneId(0), share, WearLevelling::Fifo)?;
        let region = array.new_region();
        array.open(block, CellMode::Slc, region).unwrap();
        array.program(array.geometry.page(block, 0), &[0]).unwrap();
        Some(block.0)
    }

    fn put(bank: &mut Bank, array: &mut FlashArray, block: u32) {
        array.erase(BlockId(block)).unwrap();
        bank.put(array, BlockId(block));
    }

    #[test]
    fn a_share_is_opened_first_and_no_free_block_is_out_of_reach() {
        let mut array = array();
        let mut bank = Bank::new(0, 1, &[2, 3], &array);
        assert_eq!((bank.add_region(1), bank.add_region(3), bank.range()), (0, 1, 1..6));
        let taken: Vec<_> = (0..3).map(|_| take(&mut bank, &mut array, 1)).collect();
        assert_eq!(taken, [Some(3), Some(4), Some(5)]);
        put(&mut bank, &mut array, 4);
        put(&mut bank, &mut array, 3);
        // Erased blocks, the longest free first, go before what another region would open first.
        let taken: Vec<_> = (0..5).map(|_| take(&mut bank, &mut array, 1)).collect();
        assert_eq!(taken, [Some(4), Some(3), Some(1), Some(2), None]);
        assert_eq!(bank.free(PlaneId(0)), 0);
    }

    #[test]
    fn what_is_free_is_what_the_array_says() {
        let mut array = array();
        let mut bank = Bank::new(0, 0, &[8], &array);
        (0..3).for_each(|_| assert!(take(&mut bank, &mut array, 0).is_some()));
        put(&mut bank, &mut array, 1);
        assert_eq!(bank.audit(&array), Ok(()));
        let audit_changed = |change: fn(&mut PlanePart)| {
            let mut changed = bank.clone();
            change(&mut changed.parts[0]);
            changed.audit(&array)
        };
        assert!(audit_changed(|part| part.free += 1).is_err());
        assert!(audit_changed(|part| part.fresh[0] -= 1).is_err());
        assert!(audit_changed(|part| part.fresh[0] += 1).is_err());
        assert!(audit_changed(|part| part.erased = FreeList::default()).is_err());
    }
}
