//! Which sectors are hot: a counter of updates for each, halved at every window.

use crate::base::sparse;
use serde::{Deserialize, Serialize};

/// Bits of an entry that hold the counter; the rest hold the window it was last touched in.
const COUNT_BITS: u32 = 8;
const COUNT_MAX: u32 = (1 << COUNT_BITS) - 1;
const WINDOW_MAX: u32 = u32::MAX >> COUNT_BITS;

/// Update counters of all mapping units, decayed when they are looked at.
#[derive(Clone, Serialize, Deserialize)]
pub struct Hotness {
    /// `window << COUNT_BITS | count`; 0 = never written.
    #[serde(with = "sparse")]
    counters: Vec<u32>,
    window: u32,
    /// Sum of the counters seen by this window's writes, and how many there were.
    sum: u64,
    writes: u64,
    /// Counter from which a unit is hot, in 1/256, from the window before.
    mean: u64,
}

impl Hotness {
    /// Nothing was written to any of `mus` mapping units.
    pub fn new(mus: u32) -> Self {
        Self { counters: vec![0; mus as usize], window: 0, sum: 0, writes: 0, mean: 0 }
    }

    /// Counts a write of `mu`; true if it is hot: written at least as often as the mean.
    #[inline]
    pub fn touch(&mut self, mu: u32) -> bool {
        let entry = &mut self.counters[mu as usize];
        let age = self.window - (*entry >> COUNT_BITS);
        let count = ((*entry & COUNT_MAX) >> age.min(COUNT_BITS)) + 1;
        let count = count.min(COUNT_MAX);
        *entry = self.window << COUNT_BITS | count;
        self.sum += u64::from(count);
        self.writes += 1;
        u64::from(count) << 8 >= self.mean
    }

    /// A window is over: counters halve, and its mean is the next one's threshold.
    pub fn next_window(&mut self) {
        if let Some(mean) = (self.sum << 8).checked_div(self.writes) {
            self.mean = mean;
        }
        (self.sum, self.writes) = (0, 0);
        // Sixteen million windows: then ages stop, rather than wrap.
        self.window = (self.window + 1).min(WINDOW_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_hot_when_it_is_written_more_often_than_the_mean_of_the_last_window() {
        let mut hotness = Hotness::new(10);
        // Before there is a mean, everything is hot.
        assert!((0..9).all(|mu| hotness.touch(mu)));
        assert!((0..9).all(|_| hotness.touch(9)));
        // Counters seen: 1 nine times, then 1 to 9: a mean of 54 / 18 = 3.
        hotness.next_window();
        // Unit 9 has 9 / 2 + 1 = 5, the others 1 / 2 + 1 = 1.
        assert!(hotness.touch(9));
        assert!(!hotness.touch(0));
        // 2 and 3 after two more writes: the mean itself is hot.
        assert!(!hotness.touch(0));
        assert!(hotness.touch(0));
    }

    #[test]
    fn counters_saturate_and_die_out() {
        let mut hotness = Hotness::new(1);
        (0..1000).for_each(|_| assert!(hotness.touch(0)));
        assert_eq!(hotness.counters[0] & COUNT_MAX, 255);
        (0..8).for_each(|_| hotness.next_window());
        hotness.touch(0);
        assert_eq!(hotness.counters[0] & COUNT_MAX, 1);
    }
}
