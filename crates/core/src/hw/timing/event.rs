//! The event queue: what happens next, with deterministic ties.

use crate::base::room::Room;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, TryReserveError, VecDeque};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub at_ns: u64,
    pub kind: EventKind,
    /// Which unit or channel; of the device's own events a number that means something to it alone.
    pub index: u32,
}

/// Time, and what decides between events at the same time.
pub(super) type Key = (u64, u64);

impl Event {
    #[inline(always)]
    fn key(self) -> Key {
        (self.at_ns, u64::from(self.kind as u8) << 32 | u64::from(self.index))
    }

    #[inline(always)]
    pub(super) fn from_key((at_ns, tie): Key) -> Self {
        Self { at_ns, kind: EventKind::ALL[(tie >> 32) as usize], index: tie as u32 }
    }
}

/// Events kept in order outside the heap: a power of two.
const NEAR: usize = 128;

/// A priority queue that keeps the earliest events in a short sorted ring and the rest in a heap: with
/// few units at work, the common case, the heap is never touched.
#[derive(Clone)]
pub struct EventQueue {
    /// The keys of the earliest events in order, from `first` on: times and ties apart, as the times
    /// mostly decide.
    near_ns: [u64; NEAR],
    near_ties: [u64; NEAR],
    first: usize,
    len: usize,
    far: BinaryHeap<Reverse<Key>>,
    /// Events that come in about the order in which they happen, and late, in order.
    late: VecDeque<Key>,
    /// When the earliest event of all and the earliest one outside the ring happen, ns (`u64::MAX`: never).
    next_ns: u64,
    far_ns: u64,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            near_ns: [0; NEAR],
            near_ties: [0; NEAR],
            first: 0,
            len: 0,
            far: BinaryHeap::new(),
            late: VecDeque::new(),
            next_ns: u64::MAX,
            far_ns: u64::MAX,
        }
    }
}

impl EventQueue {
    pub(super) fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.far.make_room()?;
        self.late.make_room()
    }

    #[inline(always)]
    fn near(&self, place: usize) -> Key {
        (self.near_ns[place % NEAR], self.near_ties[place % NEAR])
    }

    #[inline(always)]
    fn set_near(&mut self, place: usize, (at_ns, tie): Key) {
        self.near_ns[place % NEAR] = at_ns;
        self.near_ties[place % NEAR] = tie;
    }

    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        let (at_ns, tie) = event.key();
        self.push_key(at_ns, tie);
    }

    // Time and tie apart, as that is how they are handed over in registers.
    #[inline(never)]
    fn push_key(&mut self, at_ns: u64, tie: u64) {
        self.next_ns = self.next_ns.min(at_ns);
        if self.len == NEAR {
            return self.push_beside_full((at_ns, tie));
        }
        self.push_near((at_ns, tie));
    }

    /// Puts a key in its place, from the end that is probably nearer.
    #[inline(always)]
    fn push_near(&mut self, key: Key) {
        let middle = (self.first + self.len / 2) % NEAR;
        let mut left = self.len;
        self.len += 1;
        let mut place;
        if key.0 < self.near_ns[middle] {
            self.first = (self.first + NEAR - 1) % NEAR;
            place = self.first;
            while left > 0 && self.near(place + 1) < key {
                self.set_near(place, self.near(place + 1));
                place += 1;
                left -= 1;
            }
        } else {
            place = self.first + left;
            while left > 0 && self.near(place - 1) > key {
                self.set_near(place, self.near(place - 1));
                place -= 1;
                left -= 1;
            }
        }
        self.set_near(place, key);
    }

    /// Adds an event where the ring is full: the latest of all goes to the heap.
    #[cold]
    fn push_beside_full(&mut self, key: Key) {
        let latest = self.near(self.first + NEAR - 1);
        if key > latest {
            return self.push_far(key);
        }
        self.push_far(latest);
        self.len -= 1;
        self.push_near(key);
    }

    /// Adds an event that is later than most: of idle units there are as many as units, and what they do
    /// next should not have to pass them.
    pub fn push_late(&mut self, event: Event) {
        let key = event.key();
        self.next_ns = self.next_ns.min(key.0);
        self.far_ns = self.far_ns.min(key.0);
        match self.late.back() {
            Some(&last) if last > key => {
                let place = self.late.partition_point(|&other| other < key);
                self.late.insert(place, key);
            }
            _ => self.late.push_back(key),
        }
    }

    fn push_far(&mut self, key: Key) {
        self.far_ns = self.far_ns.min(key.0);
        self.far.push(Reverse(key));
    }

    /// When the earliest event happens, ns; `u64::MAX` if there is none.
    #[inline(always)]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The unit of the first event in the ring, if it is one of a unit.
    #[inline(always)]
    pub(super) fn first_unit(&self) -> Option<u32> {
        let tie = self.near_ties[self.first % NEAR];
        (self.len > 0 && tie >> 32 == 0).then_some(tie as u32)
    }

    /// Takes the earliest event.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_key().map(Event::from_key)
    }

    /// Takes the key of the earliest event.
    #[inline(always)]
    pub(super) fn pop_key(&mut self) -> Option<Key> {
        if self.far_ns == self.next_ns {
            self.bring_first();
        }
        if self.len == 0 {
            return None;
        }
        let key = self.near(self.first);
        self.first = (self.first + 1) % NEAR;
        self.len -= 1;
        let near_ns = if self.len == 0 { u64::MAX } else { self.near_ns[self.first % NEAR] };
        self.next_ns = near_ns.min(self.far_ns);
        Some(key)
    }

    /// The earliest events of the heap and of the late ones, or what is behind any.
    fn far_keys(&self) -> (Key, Key) {
        let never = (u64::MAX, u64::MAX);
        let far = self.far.peek().map_or(never, |&Reverse(key)| key);
        (far, self.late.front().copied().unwrap_or(never))
    }

    /// Takes the earliest event outside the ring into it, if none there is earlier.
    #[cold]
    fn bring_first(&mut self) {
        let (far, late) = self.far_keys();
        let key = far.min(late);
        if self.len > 0 && key >= self.near(self.first) {
            return;
        }
        let taken = if late < far { self.late.pop_front().is_some() } else { self.far.pop().is_some() };
        if !taken {
            return;
        }
        let (far, late) = self.far_keys();
        self.far_ns = far.min(late).0;
        if self.len == NEAR {
            self.push_far(self.near(self.first + NEAR - 1));
            self.len -= 1;
        }
        self.first = (self.first + NEAR - 1) % NEAR;
        self.set_near(self.first, key);
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::RngStream;

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

    #[test]
    fn pushed_between_pops_they_leave_as_from_a_heap() {
        let mut rng = RngStream::new(1, "events");
        for most in [1, 5, 40, 3 * NEAR] {
            let (mut queue, mut heap) = (EventQueue::default(), BinaryHeap::new());
            for _ in 0..5000 {
                if heap.len() < most && rng.below(5) > 1 {
                    let (at_ns, index) = (u64::from(rng.below(300)), rng.below(4));
                    let event = Event { at_ns, kind: EventKind::ALL[rng.below(5) as usize], index };
                    match event.kind {
                        EventKind::Idle => queue.push_late(event),
                        _ => queue.push(event),
                    }
                    heap.push(Reverse(event.key()));
                } else {
                    assert_eq!(queue.next_ns(), heap.peek().map_or(u64::MAX, |&Reverse((at_ns, _))| at_ns));
                    assert_eq!(queue.pop(), heap.pop().map(|Reverse(key)| Event::from_key(key)));
                }
            }
        }
    }
}
