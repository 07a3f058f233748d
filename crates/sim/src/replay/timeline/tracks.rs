//! The numbers of the tracks, and lanes for requests that overlap: on each, one at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Tracks that others stand below, in their order, and the first of the others.
pub const REQUESTS: u64 = 1;
pub const DECISIONS: u64 = 2;
pub const REGIONS: u64 = 3;
pub const CHANNELS: u64 = 4;
pub const PLANES: u64 = 5;
pub const DISK: u64 = 6;
pub const FIRST: u64 = 16;

/// Which lanes are free, in the order of time.
#[derive(Default)]
pub struct Lanes {
    /// Ends and lanes of what goes on.
    taken: BinaryHeap<Reverse<(u64, u64)>>,
    free: BinaryHeap<Reverse<u64>>,
    count: u64,
}

impl Lanes {
    /// Lanes that are shown; what finds all taken is shown on none.
    pub const MOST: u64 = 256;

    /// The first free lane for what goes on from `begin_ns`, no earlier than that before, to `end_ns`.
    pub fn take(&mut self, begin_ns: u64, end_ns: u64) -> Option<u64> {
        while self.taken.peek().is_some_and(|Reverse((end, _))| *end <= begin_ns) {
            self.free.extend(self.taken.pop().map(|Reverse((_, lane))| Reverse(lane)));
        }
        let lane = match self.free.pop() {
            Some(Reverse(lane)) => lane,
            None if self.count < Self::MOST => {
                self.count += 1;
                self.count - 1
            }
            None => return None,
        };
        self.taken.push(Reverse((end_ns, lane)));
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_has_lanes_of_its_own() {
        let mut lanes = Lanes::default();
        let taken = [(0, 10), (5, 8), (8, 9), (9, 30), (10, 11), (10, 12)].map(|(b, e)| lanes.take(b, e));
        assert_eq!(taken, [0, 1, 1, 1, 0, 2].map(Some));
        let all: Vec<_> = (0..Lanes::MOST).map(|_| lanes.take(100, 200)).collect();
        assert!(all.iter().all(Option::is_some));
        assert_eq!(lanes.take(150, 160), None);
        assert_eq!(lanes.take(200, 210), Some(0));
    }
}
