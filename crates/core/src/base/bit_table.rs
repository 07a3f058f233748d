//! A bit for each of many things.

use super::sparse;
use super::table::Table;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Bits, all clear at first.
#[derive(Clone, Serialize, Deserialize)]
pub struct BitTable(#[serde(with = "sparse")] Table);

impl Default for BitTable {
    fn default() -> Self {
        Self::new(0)
    }
}

impl BitTable {
    /// At least so many.
    pub fn new(bits: usize) -> Self {
        Self(Table::new(bits.div_ceil(32)))
    }

    /// Whether a bit is set; none is beyond the end.
    #[inline(always)]
    pub fn get(&self, place: usize) -> bool {
        self.0.get(place / 32).is_some_and(|word| word >> (place % 32) & 1 == 1)
    }

    #[inline(always)]
    pub fn set(&mut self, place: usize, on: bool) {
        let word = &mut self.0[place / 32];
        *word = *word & !(1 << (place % 32)) | u32::from(on) << (place % 32);
    }

    pub fn clear(&mut self, places: Range<usize>) {
        let mut place = places.start;
        while place < places.end {
            let count = (32 - place % 32).min(places.end - place);
            self.0[place / 32] &= !((u32::MAX >> (32 - count)) << (place % 32));
            place += count;
        }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_one_by_one_and_cleared_by_range() {
        let mut bits = BitTable::new(100);
        let set = |bits: &BitTable| -> Vec<usize> { (0..100).filter(|&place| bits.get(place)).collect() };
        (0..100).for_each(|place| bits.set(place, true));
        bits.set(40, false);
        bits.set(41, false);
        bits.set(41, true);
        bits.clear(3..40);
        bits.clear(45..45);
        bits.clear(64..96);
        assert_eq!(set(&bits), [vec![0, 1, 2], (41..64).collect(), (96..100).collect()].concat());
        bits.clear(0..100);
        assert!(set(&bits).is_empty());
    }
}
