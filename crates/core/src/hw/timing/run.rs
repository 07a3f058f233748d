//! The clockwork: events in their order, and what the end of each phase leads to.

use super::clock::NextEvent;
use super::engine::Timing;
use super::event::{Event, EventKind};
use super::unit::UnitPhase;
use crate::base::op::OpKind;

impl Timing {
    /// Lets every unit that got something new start it if it can.
    #[inline(always)]
    pub fn kick(&mut self) {
        if !self.ready.is_empty() {
            self.kick_ready();
        }
    }

    fn kick_ready(&mut self) {
        let mut next = 0;
        while next < self.ready.len() {
            let unit = self.ready[next];
            next += 1;
            self.try_start(unit);
        }
        self.ready.clear();
    }

    /// Handles the events up to `at_ns` in their order, until the device has to hear of something; its own
    /// are handed back.
    pub fn run_until(&mut self, at_ns: u64) -> Option<Event> {
        while self.clock.next_ns() <= at_ns {
            let event = self.step();
            if event.is_some() || self.requests.has_finished() || !self.idle_due.is_empty() {
                return event;
            }
        }
        None
    }

    /// Handles the earliest event, which the caller has seen to be due; the device's own are handed
    /// back.
    #[inline(always)]
    pub fn step(&mut self) -> Option<Event> {
        let unit = match self.clock.advance()? {
            NextEvent::Unit(unit) => unit,
            NextEvent::Other(event) => return self.rare_event(event),
        };
        if self.units[unit as usize].until_ns == self.clock.now_ns() {
            self.unit_event(unit);
            self.kick();
        } else {
            self.outdated_event(unit);
        }
        None
    }

    /// The end of the phase has moved since the event was pushed.
    #[inline(never)]
    fn outdated_event(&mut self, unit: u32) {
        let u = &mut self.units[unit as usize];
        if u.void_ns == self.clock.now_ns() {
            // Without data that came there would be no event.
            u.void_ns = u64::MAX;
            return;
        }
        self.kick();
    }

    #[inline(never)]
    fn rare_event(&mut self, event: Event) -> Option<Event> {
        match event.kind {
            EventKind::Unit => unreachable!("Invariant: units' events are not rare"),
            EventKind::Channel => self.channel_event(event.index),
            EventKind::Idle => self.idle_event(event.index),
            EventKind::DeviceFirst | EventKind::DeviceLast => return Some(event),
        }
        self.kick();
        None
    }

    #[inline(always)]
    pub(super) fn push_unit_event(&mut self, unit: u32, at_ns: u64) {
        let u = &mut self.units[unit as usize];
        u.until_ns = at_ns;
        self.clock.push_unit(at_ns, unit);
    }

    /// A phase ends. Of several events at the very end of a phase the first one ends it; the others find another
    /// end, or a phase without one.
    #[inline(always)]
    fn unit_event(&mut self, unit: u32) {
        let u = &mut self.units[unit as usize];
        match u.phase {
            UnitPhase::Array if self.ops[u.current].kind == OpKind::Read => self.want_out(unit),
            UnitPhase::Read => {
                self.end_coming(unit);
                self.complete(unit);
            }
            UnitPhase::Array | UnitPhase::Out => self.complete(unit),
            UnitPhase::Disk => self.complete_disk(unit),
            UnitPhase::Move | UnitPhase::Pair => {
                let id = u.current;
                self.turn_into_program(id);
                self.complete(unit);
            }
            UnitPhase::Stretch => self.end_stretch(unit),
            UnitPhase::Suspending => self.end_suspending(unit),
            UnitPhase::Idle | UnitPhase::WaitOut => {}
        }
    }
}
