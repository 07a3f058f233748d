//! Forced migration: what idle time moves to the dense tier, a unit at a time.

use super::two_tier::TwoTier;
use crate::base::op::Class;
use crate::base::PlaneId;
use crate::ftl::answer::Idle;
use crate::ftl::io::Io;
use crate::ftl::page_level::mapped_mask;

impl TwoTier {
    /// The coldest unit, if it is to be moved in idle time.
    fn forced(&mut self, io: &Io) -> Option<u32> {
        let has_surplus = self.classifier.recency.residents() > self.target_units(io);
        if !self.migrator.is_due(has_surplus) {
            return None;
        }
        let unit = self.classifier.recency.coldest_resident()?;
        let unwritten = self.classifier.recency.writes_since(unit)?;
        (u64::from(unwritten) >= self.migrator.force_after()).then_some(unit)
    }

    /// The plane whose idle time is for moving `unit`: one that it lies in.
    fn plane_of_unit(&self, unit: u32, io: &Io) -> Option<PlaneId> {
        let (page, index) = (unit / self.units.per_page, unit % self.units.per_page);
        self.plane_of(page, mapped_mask(io, page) & self.units.span(index).mask(), io)
    }

    /// Has idle work done where there is some: to be called when anything changed.
    #[inline]
    pub fn note_idle_work(&mut self, io: &mut Io) {
        let plane = self.forced(io).and_then(|unit| self.plane_of_unit(unit, io));
        if let Some(plane) = plane {
            io.mark_idle_work(plane);
        }
    }

    /// Moves one unit to the dense tier, if it lies in `plane`.
    pub fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let Some(unit) = self.forced(io) else {
            return Idle::Nothing;
        };
        if self.plane_of_unit(unit, io) != Some(plane) {
            self.note_idle_work(io);
            return Idle::Nothing;
        }
        self.awaited.clear();
        if self.move_to_dense(unit, Class::Background, io).is_err() {
            return Idle::Nothing;
        }
        self.moved.forced += u64::from(!io.clockless());
        self.note_idle_work(io);
        Idle::Step
    }
}
