//! The cost model of a device: what the paper's tables give, taken from the configuration.

use super::config::HyssdSpec;
use super::cost::{CostModel, Tier};
use super::tiers::{Layout, Place};
use crate::hw::config::ProgramRule;
use crate::hw::device_config::DeviceConfig;

/// The mean of times that differ by page, ns.
fn mean(times_ns: &[u32]) -> f64 {
    times_ns.iter().map(|&ns| f64::from(ns)).sum::<f64>() / times_ns.len() as f64
}

/// What the operations of a tier cost for a unit of `unit_bytes`, with what the bus takes.
fn tier(place: &Place, unit_bytes: u32, device: &DeviceConfig) -> Tier {
    let pool = &device.pool[place.pool];
    let mode = pool.mode(place.mode).expect("Invariant: the configuration was checked");
    let bus = &pool.bus;
    let pages = f64::from(unit_bytes / pool.page_bytes);
    let transfer_ns = f64::from(bus.transfer_ns(pool.page_bytes));
    let at_once = match mode.program {
        ProgramRule::PerPage => 1.0,
        ProgramRule::OneShot => f64::from(place.mode.bits()),
    };
    let read_ns = mean(&mode.read_ns) + f64::from(bus.read_command_ns + bus.read_data_ns) + transfer_ns;
    let program_ns = (mean(&mode.program_ns) + f64::from(bus.program_command_ns)) / at_once + transfer_ns;
    Tier {
        read_ns: pages * read_ns,
        program_ns: pages * program_ns,
        copyback_ns: pages * (read_ns + program_ns),
        erase_ns: f64::from(mode.erase_ns) + f64::from(bus.erase_command_ns),
        units_per_block: place.block_bytes(device) as f64 / f64::from(unit_bytes),
        bytes: place.bytes(device) as f64,
    }
}

/// The model of a checked device that holds nothing.
pub fn cost_model(spec: &HyssdSpec, layout: &Layout, device: &DeviceConfig) -> CostModel {
    let unit_bytes = spec.unit_bytes(device);
    CostModel {
        fast: tier(&layout.fast, unit_bytes, device),
        dense: tier(&layout.dense, unit_bytes, device),
        data_bytes: 0.0,
    }
}
