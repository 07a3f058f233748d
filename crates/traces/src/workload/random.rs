//! Seeded draws: random numbers, permutations, places by Zipf's law; and the bisection that finds their parameters.

pub(super) use slcache_base::rng::mix;

use slcache_base::rng::RngStream;

/// The random stream of one decision: streams of different decisions are
/// independent, so a new draw in one place moves no other.
#[derive(Clone, Debug)]
pub(super) struct Random(RngStream);

impl Random {
    /// The stream of `decision` in part `part` of a workload.
    pub(super) fn new(seed: u64, part: usize, decision: &str) -> Self {
        Self(RngStream::new(seed, &format!("workload/{part}/{decision}")))
    }

    /// 64 random bits.
    #[inline]
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1) with 53 bits.
    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        self.0.fraction()
    }

    /// Uniform below `end`, without bias (Lemire's multiplication with rejection).
    #[inline]
    pub(super) fn below(&mut self, end: u64) -> u64 {
        loop {
            let product = u128::from(self.bits()) * u128::from(end);
            let low = product as u64;
            // The costly remainder is needed only where bias is possible at all.
            if low >= end || low >= end.wrapping_neg() % end {
                return (product >> 64) as u64;
            }
        }
    }

    /// One of some places, each as likely as its weight, and how far into that weight the draw fell;
    /// `None` where none has any.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u64> + Clone) -> Option<(usize, u64)> {
        let all: u64 = weights.clone().sum();
        let mut at = if all > 0 { self.below(all) } else { return None };
        for (place, weight) in weights.enumerate() {
            match at.checked_sub(weight) {
                Some(left) => at = left,
                None => return Some((place, at)),
            }
        }
        None
    }

    /// Exponential with mean 1.
    #[inline]
    pub(super) fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller, one of the pair).
    pub(super) fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(2.0 * core::f64::consts::PI * self.unit())
    }
}

/// A probability as a bound on 64 random bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(u64, bool);

impl Chance {
    /// The chance `share`, between 0 and 1.
    pub(super) fn new(share: f64) -> Self {
        // 2^64 itself does not fit; certainty is kept apart.
        Self((share * 18_446_744_073_709_551_616.0) as u64, share >= 1.0)
    }

    #[inline]
    pub(super) fn hit(self, bits: u64) -> bool {
        bits < self.0 || self.1
    }
}

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

/// Ranks `0..len` with probability proportional to `(rank + 1)^-skew`, drawn by
/// rejection-inversion (Hörmann and Derflinger 1996) in constant time and memory.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    len: u64,
    skew: f64,
    lower: f64,
    upper: f64,
    accept: f64,
}

impl Zipf {
    /// `len` ranks, at least 1; `skew` is 0 or more.
    pub(super) fn new(len: u64, skew: f64) -> Self {
        let mut zipf = Self { len: 0, skew, lower: 0.0, upper: 0.0, accept: 0.0 };
        zipf.lower = zipf.integral(1.5) - 1.0;
        zipf.accept = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf.resize(len);
        zipf
    }

    /// Changes the number of ranks.
    #[inline]
    pub(super) fn resize(&mut self, len: u64) {
        if len != self.len {
            self.len = len;
            self.upper = self.integral(len as f64 + 0.5);
        }
    }

    /// A rank, from 0.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        if self.skew == 0.0 {
            return random.below(self.len);
        }
        loop {
            let area = self.upper + random.unit() * (self.lower - self.upper);
            let place = self.inverse(area);
            let rank = (place + 0.5).clamp(1.0, self.len as f64) as u64;
            let rounded = rank as f64;
            let sure = rounded - place <= self.accept;
            if sure || area >= self.integral(rounded + 0.5) - self.density(rounded) {
                return rank - 1;
            }
        }
    }

    /// The integral of the density from 1 to `x`.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        expm1_ratio((1.0 - self.skew) * log) * log
    }

    fn density(&self, x: f64) -> f64 {
        libm::exp(-self.skew * libm::log(x))
    }

    fn inverse(&self, area: f64) -> f64 {
        // Rounding may carry the argument past -1, where the logarithm ends.
        let scaled = (area * (1.0 - self.skew)).max(-1.0);
        libm::exp(log1p_ratio(scaled) * area)
    }
}

/// `expm1(x) / x`, also near 0 (where the skew is near 1).
fn expm1_ratio(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        libm::expm1(x) / x
    } else {
        1.0 + x / 2.0
    }
}

/// `log1p(x) / x`, also near 0.
fn log1p_ratio(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        libm::log1p(x) / x
    } else {
        1.0 - x / 2.0
    }
}

/// The ends that are left of `low..high` after so many halvings; below the change `is_low` holds.
pub(super) fn bisect(ends: (f64, f64), steps: u32, is_low: impl Fn(f64) -> bool) -> (f64, f64) {
    (0..steps).fold(ends, |(low, high), _| {
        let middle = (low + high) / 2.0;
        if is_low(middle) {
            (middle, high)
        } else {
            (low, middle)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chances_are_exact_at_both_ends() {
        assert!(Chance::new(1.0).hit(u64::MAX));
        assert!(!Chance::new(0.0).hit(0));
        assert!(Chance::new(0.5).hit(u64::MAX / 2));
        assert!(!Chance::new(0.5).hit(1 << 63));
    }

    #[test]
    fn normal_has_its_moments() {
        let mut random = Random::new(1, 0, "test");
        let draws: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((square - 1.0).abs() < 0.02, "{square}");
    }

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

    /// Chi-square of the draws against the closed form, over ranks 1..20 and the rest.
    fn chi_square(len: u64, skew: f64, draws: usize) -> f64 {
        let weight = |rank: u64| libm::pow(rank as f64 + 1.0, -skew);
        let total: f64 = (0..len).map(weight).sum();
        let bins = 20u64.min(len - 1);
        let mut seen = vec![0u64; bins as usize + 1];
        let (zipf, mut random) = (Zipf::new(len, skew), Random::new(7, 0, "zipf"));
        for _ in 0..draws {
            let rank = zipf.draw(&mut random);
            assert!(rank < len);
            seen[rank.min(bins) as usize] += 1;
        }
        let rest: f64 = (bins..len).map(weight).sum();
        let expected = |bin: u64| draws as f64 / total * if bin < bins { weight(bin) } else { rest };
        let term = |(bin, &count): (usize, &u64)| {
            let expected = expected(bin as u64);
            (count as f64 - expected) * (count as f64 - expected) / expected
        };
        seen.iter().enumerate().map(term).sum()
    }

    #[test]
    fn frequencies_follow_the_closed_form() {
        for skew in [0.0, 0.2, 0.5, 0.99, 1.0, 1.01, 1.5, 2.5] {
            // 20 degrees of freedom: 45.3 is exceeded once in a thousand times.
            let chi_square = chi_square(1000, skew, 300_000);
            assert!(chi_square < 45.3, "skew {skew}: {chi_square}");
        }
        assert!(chi_square(2, 1.0, 100_000) < 10.8);
    }

    #[test]
    fn resizing_equals_building_anew() {
        let mut grown = Zipf::new(10, 0.9);
        grown.resize(5000);
        let (mut a, mut b) = (Random::new(1, 0, "a"), Random::new(1, 0, "a"));
        let fresh = Zipf::new(5000, 0.9);
        assert!((0..1000).all(|_| grown.draw(&mut a) == fresh.draw(&mut b)));
    }
}
