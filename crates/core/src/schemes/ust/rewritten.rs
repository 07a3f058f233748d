//! Which units were rewritten since they came to SLC: the ones that are hot.

use crate::base::sparse;
use crate::base::Mu;
use serde::{Deserialize, Serialize};

/// A bit for every mapping unit; clear for what is not in SLC.
#[derive(Clone, Serialize, Deserialize)]
pub struct Rewritten {
    #[serde(with = "sparse")]
    words: Vec<u32>,
}

impl Rewritten {
    /// None of `mus` mapping units was.
    pub fn new(mus: u32) -> Self {
        Self { words: vec![0; mus.div_ceil(32) as usize] }
    }

    /// Whether `mu` is hot.
    #[inline]
    pub fn is_set(&self, mu: Mu) -> bool {
        self.words[mu.index() / 32] >> (mu.index() % 32) & 1 == 1
    }

    /// Notes whether `mu` is hot.
    #[inline]
    pub fn set(&mut self, mu: Mu, hot: bool) {
        let (word, bit) = (&mut self.words[mu.index() / 32], mu.index() % 32);
        *word = *word & !(1 << bit) | u32::from(hot) << bit;
    }

    /// Forgets units `first..end`.
    pub fn clear(&mut self, first: u32, end: u32) {
        let mut mu = first;
        while mu < end {
            let (word, bit) = ((mu / 32) as usize, mu % 32);
            let count = (32 - bit).min(end - mu);
            self.words[word] &= !((u32::MAX >> (32 - count)) << bit);
            mu += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_hot_one_by_one_and_forgotten_by_range() {
        let mut rewritten = Rewritten::new(100);
        let hot =
            |rewritten: &Rewritten| -> Vec<u32> { (0..100).filter(|&mu| rewritten.is_set(Mu(mu))).collect() };
        (0..100).for_each(|mu| rewritten.set(Mu(mu), true));
        rewritten.set(Mu(40), false);
        rewritten.set(Mu(41), false);
        rewritten.set(Mu(41), true);
        rewritten.clear(3, 40);
        rewritten.clear(45, 45);
        rewritten.clear(64, 96);
        assert_eq!(hot(&rewritten), [vec![0, 1, 2], (41..64).collect(), (96..100).collect()].concat());
        rewritten.clear(0, 100);
        assert!(hot(&rewritten).is_empty());
    }
}
