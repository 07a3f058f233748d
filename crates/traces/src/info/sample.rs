//! Which places are looked at where not all of them fit in memory.

use slcache_base::rng::mix;

/// One place in `1 << bits`, by a hash of it; a larger `bits` takes a part of the smaller one's sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    bits: u32,
}

impl Sample {
    /// Whether a place of a stream belongs to it. Places of two streams may share a key, which only makes
    /// them sampled together.
    #[inline]
    pub(super) fn has(self, (stream, place): (u16, u64)) -> bool {
        if self.bits == 0 {
            return true;
        }
        // Neighbouring keys get unrelated hashes.
        mix(place ^ u64::from(stream) << 48).trailing_zeros() >= self.bits
    }

    /// Takes half of what it took.
    pub(super) fn halve(&mut self) -> Self {
        self.bits += 1;
        *self
    }

    /// How many places each one stands for.
    pub(super) fn one_in(self) -> u64 {
        1 << self.bits
    }
}
