//! The analytic models of the schemes, to be asked without a simulation.

use crate::{resolve, ConfigErrors, DeviceSource, Layers};
use slcache_core::schemes::hyssd::analyser::least;
pub use slcache_core::schemes::hyssd::cost::{victim_utilisation, CostModel, Mix, Tier};
pub use slcache_core::schemes::nvc::lifespan::{Chip, First, Lifespan, Volumes};
use slcache_core::schemes::SchemeConfig;

/// The cost model of `device`, a preset or a file, every logical page of which is written; its tiers are
/// those of `hyssd-static` with the settings `sets`.
pub fn hyssd_model(device: DeviceSource, sets: Vec<String>) -> Result<CostModel, ConfigErrors> {
    let layers = Layers { device, scheme: "hyssd-static".into(), sets, ..Layers::default() };
    let config = resolve(&layers)?;
    let SchemeConfig::HyssdStatic(scheme) = &config.scheme else {
        unreachable!("Invariant: the scheme is the one that was asked for")
    };
    scheme.cost_model(&config.device).map_err(|problem| ConfigErrors::from_problems(&[problem]))
}

/// What the cost model of HySSD says of some utilisations of the fast tier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// An access, ns.
    pub cost_ns: Vec<f64>,
    pub write_ns: Vec<f64>,
    pub read_ns: Vec<f64>,
    /// Utilisation of the dense tier.
    pub dense_utilisation: Vec<f64>,
    /// The first utilisation of the least cost; none where none is finite.
    pub best: Option<f64>,
}

/// Asks `model` for each utilisation, with the hits at it.
pub fn hyssd_costs(model: &CostModel, utilisation: &[f64], mixes: &[Mix]) -> Costs {
    let mut costs = Costs::default();
    for (&u, mix) in utilisation.iter().zip(mixes) {
        costs.cost_ns.push(model.cost_ns(u, mix));
        costs.write_ns.push(model.write_ns(u, mix.write_hits));
        costs.read_ns.push(model.read_ns(mix.read_hits));
        costs.dense_utilisation.push(model.dense_utilisation(u));
    }
    let points: Vec<(f64, f64)> = utilisation.iter().copied().zip(costs.cost_ns.iter().copied()).collect();
    costs.best = least(&points);
    costs
}
