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
            let u = u_min + f64::from(number) * step;
            let (write_hits, read_hits) = (histogram.write_hits(u), histogram.read_hits(u));
            (u, model.cost_ns(u, &Mix { write_share, write_hits, read_hits }))
        })
        .collect();
    let mut least = (None, f64::INFINITY);
    for &(u, cost_ns) in &points {
        if cost_ns < least.1 {
            least = (Some(u), cost_ns);
        }
    }
    Curve { points, best: least.0 }
}
