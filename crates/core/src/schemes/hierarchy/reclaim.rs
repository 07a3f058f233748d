//! Making room: the levels' quotas, and what leaves the cache with a block of each.

use super::super::common::cache::RECLAIM;
use super::super::common::census::Cached;
use super::{Hierarchy, Quota};
use crate::base::{BlockId, PlaneId};
use crate::ftl::answer::DeviceFull;
use crate::ftl::gather;
use crate::ftl::io::Io;
use crate::ftl::victim;

/// A level of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    L1,
    L2,
}

impl Level {
    fn other(self) -> Self {
        match self {
            Level::L1 => Level::L2,
            Level::L2 => Level::L1,
        }
    }
}

impl Hierarchy {
    /// Reclaims blocks of `plane` until `level` may open one there.
    pub(super) fn make_room(&mut self, level: Level, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        if self.config.quota == Quota::Hard {
            let (l1, l2) = self.division.quotas(self.usable_blocks);
            self.l1.set_quota(l1);
            self.l2.set_quota(l2);
        }
        while let Some(victim) = self.level_to_reclaim(level, plane, io) {
            if !self.reclaim(victim, plane, io)? && !self.reclaim(victim.other(), plane, io)? {
                break;
            }
        }
        Ok(())
    }

    /// The level to reclaim before `level` opens a block: the one over its quota, else `level`.
    fn level_to_reclaim(&self, level: Level, plane: PlaneId, io: &Io) -> Option<Level> {
        let (l1_quota, l2_quota) = self.division.quotas(self.usable_blocks);
        let left = |l: Level| match l {
            Level::L1 => i64::from(l1_quota) - i64::from(self.l1.used_blocks(plane)),
            Level::L2 => i64::from(l2_quota) - i64::from(self.l2.used_blocks(plane)),
        };
        let free = io.bank(self.bank).free(plane);
        let may_open = left(level) > 0 || self.config.quota == Quota::Soft;
        if may_open && !self.pressure.is_high(free, || self.live_units(plane, io)) {
            return None;
        }
        Some(if left(level.other()) < 0 { level.other() } else { level })
    }

    /// Live mapping units of both levels in `plane`.
    fn live_units(&self, plane: PlaneId, io: &Io) -> u32 {
        self.l2.blocks(plane, io).map(|block| io.array().block(block).live()).sum()
    }

    /// Empties a block of `level` in `plane` into the store; false if it has none.
    fn reclaim(&mut self, level: Level, plane: PlaneId, io: &mut Io) -> Result<bool, DeviceFull> {
        let region = if level == Level::L1 { &self.l1 } else { &self.l2 };
        let Some(block) = victim::choose(region, io, plane, true) else {
            return Ok(false);
        };
        match level {
            Level::L1 => self.reclaim_l1(block, io)?,
            Level::L2 => self.reclaim_l2(block, plane, io)?,
        }
        Ok(true)
    }

    /// Section III-A: L1's sectors are merged with the rest of their pages, wherever it lies.
    fn reclaim_l1(&mut self, block: BlockId, io: &mut Io) -> Result<(), DeviceFull> {
        let how = self.config.l1_gather;
        let gathered = gather::empty_block(&mut self.store, io, block, RECLAIM, how)?;
        self.l1.give_back(io, block);
        self.census.left(Cached { fragments: gathered.fragments, units: gathered.units });
        if !io.clockless() {
            self.stats.l1_blocks_reclaimed += 1;
            self.stats.l1_pages_migrated += gathered.pages;
        }
        Ok(())
    }

    /// Section III-A: L2's pages are cold and move as they are; newer sectors stay in L1.
    fn reclaim_l2(&mut self, block: BlockId, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        let pages = self.store.take_in_near(block, plane, RECLAIM, io)?;
        self.l2.give_back(io, block);
        if !io.clockless() {
            self.stats.l2_blocks_reclaimed += 1;
            self.stats.l2_pages_migrated += pages;
        }
        Ok(())
    }
}
