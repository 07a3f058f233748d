//! The event queue: what happens next, with deterministic ties.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What an event is about; on equal times lower kinds go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum EventKind {
    /// A unit's array phase or data transfer ends.
    Unit = 0,
    /// A contended channel falls free.
    Channel = 1,
    /// A host request's data have crossed the host link.
    Host = 2,
    /// A unit has been idle long enough.
    Idle = 3,
    /// A partly filled wordline has waited long enough.
    Stage = 4,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, ns.
    pub at_ns: u64,
    /// What kind.
    pub kind: EventKind,
    /// Which unit, channel or request.
    pub index: u32,
    /// A stamp by which the receiver tells outdated events.
    pub stamp: u16,
}

impl Event {
    fn key(self) -> u128 {
        u128::from(self.at_ns) << 64
            | u128::from(self.kind as u8) << 56
            | u128::from(self.index) << 16
            | u128::from(self.stamp)
    }

    fn from_key(key: u128) -> Self {
        let kind = match (key >> 56) as u8 {
            0 => EventKind::Unit,
            1 => EventKind::Channel,
            2 => EventKind::Host,
            3 => EventKind::Idle,
            _ => EventKind::Stage,
        };
        Self { at_ns: (key >> 64) as u64, kind, index: (key >> 16) as u32, stamp: key as u16 }
    }
}

/// A priority queue that keeps its earliest event outside the heap: a chain of events on one
/// unit, the common case in cleaning, never touches the heap.
#[derive(Default)]
pub struct EventQueue {
    first: Option<u128>,
    heap: BinaryHeap<Reverse<u128>>,
}

impl EventQueue {
    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        let key = event.key();
        match self.first {
            None if self.heap.peek().is_none_or(|&Reverse(top)| key < top) => self.first = Some(key),
            Some(first) if key < first => {
                self.heap.push(Reverse(first));
                self.first = Some(key);
            }
            _ => self.heap.push(Reverse(key)),
        }
    }

    /// When the earliest event happens, ns; `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        match self.first {
            Some(key) => (key >> 64) as u64,
            None => self.heap.peek().map_or(u64::MAX, |&Reverse(key)| (key >> 64) as u64),
        }
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        match self.first.take() {
            Some(key) => Some(Event::from_key(key)),
            None => self.heap.pop().map(|Reverse(key)| Event::from_key(key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_leave_in_order_of_time_kind_and_index() {
        let mut queue = EventQueue::default();
        let events = [(5, EventKind::Channel, 1), (5, EventKind::Unit, 9), (3, EventKind::Idle, 0), (5, EventKind::Unit, 2)];
        for (at_ns, kind, index) in events {
            queue.push(Event { at_ns, kind, index, stamp: 7 });
        }
        let mut order = Vec::new();
        while let Some(event) = queue.pop() {
            assert_eq!(event.stamp, 7);
            order.push((event.at_ns, event.kind, event.index));
        }
        let want = [(3, EventKind::Idle, 0), (5, EventKind::Unit, 2), (5, EventKind::Unit, 9), (5, EventKind::Channel, 1)];
        assert_eq!(order, want);
        assert_eq!(queue.next_ns(), u64::MAX);
    }
}
