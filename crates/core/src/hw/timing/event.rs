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
    /// The device's, before units may be idle.
    DeviceFirst = 2,
    /// A unit has been idle long enough.
    Idle = 3,
    /// The device's, after that.
    DeviceLast = 4,
}

impl EventKind {
    /// All kinds, by their numbers.
    const ALL: [Self; 5] = [Self::Unit, Self::Channel, Self::DeviceFirst, Self::Idle, Self::DeviceLast];
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, ns.
    pub at_ns: u64,
    /// What kind.
    pub kind: EventKind,
    /// Which unit or channel; of the device's own events a number that means something to it alone.
    pub index: u32,
}

impl Event {
    fn key(self) -> u128 {
        u128::from(self.at_ns) << 64 | u128::from(self.kind as u8) << 32 | u128::from(self.index)
    }

    fn from_key(key: u128) -> Self {
        let kind = EventKind::ALL[usize::from((key >> 32) as u8)];
        Self { at_ns: (key >> 64) as u64, kind, index: key as u32 }
    }
}

/// Events kept in order outside the heap.
const NEAR: usize = 48;

/// A priority queue that keeps the earliest events in a short sorted list and the rest in a heap:
/// with few units at work, the common case, the heap is never touched.
#[derive(Clone, Default)]
pub struct EventQueue {
    /// Latest first, so that the earliest is taken off the end.
    near: Vec<u128>,
    far: BinaryHeap<Reverse<u128>>,
}

impl EventQueue {
    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        let key = event.key();
        if self.near.len() >= NEAR {
            if key > self.near[0] {
                return self.far.push(Reverse(key));
            }
            let latest = self.near.remove(0);
            self.far.push(Reverse(latest));
        }
        // A new event is mostly among the latest.
        let place = self.near.iter().position(|&other| other < key).unwrap_or(self.near.len());
        self.near.insert(place, key);
    }

    /// When the earliest event happens, ns; `u64::MAX` if there is none.
    #[inline(always)]
    pub fn next_ns(&self) -> u64 {
        let near = self.near.last().map_or(u64::MAX, |&key| (key >> 64) as u64);
        match self.far.peek() {
            None => near,
            Some(&Reverse(key)) => near.min((key >> 64) as u64),
        }
    }

    /// Takes the earliest event.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Event> {
        let far_first = match (self.near.last(), self.far.peek()) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(&near), Some(&Reverse(far))) => far < near,
        };
        let key = if far_first { self.far.pop().map(|Reverse(key)| key) } else { self.near.pop() };
        key.map(Event::from_key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_leave_in_order_of_time_kind_and_index() {
        let mut queue = EventQueue::default();
        let events = [
            (5, EventKind::Channel, 1),
            (5, EventKind::Unit, 9),
            (3, EventKind::Idle, 0),
            (5, EventKind::Unit, 2),
        ];
        for (at_ns, kind, index) in events {
            queue.push(Event { at_ns, kind, index });
        }
        let mut order = Vec::new();
        while let Some(event) = queue.pop() {
            order.push((event.at_ns, event.kind, event.index));
        }
        let want = [
            (3, EventKind::Idle, 0),
            (5, EventKind::Unit, 2),
            (5, EventKind::Unit, 9),
            (5, EventKind::Channel, 1),
        ];
        assert_eq!(order, want);
        assert_eq!(queue.next_ns(), u64::MAX);
    }

    #[test]
    fn every_kind_leads_back_from_its_number() {
        for (number, kind) in EventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            let event = Event { at_ns: u64::MAX, kind, index: u32::MAX };
            assert_eq!(Event::from_key(event.key()), event);
        }
    }

    #[test]
    fn a_long_queue_keeps_the_order() {
        let mut queue = EventQueue::default();
        let mut times: Vec<u64> = (0..500u64).map(|i| i * 7919 % 503).collect();
        for (i, &at_ns) in times.iter().enumerate() {
            queue.push(Event { at_ns, kind: EventKind::Unit, index: i as u32 });
        }
        times.sort_unstable();
        let popped: Vec<u64> = std::iter::from_fn(|| queue.pop()).map(|e| e.at_ns).collect();
        assert_eq!(popped, times);
    }
}
