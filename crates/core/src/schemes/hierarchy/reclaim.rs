//! Making room: the levels' quotas, and what leaves the cache with a block of each.

use super::super::common::cache::RECLAIM;
use super::super::common::census::Cached;
use super::{Hierarchy, PageSource, Quota};
use crate::base::{BlockId, PlaneId};
use crate::ftl::answer::DeviceFull;
use crate::ftl::gather;
use crate::ftl::io::Io;
use crate::ftl::victim;

/// A level of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheLevel {
    L1,
    L2,
}

impl CacheLevel {
    fn other(self) -> Self {
        match self {
            CacheLevel::L1 => CacheLevel::L2,
            CacheLevel::L2 => CacheLevel::L1,
        }
    }
}

impl Hierarchy {
    /// Reclaims blocks of `plane` until `level` may open one there.
    pub(super) fn make_room(
        &mut self,
        level: CacheLevel,
        plane: PlaneId,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        if self.config.quota == Quota::Hard {
            let (l1, l2) = self.division.quotas(self.usable_blocks);
            self.l1.set_quota(l1);
            self.l2.set_quota(l2);
        }
        while let Some(first) = self.level_to_reclaim(level, plane, io) {
            let victim = match self.config.quota {
                Quota::None => victim::choose_of([&self.l1, &self.l2], io, plane),
                _ => self.victim(first, plane, io).or_else(|| self.victim(first.other(), plane, io)),
            };
            let Some(block) = victim else { break };
            self.reclaim(block, plane, io)?;
        }
        Ok(())
    }

    /// The level to reclaim before `level` opens a block: the one over its quota, else `level`.
    fn level_to_reclaim(&self, level: CacheLevel, plane: PlaneId, io: &Io) -> Option<CacheLevel> {
        let (l1_quota, l2_quota) = self.division.quotas(self.usable_blocks);
        let left = |l: CacheLevel| match l {
            CacheLevel::L1 => i64::from(l1_quota) - i64::from(self.l1.used_blocks(plane)),
            CacheLevel::L2 => i64::from(l2_quota) - i64::from(self.l2.used_blocks(plane)),
        };
        let free = io.bank(self.bank).free(plane);
        let may_open = left(level) > 0 || self.config.quota != Quota::Hard;
        if may_open && !self.pressure.is_high(free, || self.live_units(plane, io)) {
            return None;
        }
        Some(if left(level.other()) < 0 { level.other() } else { level })
    }

    /// Live mapping units of both levels in `plane`.
    fn live_units(&self, plane: PlaneId, io: &Io) -> u32 {
        self.l2.blocks(plane, io).map(|block| io.array().block(block).live()).sum()
    }

    /// The block of `level` in `plane` that is emptied next, if it has one.
    fn victim(&self, level: CacheLevel, plane: PlaneId, io: &mut Io) -> Option<BlockId> {
        let region = if level == CacheLevel::L1 { &self.l1 } else { &self.l2 };
        victim::choose(region, io, plane, true)
    }

    /// Empties a block of either level into the store.
    fn reclaim(&mut self, block: BlockId, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        let level = if self.l1.opened(block, io) { CacheLevel::L1 } else { CacheLevel::L2 };
        let pages = match (level, self.config.page_source) {
            (CacheLevel::L2, PageSource::Size) => self.store.take_in_near(block, plane, RECLAIM, io)?,
            _ => self.gather(block, io)?,
        };
        self.level(level).give_back(io, block);
        if !io.clockless() {
            self.stats.reclaimed(level, pages);
        }
        Ok(())
    }

    /// Section III-A: what is merged goes with the rest of its logical pages, wherever that lies. Full
    /// pages are cold and move as they are; newer sectors of them stay in L1.
    fn gather(&mut self, block: BlockId, io: &mut Io) -> Result<u64, DeviceFull> {
        let (how, mixed) = (self.config.l1_gather, &self.census.mixed);
        let gathered = gather::empty_block(&mut self.store, io, block, RECLAIM, how, mixed)?;
        self.census.left(Cached { fragments: gathered.fragments, units: gathered.units });
        Ok(gathered.pages)
    }
}
