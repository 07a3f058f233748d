//! The cost model of a device: what the paper's tables give, taken from the configuration.

use super::config::HyssdSpec;
use super::cost::{CostModel, Tier};
use super::fixed::HyssdStaticConfig;
use super::tiers::{Layout, TierBlocks};
use crate::base::Problem;
use crate::hw::config::ProgramRule;
use crate::hw::device_config::DeviceConfig;

/// The mean of times that differ by page, ns.
fn mean(times_ns: &[u32]) -> f64 {
    times_ns.iter().map(|&ns| f64::from(ns)).sum::<f64>() / times_ns.len() as f64
}

/// What the operations of a tier cost for a unit of `unit_bytes`, with what the bus takes. A unit that
/// shares a page bears its part of what moves the page; to be read, it takes the page's whole time.
fn tier(place: &TierBlocks, unit_bytes: u32, device: &DeviceConfig) -> Tier {
    let pool = &device.pool[place.pool];
    let mode = pool.mode(place.mode).expect("Invariant: the configuration was checked");
    let bus = &pool.bus;
    let pages = f64::from(unit_bytes) / f64::from(pool.page_bytes);
    let at_once = match mode.program {
        ProgramRule::PerPage => 1.0,
        ProgramRule::OneShot => f64::from(place.mode.bits()),
    };
    let transfer_ns = f64::from(bus.transfer_ns(unit_bytes.min(pool.page_bytes)));
    let read_ns = mean(&mode.read_ns) + f64::from(bus.read_command_ns + bus.read_data_ns);
    let program_ns = (mean(&mode.program_ns) + f64::from(bus.program_command_ns)) / at_once
        + f64::from(bus.transfer_ns(pool.page_bytes));
    let page_read_ns = read_ns + f64::from(bus.transfer_ns(pool.page_bytes));
    let copyback_ns = mode.copyback_ns.map_or(page_read_ns + program_ns, f64::from);
    Tier {
        read_ns: pages.max(1.0) * (read_ns + transfer_ns),
        program_ns: pages * program_ns,
        copyback_ns: pages * copyback_ns,
        erase_ns: f64::from(mode.erase_ns) + f64::from(bus.erase_command_ns),
        units_per_block: place.block_bytes(device) as f64 / f64::from(unit_bytes),
        bytes: place.bytes(device) as f64,
    }
}

/// The model of a checked device that holds nothing.
pub fn cost_model(spec: &HyssdSpec, layout: &Layout, device: &DeviceConfig) -> CostModel {
    let unit_bytes = spec.tiers.unit_bytes(device);
    CostModel {
        fast: tier(&layout.fast, unit_bytes, device),
        dense: tier(&layout.dense, unit_bytes, device),
        data_bytes: 0.0,
    }
}

impl HyssdStaticConfig {
    /// The cost model of a checked device of which every logical page is written.
    pub fn cost_model(&self, device: &DeviceConfig) -> Result<CostModel, Problem> {
        let spec = self.spec();
        let data_bytes = device.user_bytes as f64;
        Ok(CostModel { data_bytes, ..cost_model(&spec, &spec.layout(device)?, device) })
    }
}
