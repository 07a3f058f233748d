//! The analyser: which utilisation of the fast tier costs least.

use super::cost::{CostModel, Mix};
use super::histogram::Histogram;

/// The cost over the utilisation of the fast tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// (utilisation, ns per unit access), by rising utilisation; infinite where the tiers cannot work.
    pub points: Vec<(f64, f64)>,
    /// The utilisation of the least cost, the smallest one on a tie; none where no cost is finite.
    pub best: Option<f64>,
}

/// The cost at `u_min`, `u_min + step`, ... up to `u_max`, for the accesses counted in `histogram`.
pub fn best(model: &CostModel, histogram: &Histogram, u_min: f64, u_max: f64, step: f64) -> Curve {
    let write_share = histogram.write_share();
    let steps = libm::floor((u_max - u_min) / step + 1e-9) as u32;
    let points: Vec<(f64, f64)> = (0..=steps)
        .map(|number| {
            // Rounded, for the grid to be one of decimal fractions.
            let u = libm::round((u_min + f64::from(number) * step) * 1e9) / 1e9;
            let (write_hits, read_hits) = (histogram.write_hits(u), histogram.read_hits(u));
            (u, model.cost_ns(u, &Mix { write_share, write_hits, read_hits }))
        })
        .collect();
    let best = least(&points);
    Curve { points, best }
}

/// The utilisation of the first of the least finite costs.
pub fn least(points: &[(f64, f64)]) -> Option<f64> {
    let mut least = (None, f64::INFINITY);
    for &(u, cost_ns) in points {
        if cost_ns < least.1 {
            least = (Some(u), cost_ns);
        }
    }
    least.0
}

#[cfg(test)]
mod tests {
    use super::super::cost::Tier;
    use super::*;
    use crate::base::rng::RngStream;

    const GIB: f64 = (1_u64 << 30) as f64;

    /// The SLC and the TLC of the paper in units of 8 KiB.
    fn model(data_gib: f64) -> CostModel {
        let fast = Tier {
            read_ns: 250e3,
            program_ns: 600e3,
            copyback_ns: 450e3,
            erase_ns: 1.5e6,
            units_per_block: 32.0,
            bytes: 2.0 * GIB,
        };
        let dense = Tier {
            read_ns: 350e3,
            program_ns: 2.5e6,
            copyback_ns: 2.45e6,
            erase_ns: 3e6,
            units_per_block: 384.0,
            bytes: 16.0 * GIB,
        };
        CostModel { fast, dense, data_bytes: data_gib * GIB }
    }

    /// The points whose cost is finite.
    fn finite_points(curve: &Curve) -> Vec<(f64, f64)> {
        curve.points.iter().copied().filter(|point| point.1.is_finite()).collect()
    }

    /// Accesses that favour what was written last, as strongly as `skew` says.
    fn accesses(stream: &mut RngStream, skew: u32) -> Histogram {
        let mut histogram = Histogram::new(1000);
        for _ in 0..2000 {
            let position = (0..skew).map(|_| stream.below(1500)).min();
            if stream.below(3) == 0 {
                histogram.read(position);
            } else {
                histogram.write(position);
            }
        }
        histogram
    }

    #[test]
    fn the_best_utilisation_is_that_of_the_least_cost() {
        let mut stream = RngStream::new(1, "analyser");
        for round in 0..100 {
            let histogram = accesses(&mut stream, 1 + round % 6);
            let model = model(12.0 + f64::from(stream.below(50)) / 10.0);
            let curve = best(&model, &histogram, 0.05, 0.97, 0.01);
            assert_eq!(curve.points.len(), 93);
            let mut least: Option<(f64, f64)> = None;
            for (&(u, cost_ns), percent) in curve.points.iter().zip(5..) {
                assert_eq!(u, f64::from(percent) / 100.0);
                let mix = Mix {
                    write_share: histogram.write_share(),
                    write_hits: histogram.write_hits(u),
                    read_hits: histogram.read_hits(u),
                };
                assert_eq!(cost_ns, model.cost_ns(u, &mix));
                let better = least.is_none_or(|(_, least_ns)| cost_ns < least_ns);
                least = if better && cost_ns.is_finite() { Some((u, cost_ns)) } else { least };
            }
            assert_eq!(curve.best, least.map(|(u, _)| u));
            assert_eq!(finite_points(&curve).is_empty(), curve.best.is_none());
        }
    }

    #[test]
    fn the_curve_is_finite_where_the_tiers_can_hold_the_data() {
        let curve = best(&model(16.0), &accesses(&mut RngStream::new(2, "analyser"), 3), 0.05, 0.97, 0.01);
        assert_eq!(finite_points(&curve), curve.points);
        let full = best(&model(18.0), &Histogram::new(1000), 0.05, 0.97, 0.01);
        assert_eq!((full.best, finite_points(&full)), (None, Vec::new()));
    }

    #[test]
    fn of_equal_costs_the_smallest_utilisation_is_the_best() {
        // All data fit into a tenth of the fast tier, and every access finds them there.
        let mut histogram = Histogram::new(1000);
        (0..100).for_each(|position| histogram.write(Some(position)));
        let curve = best(&model(0.2), &histogram, 0.05, 0.97, 0.01);
        assert_eq!(curve.best, Some(0.1));
        assert_eq!(curve.points[5].1, curve.points[92].1);
    }
}
