//! Seeded random streams: one per user of randomness, the same on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

/// A random stream derived from a run's seed and a stream name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct RngStream(Pcg64Mcg);

/// The generator as it is stored.
#[derive(Deserialize)]
struct Stored {
    state: u128,
}

impl TryFrom<Stored> for RngStream {
    type Error = &'static str;

    /// An even state is none of the generator's: it would run into zero.
    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        match stored.state % 2 {
            0 => Err("the state of a random stream is even"),
            _ => Ok(Self(Pcg64Mcg::new(stored.state))),
        }
    }
}

impl RngStream {
    /// The stream called `name` of a run with `seed`; different names give independent streams.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a spreads the name over 64 bits; the generator's seeding mixes further.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(Pcg64Mcg::seed_from_u64(seed ^ hash))
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer in `0..bound` by multiply-shift (bias below 2^-32 for 32-bit bounds).
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// A uniform fraction in `[0, 1)` with 53 bits.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponentially distributed value with the given mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.fraction())
    }
}

/// Mixes 64 bits well (the finaliser of splitmix64).
#[inline]
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_pinned_and_differ_by_name() {
        let mut a = RngStream::new(1, "gc");
        let mut b = RngStream::new(1, "gc");
        let mut c = RngStream::new(1, "workload");
        let first = a.next_u64();
        assert_eq!(first, b.next_u64());
        assert_ne!(first, c.next_u64());
        assert!((0..1000).all(|_| a.below(7) < 7));
    }
}
