//! Destaging: the unit written longest ago leaves the fast tier.

use super::config::Destage;
use super::placement::pages_of;
use super::two_tier::TwoTier;
use crate::base::op::{Cause, Class};
use crate::base::{Mu, PlaneId};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::media::SLOTS_MAX;
use crate::ftl::page_level::{mapped_in, mapped_mask};
use crate::ftl::piece::Job;
use crate::ftl::transfer::transfer;

impl TwoTier {
    /// Destages a unit if the fast tier, with one that is being brought in, holds more than it is to; and
    /// as many as it takes where it would hold more than it can. The units from `first` on that are
    /// `touched` are being written, and stay.
    pub fn make_way(&mut self, first: u32, touched: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let target = self.target_units(io);
        if self.classifier.recency.residents() > target {
            self.destage_coldest(first, touched, io);
        }
        while self.classifier.recency.residents() > self.units_max {
            if !self.destage_coldest(first, touched, io) {
                return Err(DeviceFull);
            }
        }
        if self.destage == Destage::Background {
            self.awaited.clear();
        }
        Ok(())
    }

    /// Destages the coldest unit, unless it is being written; false if nothing was. Where a page of the
    /// dense tier holds several, the next coldest ones fill it.
    fn destage_coldest(&mut self, first: u32, touched: u32, io: &mut Io) -> bool {
        // What the host waits for is served with its writes, in their order.
        let class = match self.destage {
            Destage::Foreground => Class::HostWrite,
            Destage::Background => Class::Urgent,
        };
        let stays = |unit: u32| {
            let place = unit.checked_sub(first).filter(|&place| place < u32::BITS);
            place.is_some_and(|place| touched >> place & 1 == 1)
        };
        let moved = self.move_coldest(class, |_, unit| !stays(unit), io);
        self.moved.destaged += u64::from(moved) * u64::from(!io.clockless());
        moved > 0
    }

    /// Moves the coldest units for which `may` holds to the dense tier: one, or as many as fill a page;
    /// returns how many, 0 where there is no room.
    pub fn move_coldest(
        &mut self,
        class: Class,
        mut may: impl FnMut(&Self, u32) -> bool,
        io: &mut Io,
    ) -> u32 {
        let first = self.classifier.recency.coldest_resident();
        let Some(unit) = first.filter(|&unit| may(self, unit)) else {
            return 0;
        };
        let job = Job { cause: Cause::Migration, class };
        if self.units.mus >= self.dense_slots {
            return u32::from(self.move_one(unit, job, io).is_ok());
        }
        let Ok(to) = self.dense.host_page(unit / self.units.per_page, self.plane_of(unit, io), io) else {
            return 0;
        };
        let (mut spans, mut count) = ([(0, self.units.span(0)); SLOTS_MAX], 0);
        let mut next = Some(unit);
        while let Some(unit) = next {
            spans[count as usize] = self.units.place(unit);
            count += 1;
            self.classifier.recency.set_resident(unit, false);
            let has_room = count * self.units.mus < self.dense_slots;
            let coldest = if has_room { self.classifier.recency.coldest_resident() } else { None };
            next = coldest.filter(|&unit| may(self, unit));
        }
        let (spans, region) = (&spans[..count as usize], &mut self.dense.region);
        transfer(spans, region, to, job, &mut self.awaited, io);
        count
    }

    /// Moves a unit that fills pages of the dense tier.
    fn move_one(&mut self, unit: u32, job: Job, io: &mut Io) -> Result<(), DeviceFull> {
        let (page, span) = self.units.place(unit);
        let stored = mapped_mask(io, page);
        for span in pages_of(span, self.dense_slots).filter(|span| span.cut(stored) != 0) {
            let home = self.plane_of(unit, io);
            let to = self.dense.host_page(page, home, io)?;
            transfer(&[(page, span)], &mut self.dense.region, to, job, &mut self.awaited, io);
        }
        self.classifier.recency.set_resident(unit, false);
        Ok(())
    }

    /// The plane that a unit lies in: that of the first of its mapping units.
    pub fn plane_of(&self, unit: u32, io: &Io) -> Option<PlaneId> {
        let (page, span) = self.units.place(unit);
        let stored = mapped_in(io, page, span.mask());
        let first = (stored != 0).then(|| stored.trailing_zeros())?;
        let slot = io.lookup(Mu(page * io.policy().mus_per_page + first))?;
        let geometry = io.geometry();
        Some(geometry.plane_of(geometry.block_of(geometry.page_of(slot))))
    }
}
