//! Events in the order of time, of what is told in the order of its end.

use super::packets::{Body, Head, Packets, Sequence};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{Result, Write};

/// Events of one time: what ends stands before what begins, and that in the order in which it was told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    at_ns: u64,
    /// Whether it begins, and when it was told; a slice that takes no time ends behind its own beginning.
    rank: u64,
    slot: u32,
}

/// What begins stands behind what ends.
const BEGINS: u64 = 1 << 63;

/// Events that wait for those before them.
#[derive(Default)]
pub struct Ordered {
    waiting: BinaryHeap<Reverse<Place>>,
    bodies: Vec<Body>,
    free: Vec<u32>,
    told: u64,
}

impl Ordered {
    /// Takes a slice, and says where the body of its end is, to which arrows may be added until it is
    /// written.
    pub fn slice(&mut self, begin_ns: u64, end_ns: u64, head: &Head<'_>) -> u32 {
        let at_once = begin_ns == end_ns;
        let (begin, end) = (self.slot(), self.slot());
        self.bodies[begin as usize].begin(head);
        self.bodies[end as usize].end(head.track);
        self.told += 2;
        let rank = self.told | BEGINS;
        self.waiting.push(Reverse(Place { at_ns: begin_ns, rank, slot: begin }));
        let rank = if at_once { rank + 1 } else { self.told };
        self.waiting.push(Reverse(Place { at_ns: end_ns, rank, slot: end }));
        end
    }

    fn slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.bodies.push(Body::default());
            self.bodies.len() as u32 - 1
        })
    }

    /// Adds an arrow to an event that is not yet written.
    pub fn flow(&mut self, slot: u32, flow: u64) {
        self.bodies[slot as usize].flow(flow);
    }

    /// Writes what is before `until_ns`, all of which is told.
    pub fn settle<W: Write>(&mut self, until_ns: u64, packets: &mut Packets<W>) -> Result<()> {
        while let Some(&Reverse(Place { at_ns, slot, .. })) = self.waiting.peek() {
            if at_ns >= until_ns {
                break;
            }
            self.waiting.pop();
            self.free.push(slot);
            packets.event(Sequence::Ordered, at_ns, &self.bodies[slot as usize])?;
        }
        Ok(())
    }
}
