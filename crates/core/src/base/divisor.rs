//! Division by a number fixed at start-up: a shift where it is a power of two.

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

#[cfg(test)]
mod tests {
    use super::Divisor;

    #[test]
    fn split_is_division_with_remainder() {
        for d in [1, 2, 3, 16, 48, 1 << 31, u32::MAX] {
            for n in [0, 1, 2, 47, 48, 49, 1 << 31, u32::MAX] {
                assert_eq!(Divisor::new(d).split(n), (n / d, n % d));
            }
        }
    }
}
