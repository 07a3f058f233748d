//! Idle time: when a unit has been left alone long enough for work that nobody waits for.

use super::engine::Timing;
use super::event::{Event, EventKind};
use super::unit::NOT_ARMED;
use crate::hw::config::{IdleRule, IdleScope};

impl Timing {
    /// When idle work may start.
    pub fn idle_rule(&self) -> IdleRule {
        self.idle
    }

    /// Sets when idle work may start, also for units that wait for it already.
    pub fn set_idle_rule(&mut self, rule: IdleRule) {
        self.idle = rule;
        for unit in 0..self.units.len() {
            self.units[unit].idle_event_ns = NOT_ARMED;
            self.arm_idle(unit as u32);
        }
    }

    /// When idle work of `unit` may start if the host stays away, ns.
    fn idle_from_ns(&self, unit: u32) -> u64 {
        let last_ns = match self.idle.scope {
            IdleScope::Plane => self.units[unit as usize].host_ns,
            // A request or a write of acknowledged data in flight keeps the device busy: it cannot be idle long enough before this.
            IdleScope::Device if !self.requests.is_idle() => self.clock.now_ns(),
            IdleScope::Device => self.last_host_ns(),
        };
        last_ns + self.idle.threshold_ns
    }

    /// Marks a plane as having idle work, or not.
    #[inline]
    pub fn mark_idle_work(&mut self, unit: u32, plane_in_die: u8, has: bool) {
        let u = &mut self.units[unit as usize];
        let bit = 1u16 << plane_in_die;
        if has && !self.ending {
            u.idle_planes |= bit;
            self.arm_idle(unit);
        } else {
            u.idle_planes &= !bit;
        }
    }

    #[inline(always)]
    pub(super) fn arm_idle(&mut self, unit: u32) {
        let u = &self.units[unit as usize];
        if u.idle_event_ns == NOT_ARMED && u.idle_planes != 0 && u.is_idle() {
            self.arm_idle_unit(unit);
        }
    }

    #[inline(never)]
    fn arm_idle_unit(&mut self, unit: u32) {
        let at_ns = self.clock.now_ns().max(self.idle_from_ns(unit));
        self.units[unit as usize].idle_event_ns = at_ns;
        self.clock.push_late(Event { at_ns, kind: EventKind::Idle, index: unit });
    }

    pub(super) fn idle_event(&mut self, unit: u32) {
        let u = &mut self.units[unit as usize];
        if u.idle_event_ns != self.clock.now_ns() {
            // The rule has changed since this event was scheduled: another has taken its place.
            return;
        }
        u.idle_event_ns = NOT_ARMED;
        if !u.is_idle() || u.idle_planes == 0 {
            return;
        }
        if self.clock.now_ns() >= self.idle_from_ns(unit) {
            self.idle_due.push(unit);
        } else {
            self.arm_idle(unit);
        }
    }

    /// The run ends, or has ended: all idle work is forgotten, and there is no more until then.
    pub fn set_ending(&mut self, ending: bool) {
        self.ending = ending;
        // Idle time counts from here, as it does for a device that a snapshot brings back.
        self.host_ns = self.clock.now_ns();
        // So do the numbers of requests, by which events at the same time are told apart.
        self.requests.begin_anew();
        for unit in &mut self.units {
            (unit.idle_planes, unit.host_ns) = (0, self.clock.now_ns());
        }
    }

    /// The first plane of the die of `unit`, and those with idle work (bit per plane in the die).
    pub fn idle_planes(&self, unit: u32) -> (u32, u16) {
        let u = &self.units[unit as usize];
        (u.first_plane, u.idle_planes)
    }

    /// Units whose idle work is due, handed over.
    pub fn take_idle_due(&mut self) -> Option<u32> {
        self.idle_due.pop()
    }
}
