//! The parts of CPython's `random.Random` the bench workloads draw from, bit
//! for bit (Modules/_randommodule.c and Lib/random.py).

use rand_mt::Mt;

/// A `random.Random` seeded with a small integer.
pub(super) struct PythonRandom {
    twister: Mt,
}

impl PythonRandom {
    /// `random.Random(seed)` for a seed below 2^32: a key of one word.
    pub(super) fn new(seed: u32) -> Self {
        Self { twister: Mt::new_with_key([seed]) }
    }

    /// `random()`: 53 bits in [0, 1).
    pub(super) fn random(&mut self) -> f64 {
        let high = f64::from(self.twister.next_u32() >> 5);
        let low = f64::from(self.twister.next_u32() >> 6);
        (high * 67_108_864.0 + low) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `randrange(end)` for 0 < end < 2^32, by `_randbelow_with_getrandbits`.
    pub(super) fn randrange(&mut self, end: u32) -> u32 {
        let unused_bits = end.leading_zeros();
        loop {
            let drawn = self.twister.next_u32() >> unused_bits;
            if drawn < end {
                return drawn;
            }
        }
    }

    /// `int(expovariate(1.0 / mean))`.
    pub(super) fn exponential(&mut self, mean: f64) -> u64 {
        let rate = 1.0 / mean;
        (-libm::log(1.0 - self.random()) / rate) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values printed by CPython 3.11.
    #[test]
    fn draws_what_python_draws() {
        let mut random = PythonRandom::new(7);
        assert_eq!(random.random(), 0.323_832_764_833_162_37);
        assert_eq!(random.randrange(1000), 154);
        assert_eq!(random.exponential(4_000_000.0), 2_008_940);
    }
}
