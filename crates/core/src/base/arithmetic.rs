//! Arithmetic that the hot path can afford: division by a fixed number, and bits of small masks.

use serde::{Deserialize, Serialize};

/// A divisor whose division the hot path can afford.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Divisor {
    value: u32,
    /// Shift of a power of two; 32 for any other number.
    shift: u32,
}

impl Divisor {
    /// The divisor `value`, at least 1.
    pub fn new(value: u32) -> Self {
        let value = value.max(1);
        Self { value, shift: if value.is_power_of_two() { value.trailing_zeros() } else { 32 } }
    }

    /// Quotient and remainder of `n`.
    #[inline(always)]
    pub fn split(self, n: u32) -> (u32, u32) {
        if self.shift < 32 {
            (n >> self.shift, n & (self.value - 1))
        } else {
            (n / self.value, n % self.value)
        }
    }
}

/// Bits of every number of eight bits.
const ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut mask = 1;
    while mask < ones.len() {
        ones[mask] = ones[mask >> 1] + (mask & 1) as u8;
        mask += 1;
    }
    ones
};

/// Counting in masks of mapping units, which are mostly few.
pub trait Ones {
    /// The bits that are set, as `count_ones`, which takes a dozen instructions where the processor that
    /// is built for has none of its own.
    fn ones(self) -> u32;
}

impl Ones for u32 {
    #[inline(always)]
    fn ones(self) -> u32 {
        match ONES.get(self as usize) {
            Some(&ones) => u32::from(ones),
            None => self.count_ones(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Divisor, Ones};

    #[test]
    fn split_is_division_with_remainder() {
        for d in [1, 2, 3, 16, 48, 1 << 31, u32::MAX] {
            for n in [0, 1, 2, 47, 48, 49, 1 << 31, u32::MAX] {
                assert_eq!(Divisor::new(d).split(n), (n / d, n % d));
            }
        }
    }

    #[test]
    fn ones_are_counted() {
        for mask in (0..1000_u32).chain([0xffff, 0x1_0000, u32::MAX]) {
            assert_eq!(mask.ones(), mask.count_ones());
        }
    }
}
