//! Blocks that move because of their cells: found by reads, moved when the device is asked.

use super::Io;
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId};
use crate::ftl::piece::Job;
use crate::ftl::upkeep::Calls;
use crate::ftl::wakeup::Wakeup;
use crate::hw::cells::Need;
use crate::hw::timing::event::EventKind;
use crate::hw::timing::RequestId;
use crate::metrics::cells::UpkeepReport;

impl Io {
    /// What was done of it, where it is done.
    pub fn upkeep_report(&self) -> Option<UpkeepReport> {
        self.upkeep.as_ref().map(|upkeep| upkeep.report())
    }

    /// Takes note of blocks that the last reads found to need a move.
    #[inline(always)]
    pub(super) fn note_found(&mut self) {
        if self.upkeep.is_some() {
            self.note_all_found();
        }
    }

    #[inline(never)]
    fn note_all_found(&mut self) {
        while let Some((block, need)) = self.media.cells().take_found() {
            let plane = self.geometry().plane_of(block);
            if let Some(upkeep) = &mut self.upkeep {
                upkeep.add(plane, block, need);
            }
            self.ask_for_upkeep(plane);
        }
        self.ask_for_patrol();
    }

    /// Has blocks of the plane of `block` moved, if any are to: something changed by which they may.
    #[inline(always)]
    pub(super) fn ask_again(&mut self, block: BlockId) {
        if self.upkeep.is_some() {
            self.ask_for_upkeep(self.geometry().plane_of(block));
            self.ask_for_patrol();
        }
    }

    /// Has the device look whether blocks are worn unevenly where `block` was erased. The erase of a block that
    /// was levelled asks for no other one: so there are no more moves than other erases.
    #[inline(always)]
    pub(super) fn note_worn(&mut self, block: BlockId, cause: Cause) {
        if self.upkeep.is_some() && cause != Cause::Wear && !self.clockless {
            self.note_worn_block(block);
        }
    }

    #[inline(never)]
    fn note_worn_block(&mut self, block: BlockId) {
        let plane = self.geometry().plane_of(block);
        let pool = self.geometry().planes[plane.index()].pool.into();
        let uneven = self.upkeep.as_ref().and_then(|upkeep| upkeep.uneven(pool));
        if uneven.is_some_and(|uneven| self.media.may_differ(block, uneven)) {
            self.upkeep.iter_mut().for_each(|upkeep| upkeep.erased(plane, block));
        }
    }

    /// The next block of `plane` whose data are to move to a more worn one; none once every erase was looked at.
    pub(crate) fn next_levelled(&mut self, plane: PlaneId) -> Option<BlockId> {
        let pool = self.geometry().planes[plane.index()].pool.into();
        let upkeep = self.upkeep.as_mut()?;
        let uneven = upkeep.uneven(pool)?;
        let mut erased = std::iter::from_fn(|| upkeep.take_erased(plane));
        erased.find_map(|erased| self.media.least_worn(erased, uneven))
    }

    /// Notes that the data of a block were moved to a more worn one.
    pub(crate) fn end_levelling(&mut self) {
        self.upkeep.iter_mut().for_each(|upkeep| upkeep.levelled());
    }

    #[inline(never)]
    fn ask_for_upkeep(&mut self, plane: PlaneId) {
        let Some(upkeep) = self.upkeep.as_mut().filter(|_| !self.clockless) else { return };
        match upkeep.calls(plane) {
            Calls::Nothing => {}
            Calls::Idle => self.mark_idle_work(plane),
            Calls::Now => {
                let at_ns = self.timing.now_ns();
                self.timing.schedule(at_ns, EventKind::DeviceLast, Wakeup::Upkeep(plane).number());
            }
        }
    }

    /// Has the device asked to read the next block, if that is due.
    fn ask_for_patrol(&mut self) {
        let at_ns = self.timing.now_ns();
        let patrol = self.upkeep.as_mut().filter(|_| !self.clockless).and_then(|upkeep| upkeep.patrol());
        if patrol.is_some_and(|patrol| patrol.asks(at_ns)) {
            self.timing.schedule(at_ns, EventKind::DeviceLast, Wakeup::Patrol.number());
        }
    }

    /// Reads a page of the next block that is due and holds something; false if there is none.
    pub(crate) fn patrol(&mut self) -> bool {
        let now_ns = self.timing.now_ns();
        let geometry = &self.media.array().geometry;
        while let Some(patrol) = self.upkeep.as_mut().and_then(|upkeep| upkeep.patrol()) {
            patrol.asked = false;
            let Some(block) = patrol.take(now_ns, geometry) else { return false };
            let array = self.media.array();
            if array.is_closed(block) && !array.block(block).is_two_layer() && array.live_pages(block) > 0 {
                self.patrol_block(block);
                return true;
            }
        }
        false
    }

    fn patrol_block(&mut self, block: BlockId) {
        let array = self.media.array();
        let page = self.geometry().page(block, array.next_live(block, 0));
        let slots = self.geometry().pool_of(self.geometry().plane_of(block)).slots_per_page;
        let bytes = slots * self.geometry().mu_bytes;
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.patrolled();
        }
        self.read(page, bytes, Cause::Refresh, Class::Background, RequestId::NONE, false);
    }

    /// The device looks at `plane`.
    pub(crate) fn begin_upkeep(&mut self, plane: PlaneId) {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.looked(plane);
        }
    }

    /// The next block of `plane` to be moved, with why; with `idle` also those that move in idle time.
    pub(crate) fn next_upkeep(&mut self, plane: PlaneId, idle: bool) -> Option<(BlockId, Need)> {
        self.upkeep.as_mut()?.next(plane, idle, self.media.array())
    }

    /// Notes whether the data of such a block were moved, or had no room.
    pub(crate) fn end_upkeep(&mut self, need: Need, moved: bool) {
        match &mut self.upkeep {
            Some(upkeep) if moved => upkeep.moved(need),
            Some(upkeep) => upkeep.waits(),
            None => {}
        }
    }
}

impl Job {
    /// The job that moves a block because of `need`.
    pub(crate) fn of_upkeep(need: Need) -> Self {
        let cause = match need {
            Need::Reclaim => Cause::Reclaim,
            Need::Refresh => Cause::Refresh,
        };
        Self { cause, class: Class::Background }
    }

    /// The job that moves data to a more worn block.
    pub(crate) const LEVEL: Self = Self { cause: Cause::Wear, class: Class::Background };
}
