//! Zipf's distribution for any skew, without tables.

use super::random::Random;

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

#[cfg(test)]
mod tests {
    use super::*;

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
