//! The cost model: what an access costs on average when the fast tier is filled to the share `u`
//! (equations 1 to 3 of the paper, after Oh et al., FAST 2012).
//!
//! A tier of `S` bytes holds `D` bytes of live data; its utilisation is `u = D / S`. The **victim** of
//! cleaning holds fewer live units than the mean block; the share of them is its utilisation `U`.
//! Everything is counted per unit of the classifier, in ns.

use serde::{Deserialize, Serialize};

/// The largest number of Newton steps; six suffice from where they begin.
const STEPS_MAX: u32 = 20;
/// The last step is shorter than this part of what is searched.
const STEP_MIN: f64 = 1e-13;

/// The victim's utilisation `U` in a tier of utilisation `u`: the inverse of `u = (U - 1) / ln U`.
///
/// Blocks are cleaned in the order of their age and random updates thin a block out exponentially: at
/// the age `x` of its life `e^(-λx)` of it is live, the victim (`x = 1`) has `U = e^(-λ)`, and the mean
/// over the ages is `u = (1 - e^(-λ)) / λ`. This falls with `λ` and is convex, so that Newton's steps
/// from below never pass the root. 0 where `u <= 0`, 1 where `u >= 1`.
pub fn victim_utilisation(u: f64) -> f64 {
    if u <= 0.0 {
        return 0.0;
    }
    if u >= 1.0 {
        return 1.0;
    }
    // Below the root, as (1 - e^(-λ)) / λ is more than 1 - λ / 2 and more than 1 / (1 + λ).
    let mut lambda = (2.0 * (1.0 - u)).max(1.0 / u - 1.0);
    for _ in 0..STEPS_MAX {
        let lost = -libm::expm1(-lambda);
        let mean = lost / lambda;
        let slope = (1.0 - lost - mean) / lambda;
        let step = (u - mean) / slope;
        lambda += step.max(0.0);
        // Rounding gives the last steps their sign.
        if step.partial_cmp(&(lambda * STEP_MIN)) != Some(std::cmp::Ordering::Greater) {
            break;
        }
    }
    libm::exp(-lambda)
}

/// What a tier's operations cost per unit: those of all the pages that a unit takes, ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// Reading a unit.
    pub read_ns: f64,
    /// Programming a unit.
    pub program_ns: f64,
    /// Moving a unit when its block is cleaned.
    pub copyback_ns: f64,
    /// Erasing a block.
    pub erase_ns: f64,
    pub units_per_block: f64,
    /// Size of the tier, spare blocks included.
    pub bytes: f64,
}

impl Tier {
    /// What a write costs, with its share of the cleaning that makes room for it (equations 1 and 2):
    ///
    /// `C_PW(u) = (U N C_CP + C_E) / floor((1 - U) N) + C_PROG`
    ///
    /// where `N` is the number of units per block. Infinite where a victim gives no whole unit.
    pub fn write_ns(&self, u: f64) -> f64 {
        let victim = victim_utilisation(u);
        let freed = libm::floor((1.0 - victim) * self.units_per_block);
        if freed <= 0.0 {
            return f64::INFINITY;
        }
        let cleaning_ns = victim * self.units_per_block * self.copyback_ns + self.erase_ns;
        cleaning_ns / freed + self.program_ns
    }
}

/// What the host asks for, and how much of it the fast tier meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Share of writes among the accesses (`IO_W`; `IO_R` is the rest).
    pub write_share: f64,
    /// Share of the writes whose unit is in the fast tier (`H_w`).
    pub write_hits: f64,
    /// Share of the reads whose unit is in the fast tier (`H_r`).
    pub read_hits: f64,
}

/// The two tiers and what they hold together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostModel {
    /// The tier that new data go to.
    pub fast: Tier,
    /// The tier that holds the rest.
    pub dense: Tier,
    /// Live data of both.
    pub data_bytes: f64,
}

impl CostModel {
    /// The dense tier's utilisation when the fast one has `u`: what does not lie in one lies in the
    /// other. 0 where the fast tier can hold everything.
    pub fn dense_utilisation(&self, u: f64) -> f64 {
        ((self.data_bytes - u * self.fast.bytes) / self.dense.bytes).max(0.0)
    }

    /// What a write costs of which the share `hits` finds its unit in the fast tier: those that do not
    /// destage another unit first.
    ///
    /// `C_PW_HY(u) = H_w C_PW_F(u) + (1 - H_w) (C_PR_F + C_PW_D(u_D) + C_PW_F(u))`
    ///
    /// Infinite where either tier cannot be written to at its utilisation, however few writes need it.
    pub fn write_ns(&self, u: f64, hits: f64) -> f64 {
        // A target above all the data is never reached.
        let fast_ns = self.fast.write_ns(u.min(self.data_bytes / self.fast.bytes));
        let dense_ns = self.dense.write_ns(self.dense_utilisation(u));
        if fast_ns.is_infinite() || dense_ns.is_infinite() {
            return f64::INFINITY;
        }
        fast_ns + (1.0 - hits) * (self.fast.read_ns + dense_ns)
    }

    /// What a read costs of which the share `hits` is met by the fast tier.
    ///
    /// `C_PR_HY = H_r C_PR_F + (1 - H_r) C_PR_D`
    pub fn read_ns(&self, hits: f64) -> f64 {
        hits * self.fast.read_ns + (1.0 - hits) * self.dense.read_ns
    }

    /// What an access costs (equation 3): `C(u) = C_PW_HY(u) IO_W + C_PR_HY(u) IO_R`.
    pub fn cost_ns(&self, u: f64, mix: &Mix) -> f64 {
        let write_ns = self.write_ns(u, mix.write_hits);
        if write_ns.is_infinite() {
            return f64::INFINITY;
        }
        mix.write_share * write_ns + (1.0 - mix.write_share) * self.read_ns(mix.read_hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: f64 = (1_u64 << 30) as f64;

    /// The table of the paper, per page of each chip.
    fn tier(read_us: f64, program_us: f64, copyback_us: f64, erase_us: f64, pages: f64, gib: f64) -> Tier {
        let [read_ns, program_ns, copyback_ns, erase_ns] =
            [read_us, program_us, copyback_us, erase_us].map(|us| us * 1000.0);
        Tier { read_ns, program_ns, copyback_ns, erase_ns, units_per_block: pages, bytes: gib * GIB }
    }

    fn slc() -> Tier {
        tier(125.0, 300.0, 225.0, 1500.0, 64.0, 2.0)
    }

    fn mlc() -> Tier {
        tier(175.0, 1400.0, 1375.0, 3800.0, 256.0, 2.0)
    }

    fn tlc() -> Tier {
        tier(350.0, 2500.0, 2450.0, 3000.0, 384.0, 8.0)
    }

    #[test]
    fn the_victims_utilisation_is_the_inverse_of_the_mean() {
        let mut u = 0.01;
        while u < 0.999 {
            let victim = victim_utilisation(u);
            assert!(((victim - 1.0) / libm::log(victim) - u).abs() < 1e-9, "{u}");
            assert!(victim < u, "{u}");
            u += 1e-4;
        }
        for u in [1e-300, 1e-9, 1.0 - 1e-9, 1.0 - f64::EPSILON] {
            let victim = victim_utilisation(u);
            assert!((0.0..=u).contains(&victim), "{u}: {victim}");
        }
        assert_eq!([-1.0, 0.0, 1.0, 2.0].map(victim_utilisation), [0.0, 0.0, 1.0, 1.0]);
        // Xiang and Kurkoski: write amplification 2.36 at an over-provisioning of 0.3.
        assert!((1.0 / (1.0 - victim_utilisation(1.0 / 1.3)) - 2.364).abs() < 5e-4);
    }

    #[test]
    fn a_page_write_costs_what_the_equations_say_on_the_papers_chips() {
        let rows = [
            (0.5, 0.203, [389.0, 1771.0, 3137.0]),
            (0.7, 0.467, [542.0, 2637.0, 4668.0]),
            (0.8, 0.629, [759.0, 3769.0, 6686.0]),
            (0.9, 0.807, [1393.0, 7274.0, 12_799.0]),
            (0.95, 0.902, [2714.0, 14_248.0, 25_509.0]),
            (0.97, 0.941, [5315.0, 23_726.0, 42_860.0]),
            (0.994, 0.988, [f64::INFINITY, 118_595.0, 235_633.0]),
        ];
        for (u, victim, us) in rows {
            assert!((victim_utilisation(u) - victim).abs() < 5e-4, "{u}");
            let found = [slc(), mlc(), tlc()].map(|tier| libm::round(tier.write_ns(u) / 1000.0));
            assert_eq!(found, us, "at {u}");
        }
    }

    #[test]
    fn what_does_not_lie_in_one_tier_lies_in_the_other() {
        let model = CostModel { fast: slc(), dense: tlc(), data_bytes: 9.0 * GIB };
        assert!((0.63 * model.fast.bytes / GIB - 1.26).abs() < 1e-12);
        assert!((model.dense_utilisation(0.63) - 0.9675).abs() < 1e-12);
        for percent in 0..=100 {
            let u = f64::from(percent) / 100.0;
            let data_bytes = u * model.fast.bytes + model.dense_utilisation(u) * model.dense.bytes;
            assert!((data_bytes - model.data_bytes).abs() < 1.0);
        }
        let little = CostModel { data_bytes: GIB, ..model };
        assert_eq!(little.dense_utilisation(0.8), 0.0);
        assert_eq!(little.write_ns(0.8, 1.0), little.write_ns(0.5, 1.0), "all of it lies in the fast tier");
    }

    #[test]
    fn an_access_costs_the_sum_of_its_parts() {
        let model = CostModel { fast: slc(), dense: tlc(), data_bytes: 9.0 * GIB };
        let (fast_ns, dense_ns) = (model.fast.write_ns(0.8), model.dense.write_ns(0.925));
        let write_ns = 0.75 * fast_ns + 0.25 * (125_000.0 + dense_ns + fast_ns);
        let read_ns = 0.5 * 125_000.0 + 0.5 * 350_000.0;
        let mix = Mix { write_share: 0.6, write_hits: 0.75, read_hits: 0.5 };
        assert!((model.write_ns(0.8, 0.75) - write_ns).abs() < 1e-6);
        assert_eq!(model.read_ns(0.5), read_ns);
        assert!((model.cost_ns(0.8, &mix) - (0.6 * write_ns + 0.4 * read_ns)).abs() < 1e-6);
    }

    #[test]
    fn tiers_that_cannot_be_written_to_cost_infinitely_much() {
        let model = CostModel { fast: slc(), dense: tlc(), data_bytes: 9.0 * GIB };
        // At 0.5 the dense tier is full; at 0.994 a victim of the fast one gives no whole page.
        for u in [0.0, 0.5, 0.994] {
            for (write_share, hits) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)] {
                let mix = Mix { write_share, write_hits: hits, read_hits: hits };
                assert_eq!(model.cost_ns(u, &mix), f64::INFINITY, "{u} {mix:?}");
            }
        }
    }
}
