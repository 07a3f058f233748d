//! Blocks of requests without addresses, cut at pauses, and the order they are drawn in.

use slcache_base::request::HostOp;
use slcache_base::rng::RngStream;
use std::collections::VecDeque;
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

/// Blocks without end, in rounds: in each, every block once, in random order within its stage. A round
/// that nobody needs whole has the same part of each stage.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// All blocks, those of a stage in the order of the last round.
    blocks: Vec<u32>,
    stages: Vec<Range<usize>>,
    order: VecDeque<u32>,
    number: u64,
    random: RngStream,
}

impl Rounds {
    /// The rounds of blocks that follow each other, in so many stages of about as many requests.
    pub(super) fn new(blocks: &[Range<u32>], stages: u64, seed: u64) -> Self {
        let requests = u128::from(requests(blocks).max(1));
        let stage = |block: &Range<u32>| u128::from(block.start) * u128::from(stages) / requests;
        let mut begin = 0;
        let chunks = blocks.chunk_by(|one, next| stage(one) == stage(next));
        let stages = chunks.map(|chunk| {
            begin += chunk.len();
            begin - chunk.len()..begin
        });
        Self {
            stages: stages.collect(),
            blocks: (0..blocks.len() as u32).collect(),
            order: VecDeque::new(),
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

    /// The next of these blocks, where so many requests are still needed.
    pub(super) fn draw(&mut self, blocks: &[Range<u32>], needed: u64) -> usize {
        if self.order.is_empty() {
            self.begin(blocks, needed);
            self.number += 1;
        }
        self.order.pop_front().map_or(0, |block| block as usize)
    }

    fn begin(&mut self, blocks: &[Range<u32>], needed: u64) {
        let requests = requests(blocks);
        let (mut passed, mut taken) = (0, 0);
        for stage in &self.stages {
            let stage = &mut self.blocks[stage.clone()];
            shuffle(stage, &mut self.random);
            passed += stage.iter().map(|&block| blocks[block as usize].len() as u64).sum::<u64>();
            let wanted = (passed * needed.min(requests)).div_ceil(requests);
            for &block in stage.iter() {
                if taken < wanted {
                    taken += blocks[block as usize].len() as u64;
                    self.order.push_back(block);
                }
            }
        }
    }
}

fn requests(blocks: &[Range<u32>]) -> u64 {
    u64::from(blocks.last().map_or(0, |block| block.end))
}

/// Puts items in random order, each as likely as any other.
pub(super) fn shuffle<T>(items: &mut [T], random: &mut RngStream) {
    for place in (1..items.len()).rev() {
        items.swap(place, random.below(place as u32 + 1) as usize);
    }
}

/// A request of the source as a twin keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRecord {
    /// Time behind the request before, in nanoseconds.
    pub gap_ns: u64,
    /// Length in sectors; 0 for a flush.
    pub sectors: u32,
    pub stream: u16,
    pub hint: u8,
    pub op: HostOp,
    pub place: BlockPlace,
}

/// Where a request goes. An extent is the place of an earlier read or write of the same volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockPlace {
    /// Nowhere: a flush.
    None,
    /// Where nothing was: the sector in what a round brings to its volume.
    Fresh { sector: u64 },
    /// On used sectors, where the read or write before ended.
    Next,
    /// In an extent: its class, how many of the class were used since, and the sectors between its
    /// first one and the request.
    Inside { class: Class, distance: u32, offset: u32 },
}

/// Extents of one length that were written, or that were only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class(u32);

impl Class {
    /// Most sectors of an extent.
    pub(super) const SECTORS_MAX: u32 = u32::MAX >> 1;

    /// The class of extents of a length.
    pub(super) fn new(sectors: u32, is_written: bool) -> Self {
        Self(sectors << 1 | u32::from(is_written))
    }

    /// The length of its extents.
    pub(super) fn sectors(self) -> u32 {
        self.0 >> 1
    }

    /// Whether its extents were written.
    pub(super) fn is_written(self) -> bool {
        self.0 & 1 == 1
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

    fn even(blocks: u32, requests: u32) -> Vec<Range<u32>> {
        (0..blocks).map(|block| block * requests..(block + 1) * requests).collect()
    }

    #[test]
    fn a_round_has_every_block_once_in_its_stage() {
        let blocks = even(50, 30);
        for stages in [1, 7, 50, 999] {
            let mut rounds = Rounds::new(&blocks, stages, 3);
            let mut round = || (0..50).map(|_| rounds.draw(&blocks, 1 << 40)).collect::<Vec<usize>>();
            let (first, second) = (round(), round());
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

    #[test]
    fn a_part_of_a_round_has_that_part_of_each_stage() {
        let blocks = even(60, 30);
        for (part, each) in [(1800, 15), (1799, 15), (600, 5), (120, 1)] {
            let mut rounds = Rounds::new(&blocks, 4, 3);
            let drawn: Vec<usize> = (0..4 * each).map(|_| rounds.draw(&blocks, part)).collect();
            assert_eq!(rounds.number(), 1);
            let stages: Vec<usize> = drawn.chunk_by(|a, b| a / 15 == b / 15).map(<[usize]>::len).collect();
            assert_eq!(stages, [each; 4], "{part}");
        }
        // Fewer blocks than stages: the first, then one each where its turn has come.
        let mut rounds = Rounds::new(&blocks, 4, 3);
        let (first, second) = (rounds.draw(&blocks, 31), rounds.draw(&blocks, 1));
        assert_eq!([first / 15, second / 15], [0, 3]);
    }
}
