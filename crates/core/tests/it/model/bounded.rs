//! No scheme programs less to dense cells than what its cache cannot keep from birth to death.

use serde_json::Value;
use slcache_base::bound::Meters;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::Setup;
use slcache_core::metrics::report::{Report, SlotRow};

/// How versions come to dense cells for the first time. Cleaning moves them among those, padding is none.
const FIRST: [&str; 5] = ["host", "flush", "rmw", "migration", "agc"];
/// Pages of an SLC block turn dense where they lie, or the home of the data is a disk.
const NO_BOUND: [&str; 3] = ["ips", "ips-agc", "ips-coop"];

/// Slots of the controller's memory in which versions can die: the DRAM buffer, merged and packed writes.
fn memory_slots(setup: &Setup) -> u64 {
    let page_slots = u64::from(setup.device.piece_bytes() / setup.device.mu_bytes);
    let buffer = setup.buffer.as_ref().map_or(0, |buffer| buffer.bytes);
    let config = serde_json::to_value(&setup.scheme).unwrap();
    let merged = config.pointer(&format!("/{}/merge/buffer_bytes", setup.scheme.name()));
    let bytes = buffer + merged.and_then(Value::as_u64).unwrap_or(0);
    // A page and a wordline of packed writes.
    bytes.div_ceil(u64::from(setup.device.mu_bytes)) + 5 * page_slots
}

/// Most versions that `slots` can keep, and how many there are.
fn kept(requests: &[Request], slots: u64, setup: &Setup) -> (u64, u64) {
    let sectors = u64::from(setup.device.mu_bytes) / 512;
    let (mut meters, mut versions) = (Meters::new(&[slots as u32]), 0);
    for request in requests {
        let (first, end) = (request.sector, request.end_sector());
        let units = match request.op {
            HostOp::Write => first / sectors..end.div_ceil(sectors),
            HostOp::Trim => first.div_ceil(sectors)..end / sectors,
            HostOp::Read | HostOp::Flush => continue,
        };
        let units: Vec<u32> = units.map(|unit| unit as u32).collect();
        let writes = request.op == HostOp::Write;
        versions += if writes { units.len() as u64 } else { 0 };
        meters.request(&units, writes);
    }
    (meters.finish()[0].all, versions)
}

/// Holds what was programmed for `requests`, which the device took in this order, against what could be
/// kept. None where no bound holds, else both.
pub fn check(report: &Report, requests: &[Request], setup: &Setup, on_disk: bool) -> Option<(u64, u64)> {
    if on_disk || NO_BOUND.contains(&setup.scheme.name()) {
        return None;
    }
    let cache = report.cache.slc_bytes;
    let slots = cache / u64::from(setup.device.mu_bytes) + memory_slots(setup);
    let counts = |row: &&SlotRow| (cache == 0 || row.mode != "slc") && FIRST.contains(&row.cause);
    let dense = report.flash.slots.iter().filter(counts).map(|row| row.count).sum();
    let (kept, versions) = kept(requests, slots, setup);
    let (least, name) = (versions - kept, setup.scheme.name());
    assert!(
        dense >= least,
        "{name}: {dense} dense slots of {versions} versions, {least} at least in {slots}"
    );
    Some((dense, least))
}
