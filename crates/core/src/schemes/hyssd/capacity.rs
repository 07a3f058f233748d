//! What the tiers can hold, in units, and whether that is enough.

use super::super::hybrid::DenseRule;
use super::config::HyssdSpec;
use super::tiers::{Layout, TierBlocks};
use crate::base::problem::check_range;
use crate::base::Problem;
use crate::hw::device_config::DeviceConfig;
use serde::{Deserialize, Serialize};

/// The paper's largest utilisation.
const UTILISATION_MAX: f64 = 0.97;
/// What a share given in decimal may lose in binary, units.
const TOLERANCE: f64 = 1e-6;

/// What the tiers can hold.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Capacity {
    /// Units that fill the fast tier, spare blocks included.
    pub fast_units: f64,
    /// Units that it holds at most beside its spare blocks.
    fast_usable: u64,
    /// Units that the dense tier holds at most beside its spare blocks.
    dense_usable: u64,
    /// Largest utilisation of the fast tier.
    pub utilisation_max: f64,
    /// The least that it is told to have.
    pub least: f64,
}

impl Capacity {
    /// Of tiers whose unit fits their pages.
    pub fn of(spec: &HyssdSpec, device: &DeviceConfig, layout: &Layout) -> Self {
        let unit = u64::from(spec.tiers.unit_bytes(device));
        let usable = |place: &TierBlocks, rule: &DenseRule| {
            let blocks = place.blocks.saturating_sub(spec.tiers.held_back(rule));
            u64::from(place.planes(device)) * u64::from(blocks) * place.block_bytes(device) / unit
        };
        let fast_units = layout.fast.bytes(device) as f64 / unit as f64;
        let fast_usable = usable(&layout.fast, &spec.tiers.fast);
        let possible = fast_usable as f64 / fast_units;
        let utilisation_max = spec.tiers.utilisation_max.unwrap_or(UTILISATION_MAX.min(possible));
        let least = spec.least.given.unwrap_or(spec.least.default.min(utilisation_max));
        let dense_usable = usable(&layout.dense, &spec.tiers.dense);
        Self { fast_units, fast_usable, dense_usable, utilisation_max, least }
    }

    /// Units in the fast tier at `utilisation`.
    pub fn units_at(&self, utilisation: f64) -> u32 {
        (utilisation * self.fast_units + TOLERANCE) as u32
    }

    /// Most units that the fast tier ever holds.
    pub fn units_max(&self) -> u32 {
        self.units_at(self.utilisation_max)
    }

    /// Whether both hold `units` while the fast tier holds `fast`: those of a logical page, of `slack`
    /// units, are in both for a moment.
    pub fn hold(&self, units: u64, fast: u32, slack: u32) -> bool {
        units + u64::from(slack) <= u64::from(fast) + self.dense_usable
    }

    /// Adds every problem.
    pub fn check(
        &self,
        spec: &HyssdSpec,
        device: &DeviceConfig,
        layout: &Layout,
        problems: &mut Vec<Problem>,
    ) {
        let key = |rest: &str| format!("scheme.{}.{rest}", spec.name);
        let units = spec.units(device);
        let found = problems.len();
        let (blocks, held) = (layout.fast.blocks, spec.tiers.held_back(&spec.tiers.fast));
        let fits = |units_max: u64| units_max >= 2 * u64::from(units.per_page);
        // A piece of a logical page is never what makes way for itself.
        if !fits(self.fast_usable) {
            let (key, part) = match layout.is_shared() {
                true => (key("fast_blocks"), "the fast tier"),
                false => (format!("device.pool[{}].blocks", layout.fast.pool), "a plane of the fast tier"),
            };
            let allowed = format!(
                "more: {held} blocks of {part} are held back for frontiers and cleaning, and two logical \
                 pages must fit into the others"
            );
            return problems.push(Problem::new(key, blocks, allowed));
        }
        let max = self.utilisation_max;
        if !(0.0..=1.0).contains(&max)
            || !fits(self.units_max().into())
            || u64::from(self.units_max()) > self.fast_usable
        {
            let possible = libm::floor(self.fast_usable as f64 / self.fast_units * 1e4) / 1e4;
            let allowed = format!(
                "enough for two logical pages and at most {possible}: of the fast tier's {blocks} blocks per \
                 plane {held} are held back for frontiers and cleaning"
            );
            return problems.push(Problem::new(key("utilisation_max"), max, allowed));
        }
        check_range(problems, &key("initial_utilisation"), spec.tiers.initial_utilisation, 0.0..=max);
        check_range(problems, &key(spec.least.key), self.least, 0.0..=max);
        if problems.len() == found {
            self.check_user_bytes(spec, device, layout, problems);
        }
    }

    /// Both tiers hold the user's data while the fast one has its least utilisation.
    fn check_user_bytes(
        &self,
        spec: &HyssdSpec,
        device: &DeviceConfig,
        layout: &Layout,
        problems: &mut Vec<Problem>,
    ) {
        let (units, fast) = (spec.units(device), self.units_at(self.least));
        if self.hold(u64::from(units.count), fast, units.per_page) {
            return;
        }
        let unit = u64::from(spec.tiers.unit_bytes(device));
        let most = (u64::from(fast) + self.dense_usable).saturating_sub(units.per_page.into()) * unit;
        let shared = match layout.is_shared() {
            true => format!("; fewer scheme.{}.fast_blocks leave it more", spec.name),
            false => String::new(),
        };
        let allowed = format!(
            "at most {most}: the fast tier filled to scheme.{}.{} = {}, and a dense tier of {} blocks per \
             plane, of which {} are held back for frontiers and cleaning{shared}",
            spec.name,
            spec.least.key,
            self.least,
            layout.dense.blocks,
            spec.tiers.held_back(&spec.tiers.dense)
        );
        problems.push(Problem::new("device.user_bytes", device.user_bytes, allowed));
    }
}
