//! A keyed bijection on 0..n in constant memory.

use super::random::mix;

const ROUNDS: u64 = 6;

/// A pseudo-random permutation of `0..len`: a Feistel network on the next
/// power of two, walked along its cycle until it lands inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permutation {
    len: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    key: u64,
}

impl Permutation {
    /// A permutation of `0..len`; `len` is at least 1 and at most 2^62.
    pub(super) fn new(len: u64, key: u64) -> Self {
        let bits = 64 - (len - 1).leading_zeros();
        let low_bits = bits / 2;
        let mask = |bits: u32| (1u64 << bits) - 1;
        Self {
            len,
            low_bits,
            low_mask: mask(low_bits),
            high_mask: mask(bits - low_bits),
            key: mix(key ^ len),
        }
    }

    /// A permutation of this length under another key.
    pub(super) fn keyed(mut self, key: u64) -> Self {
        self.key = mix(key ^ self.len);
        self
    }

    /// Where `value`, below `len`, goes.
    #[inline]
    pub(super) fn apply(&self, value: u64) -> u64 {
        let mut at = value;
        loop {
            at = self.round_trip(at);
            if at < self.len {
                return at;
            }
        }
    }

    #[inline]
    fn round_trip(&self, value: u64) -> u64 {
        let (mut low, mut high) = (value & self.low_mask, value >> self.low_bits);
        for round in 0..ROUNDS / 2 {
            low ^= scatter(high, self.key.wrapping_add(round)) & self.low_mask;
            high ^= scatter(low, !self.key.wrapping_add(round)) & self.high_mask;
        }
        (high << self.low_bits) | low
    }
}

/// A cheap hash: the high half of a product with an odd key.
#[inline]
fn scatter(value: u64, key: u64) -> u64 {
    let product = (value ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ (product >> 29)).wrapping_mul(key | 1) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_a_bijection(len in 1u64..3000, key in any::<u64>()) {
            let permutation = Permutation::new(len, key);
            let mut seen = vec![false; len as usize];
            for value in 0..len {
                let to = permutation.apply(value) as usize;
                prop_assert!(!std::mem::replace(&mut seen[to], true));
            }
        }

        #[test]
        fn stays_inside_large_domains(len in (1u64 << 40)..(1 << 62), value in any::<u64>(), key in any::<u64>()) {
            prop_assert!(Permutation::new(len, key).apply(value % len) < len);
        }
    }

    #[test]
    fn neighbours_are_scattered() {
        let len = 1 << 16;
        let permutation = Permutation::new(len, 1);
        let near =
            (1..len).filter(|&at| permutation.apply(at).abs_diff(permutation.apply(at - 1)) < len / 100);
        // Two random places are within 1 % of each other with a chance of 2 %.
        let near = near.count() as f64 / len as f64;
        assert!((0.014..0.026).contains(&near), "{near}");
    }
}
