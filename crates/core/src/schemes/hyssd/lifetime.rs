//! The lifetime rule: what the tiers have left, and the offset that evens it out.

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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
