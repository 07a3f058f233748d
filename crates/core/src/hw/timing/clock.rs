//! The clock: the present time, and the events to come.

use super::event::{Event, EventKind, EventQueue};
use std::collections::TryReserveError;

/// What happens next.
pub(super) enum NextEvent {
    /// The event of this unit.
    Unit(u32),
    Other(Event),
}

/// The present time and the events to come.
#[derive(Clone, Default)]
pub(super) struct Clock {
    now_ns: u64,
    events: EventQueue,
    /// Units before this one have no more events at the present time.
    passed: u32,
}

impl Clock {
    pub(super) fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.events.make_room()
    }

    #[inline(always)]
    pub(super) fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// When the next event happens, ns (`u64::MAX`: never).
    #[inline(always)]
    pub(super) fn next_ns(&self) -> u64 {
        self.events.next_ns()
    }

    /// Goes on to `at_ns`, up to which no event is pending.
    #[inline]
    pub(super) fn set_now(&mut self, at_ns: u64) {
        assert!(at_ns >= self.now_ns && self.next_ns() > at_ns, "Invariant: time goes on");
        self.passed = u32::MAX;
        self.now_ns = at_ns;
    }

    /// Goes on to the earliest event, if there is one.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> Option<NextEvent> {
        let (at_ns, tie) = self.events.pop_key()?;
        let before_ns = std::mem::replace(&mut self.now_ns, at_ns);
        // Nearly all are of units, the first kind.
        if tie >> 32 != 0 {
            self.passed = u32::MAX;
            return Some(NextEvent::Other(Event::from_key((at_ns, tie))));
        }
        let unit = tie as u32;
        let passed = if at_ns > before_ns { 0 } else { self.passed };
        self.passed = passed.max(unit + 1);
        Some(NextEvent::Unit(unit))
    }

    #[inline(always)]
    pub(super) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Adds an event of `unit`.
    #[inline(always)]
    pub(super) fn push_unit(&mut self, at_ns: u64, unit: u32) {
        self.events.push(Event { at_ns, kind: EventKind::Unit, index: unit });
    }

    /// Adds an event that is later than most.
    #[inline(always)]
    pub(super) fn push_late(&mut self, event: Event) {
        self.events.push_late(event);
    }

    /// Whether `at_ns` is past for `unit`; if it is now, whether the events have come to it.
    #[inline(always)]
    pub(super) fn is_past(&self, unit: u32, at_ns: u64) -> bool {
        at_ns < self.now_ns || (at_ns == self.now_ns && unit < self.passed)
    }

    /// The unit of the next event, if it is one of a unit that is near.
    #[inline(always)]
    pub(super) fn first_unit(&self) -> Option<u32> {
        self.events.first_unit()
    }
}
