//! Destaging: the unit written longest ago leaves the fast tier.

use super::config::Destage;
use super::placement::pages_of;
use super::two_tier::TwoTier;
use crate::base::op::{Cause, Class};
use crate::base::{Mu, PlaneId};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::page_level::mapped_mask;
use crate::ftl::relocate::Job;
use crate::ftl::transfer::transfer;

impl TwoTier {
    /// Destages a unit if the fast tier, with a unit of logical page `page` that is being brought in,
    /// holds more than it is to; and as many as it takes where it would hold more than it can.
    pub fn make_way(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let target = self.target_units(io);
        if self.classifier.recency.residents() > target {
            self.destage_coldest(page, io);
        }
        while self.classifier.recency.residents() > self.units_max {
            if !self.destage_coldest(page, io) {
                return Err(DeviceFull);
            }
        }
        if self.destage == Destage::Background {
            self.awaited.clear();
        }
        Ok(())
    }

    /// Destages the coldest unit, unless it is one of `page`, which is being written; false if nothing
    /// was.
    fn destage_coldest(&mut self, page: u32, io: &mut Io) -> bool {
        let coldest = self.classifier.recency.coldest_resident();
        let Some(unit) = coldest.filter(|unit| unit / self.units.per_page != page) else {
            return false;
        };
        // What the host waits for is served with its writes, in their order.
        let class = match self.destage {
            Destage::Foreground => Class::HostWrite,
            Destage::Background => Class::Urgent,
        };
        let is_done = self.move_to_dense(unit, class, io).is_ok();
        self.moved.destaged += u64::from(is_done && !io.clockless());
        is_done
    }

    /// Moves a unit to the dense tier.
    pub fn move_to_dense(&mut self, unit: u32, class: Class, io: &mut Io) -> Result<(), DeviceFull> {
        let (page, index) = (unit / self.units.per_page, unit % self.units.per_page);
        let job = Job { cause: Cause::Migration, class };
        let stored = mapped_mask(io, page);
        for span in pages_of(self.units.span(index), self.dense_slots) {
            if span.cut(stored) != 0 {
                let home = self.plane_of(page, stored & span.mask(), io);
                let to = self.dense.host_page(page, home, io)?;
                transfer(&[(page, span)], &mut self.dense.region, to, job, &mut self.awaited, io);
            }
        }
        self.classifier.recency.set_resident(unit, false);
        Ok(())
    }

    /// The plane that the first of some stored units of a logical page lies in.
    pub fn plane_of(&self, page: u32, stored: u32, io: &Io) -> Option<PlaneId> {
        let first = (stored != 0).then(|| stored.trailing_zeros())?;
        let slot = io.lookup(Mu(page * io.policy().mus_per_page + first))?;
        let geometry = io.geometry();
        Some(geometry.plane_of(geometry.block_of(geometry.page_of(slot))))
    }
}
