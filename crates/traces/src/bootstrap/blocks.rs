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

/// Blocks without end, in rounds: in each, every block once, in random order within its stage.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    order: Vec<u32>,
    /// The blocks of each stage.
    stages: Vec<Range<usize>>,
    next: usize,
    number: u64,
    random: RngStream,
}

impl Rounds {
    /// The rounds of blocks that follow each other, in so many stages of about as many requests.
    pub(super) fn new(blocks: &[Range<u32>], stages: u64, seed: u64) -> Self {
        let requests = u128::from(blocks.last().map_or(1, |block| block.end));
        let stage = |block: &Range<u32>| u128::from(block.start) * u128::from(stages) / requests;
        let mut begin = 0;
        let chunks = blocks.chunk_by(|one, next| stage(one) == stage(next));
        let stages = chunks.map(|chunk| {
            begin += chunk.len();
            begin - chunk.len()..begin
        });
        Self {
            stages: stages.collect(),
            order: (0..blocks.len() as u32).collect(),
            next: blocks.len(),
            number: 0,
            random: RngStream::new(seed, "bootstrap/blocks"),
        }
    }

    /// How many blocks are alone in their stage, and never change places.
    pub(super) fn alone(&self) -> u64 {
        self.stages.iter().filter(|stage| stage.len() == 1).count() as u64
    }

    /// The number of the round, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next block.
    pub(super) fn draw(&mut self) -> usize {
        if self.next == self.order.len() {
            for stage in &self.stages {
                shuffle(&mut self.order[stage.clone()], &mut self.random);
            }
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

    /// Blocks of `requests` each.
    fn even(blocks: u32, requests: u32) -> Vec<Range<u32>> {
        (0..blocks).map(|block| block * requests..(block + 1) * requests).collect()
    }

    #[test]
    fn a_round_has_every_block_once_in_its_stage() {
        for stages in [1, 7, 50, 999] {
            let mut rounds = Rounds::new(&even(50, 30), stages, 3);
            let (first, second): (Vec<usize>, Vec<usize>) =
                ((0..50).map(|_| rounds.draw()).collect(), (0..50).map(|_| rounds.draw()).collect());
            assert_eq!(first != second, stages < 50);
            assert_eq!(rounds.alone(), if stages < 50 { 0 } else { 50 });
            for mut round in [first, second] {
                let stage = |block: &usize| *block as u64 * stages / 50;
                assert!(round.is_sorted_by_key(stage), "{stages}: {round:?}");
                round.sort_unstable();
                assert!(round.into_iter().eq(0..50));
            }
        }
    }
}
