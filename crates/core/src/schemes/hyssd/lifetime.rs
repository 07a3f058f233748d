//! The lifetime rule: what the tiers have left, and the offset that evens it out.

use serde::{Deserialize, Serialize};

/// The remaining lifetime of a tier relative to the used one, `L = (E_total - E_used) / E_used`;
/// infinite while nothing is worn, below 0 beyond its rated cycles.
pub fn remaining(total_cycles: f64, used_cycles: f64) -> f64 {
    if used_cycles == 0.0 {
        f64::INFINITY
    } else {
        (total_cycles - used_cycles) / used_cycles
    }
}

/// The remaining lifetime of the device (equation 4): it ends with that of either tier.
pub fn device(fast: f64, dense: f64) -> f64 {
    fast.min(dense)
}

/// What the lifetime rule adds to the best utilisation of the fast tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offset(pub f64);

impl Offset {
    /// The utilisation to aim at: the fast tier takes a step more while it has more lifetime to spare,
    /// else a step less, and none while the tiers are equal (as before anything wore).
    ///
    /// What the limits cut off is not remembered, else the rule would answer late when it turns.
    pub fn target(&mut self, best: f64, (fast, dense): (f64, f64), step: f64, limits: (f64, f64)) -> f64 {
        if fast > dense {
            self.0 += step;
        } else if fast < dense {
            self.0 -= step;
        }
        let target = (best + self.0).clamp(limits.0, limits.1);
        self.0 = target - best;
        target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: (f64, f64) = (0.05, 0.97);

    #[test]
    fn the_device_lives_as_long_as_the_tier_that_ends_first() {
        assert_eq!(remaining(500.0, 100.0), 4.0);
        assert_eq!(remaining(500.0, 0.0), f64::INFINITY);
        assert_eq!(remaining(500.0, 1000.0), -0.5);
        assert_eq!(device(remaining(500.0, 100.0), remaining(100_000.0, 0.0)), 4.0);
        assert_eq!(device(remaining(500.0, 400.0), remaining(100_000.0, 50_000.0)), 0.25);
    }

    #[test]
    fn the_target_moves_towards_the_tier_that_has_more_to_spare() {
        let mut offset = Offset::default();
        assert_eq!(offset.target(0.5, (f64::INFINITY, f64::INFINITY), 0.25, LIMITS), 0.5);
        assert_eq!(offset.target(0.5, (3.0, 2.0), 0.25, LIMITS), 0.75);
        assert_eq!(offset.target(0.5, (3.0, 2.0), 0.25, LIMITS), 0.97);
        // At a limit it turns at once, and the best utilisation may move meanwhile.
        assert_eq!(offset.target(0.5, (3.0, 2.0), 0.25, LIMITS), 0.97);
        assert_eq!(offset.target(0.5, (2.0, 3.0), 0.25, LIMITS), 0.72);
        assert_eq!(offset.target(0.25, (2.0, 2.0), 0.25, LIMITS), 0.47);
        assert_eq!(offset.target(0.25, (2.0, 3.0), 0.5, LIMITS), 0.05);
    }

    /// A stationary load: a tier wears by what is written to it and by its cleaning, which grows as it
    /// is filled; the more the fast one holds, the more writes it meets alone.
    #[test]
    fn a_stationary_load_wears_both_tiers_evenly() {
        let (mut offset, mut fast_used, mut dense_used) = (Offset::default(), 0.0, 0.0);
        let mut unevenness = Vec::new();
        for _ in 0..4000 {
            let left = (remaining(3000.0, fast_used), remaining(500.0, dense_used));
            let u = offset.target(0.3, left, 0.01, LIMITS);
            let misses = 1.0 - libm::sqrt(u);
            fast_used += 0.1 / (1.0 - super::super::cost::victim_utilisation(u));
            dense_used += 0.05 * misses;
            unevenness.push((left.0 - left.1).abs() / device(left.0, left.1));
        }
        // It swings about the balance, as the step never rests: what falls is how far. The first window
        // began before anything wore.
        let peak = |first: usize, end: usize| unevenness[first..end].iter().copied().fold(0.0, f64::max);
        let peaks = [peak(1, 100), peak(100, 300), peak(300, 1000), peak(1000, 2000), peak(2000, 4000)];
        assert!(peaks.is_sorted_by(|earlier, later| earlier > later), "{peaks:?}");
        assert!(peaks[0] > 0.1 && peaks[4] < 0.01, "{peaks:?}");
    }
}
