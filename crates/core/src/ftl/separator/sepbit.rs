//! SepBIT (Wang et al., FAST 2022) as its authors' program has it: classes 1 to 6 of the paper are 0 to 5.
//!
//! A page's age stands for its lifespan. The threshold is the mean lifespan of the last sixteen blocks of the
//! first class; until there are so many it is infinite, and the length of the authors' queue of recent writes
//! limits it. With the last write of every page kept, the queue's length is all that is needed of it.

use serde::{Deserialize, Serialize};

/// The class of what cleaning moves out of blocks of class 0.
pub(super) const SHORT_LIVED_MOVED: u8 = 2;
/// Blocks whose mean lifespan is the threshold.
const BLOCKS: u64 = 16;
/// How far stamps go back when the clock runs out.
const REWIND: u32 = 1 << 31;

/// The clock counts units that come to the store. Comparisons with the threshold are strict.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SepBit {
    clock: u32,
    /// By logical page, when it last came; 0 = never.
    last: Vec<u32>,
    /// By block, when it was opened.
    born: Vec<u32>,
    /// Of so many blocks of class 0 that were collected, the lifespans together.
    count: u64,
    sum: u64,
    /// The lifespans of `BLOCKS` of them, together: the threshold times as many. None: infinite.
    lifespans: Option<u64>,
    /// Length of the authors' queue.
    queue: u32,
}

impl SepBit {
    pub(super) fn new(pages: u32, blocks: usize) -> Self {
        Self {
            clock: 0,
            last: vec![0; pages as usize],
            born: vec![0; blocks],
            count: 0,
            sum: 0,
            lifespans: None,
            queue: 0,
        }
    }

    /// The class of a page of which `units` units come, where `live` others live.
    pub(super) fn incoming(&mut self, page: u32, units: u32, live: u64) -> u8 {
        self.tick(units);
        let last = std::mem::replace(&mut self.last[page as usize], self.clock);
        let age = self.clock - last;
        let is_short = last != 0 && age < self.queue && self.is_below(age, 1);
        for _ in 0..units {
            self.queue += 1;
            if u64::from(self.queue) > live || self.is_above(self.queue) {
                self.queue -= 1;
                self.queue -= u32::from(self.is_above(self.queue));
            }
        }
        u8::from(!is_short)
    }

    /// The class of a page that cleaning moves out of a block of another class than the first.
    pub(super) fn moved(&self, page: u32) -> u8 {
        let age = self.clock - self.last[page as usize];
        match age {
            _ if self.is_below(age, 4) => 3,
            _ if self.is_below(age, 16) => 4,
            _ => 5,
        }
    }

    pub(super) fn opened(&mut self, block: usize) {
        self.born[block] = self.clock;
    }

    pub(super) fn collected(&mut self, block: usize, class: u8) {
        if class != 0 {
            return;
        }
        self.sum += u64::from(self.clock - self.born[block]);
        self.count += 1;
        if self.count == BLOCKS {
            self.lifespans = Some(self.sum);
            (self.count, self.sum) = (0, 0);
        }
    }

    /// Whether `age` is less than `times` the threshold.
    fn is_below(&self, age: u32, times: u64) -> bool {
        self.lifespans.is_none_or(|sum| BLOCKS * u64::from(age) < times * sum)
    }

    fn is_above(&self, length: u32) -> bool {
        self.lifespans.is_some_and(|sum| BLOCKS * u64::from(length) > sum)
    }

    /// Lets `units` pass. What is older than stamps can tell is as old as they can.
    fn tick(&mut self, units: u32) {
        if self.clock > u32::MAX - units {
            self.clock -= REWIND;
            let back = |stamp: &mut u32, least| *stamp = stamp.saturating_sub(REWIND).max(least);
            self.last.iter_mut().filter(|stamp| **stamp != 0).for_each(|stamp| back(stamp, 1));
            self.born.iter_mut().for_each(|stamp| back(stamp, 0));
        }
        self.clock += units;
    }

    pub(super) fn tables(&self) -> [usize; 2] {
        [self.last.len(), self.born.len()]
    }

    /// The threshold, unless it is infinite, and the length of the queue, units.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let threshold = self.lifespans.map(|sum| sum as f64 / BLOCKS as f64);
        let threshold = threshold.map(|units| ("separation_threshold_units", units));
        threshold.into_iter().chain([("separation_queue_units", f64::from(self.queue))])
    }
}

#[cfg(test)]
mod tests;
