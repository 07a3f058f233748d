//! Blocks of requests, cut at pauses, and the order they are drawn in.

use slcache_base::rng::RngStream;
use std::ops::Range;

/// Cuts requests into blocks as they come: at gaps longer than `pause_ns`, each of `requests_min`
/// or more.
#[derive(Clone, Debug)]
pub(super) struct Cutter {
    pause_ns: u64,
    requests_min: u64,
    /// Where blocks begin but the first.
    cuts: Vec<u32>,
    last: u64,
}

impl Cutter {
    /// Of a source of which nothing came yet.
    pub(super) fn new(pause_ns: u64, requests_min: u64) -> Self {
        Self { pause_ns, requests_min, cuts: Vec::new(), last: 0 }
    }

    /// Says what the gap before the request at `place` does, and takes note of a cut.
    pub(super) fn add(&mut self, place: usize, gap_ns: u64) {
        if gap_ns > self.pause_ns && place as u64 - self.last >= self.requests_min {
            self.cuts.push(place as u32);
            self.last = place as u64;
        }
    }

    /// The number of the block that goes on.
    pub(super) fn block(&self) -> u32 {
        self.cuts.len() as u32
    }

    /// The blocks of so many requests; a rest that is too short goes to the block before.
    pub(super) fn finish(mut self, requests: usize) -> Vec<Range<u32>> {
        if requests as u64 - self.last < self.requests_min {
            self.cuts.pop();
        }
        let begins = std::iter::once(0).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().copied().chain([requests as u32]);
        begins.zip(ends).map(|(begin, end)| begin..end).collect()
    }
}

/// Blocks without end, in rounds: in each, every block once, in random order.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    order: Vec<u32>,
    next: usize,
    number: u64,
    random: RngStream,
}

impl Rounds {
    /// The rounds of so many blocks.
    pub(super) fn new(blocks: usize, seed: u64) -> Self {
        let random = RngStream::new(seed, "bootstrap/blocks");
        Self { order: (0..blocks as u32).collect(), next: blocks, number: 0, random }
    }

    /// The number of the round, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next block.
    pub(super) fn draw(&mut self) -> usize {
        if self.next == self.order.len() {
            shuffle(&mut self.order, &mut self.random);
            self.next = 0;
            self.number += 1;
        }
        self.next += 1;
        self.order[self.next - 1] as usize
    }
}

/// Puts items in random order, each as likely as any other.
pub(super) fn shuffle<T>(items: &mut [T], random: &mut RngStream) {
    for place in (1..items.len()).rev() {
        items.swap(place, random.below(place as u32 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_pauses_and_are_long_enough() {
        let gaps = [0, 9, 20, 20, 1, 1, 20, 1, 20];
        let cut = |requests_min| {
            let mut cutter = Cutter::new(10, requests_min);
            gaps.iter().enumerate().for_each(|(place, &gap_ns)| cutter.add(place, gap_ns));
            cutter.finish(gaps.len())
        };
        assert_eq!(cut(1), [0..2, 2..3, 3..6, 6..8, 8..9]);
        assert_eq!(cut(2), [0..2, 2..6, 6..9]);
        assert_eq!(cut(9), std::slice::from_ref(&(0..9)));
    }

    #[test]
    fn a_round_has_every_block_once() {
        let mut rounds = Rounds::new(50, 3);
        let (first, second): (Vec<usize>, Vec<usize>) =
            ((0..50).map(|_| rounds.draw()).collect(), (0..50).map(|_| rounds.draw()).collect());
        assert_ne!(first, second);
        for mut round in [first, second] {
            round.sort_unstable();
            assert!(round.into_iter().eq(0..50));
        }
    }
}
