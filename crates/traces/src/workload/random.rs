//! Draws that give the same values on every machine.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
