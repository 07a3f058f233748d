//! What caches of some sizes could keep from dense cells, of a trace as a run places it on its device.

use super::{opened, read_through, Progress, RunRequest, SimError};
use crate::config::resolve;
use serde_json::{json, Value};
use slcache_base::bound::Meters;
use slcache_core::device::request::{HostOp, SECTOR_BYTES};
use slcache_traces::TraceError;

fn no_room(file: &str, units: u64) -> TraceError {
    let what = format!(
        "the bound of {units} mapping units; allowed: fewer sizes at a time, or a larger device.mu_bytes"
    );
    TraceError::memory(file, what)
}

/// Reads the trace of `request` once and bounds caches of `sizes`, in mapping units: the least that is
/// programmed dense, what lives in the end kept in the cache or not. Requests count whole and in the trace's
/// order.
pub fn bounds(request: &RunRequest, sizes: &[u32], progress: &mut Progress<'_>) -> Result<Value, SimError> {
    let config = resolve(&request.layers)?;
    if sizes.is_empty() || !sizes.is_sorted() {
        let reason = "slots: must be one at least, by rising size".to_owned();
        return Err(TraceError::Refused { what: "bound", reason }.into());
    }
    let name = request.trace.name();
    let (mut source, plan) = opened(request, &config, progress)?;
    let unit_sectors = u64::from(config.device.mu_bytes) / SECTOR_BYTES;
    let slots: Vec<u32> = sizes.iter().map(|&size| size.min(Meters::SLOTS_MAX)).collect();
    let (mut meters, mut versions) = (Meters::new(&slots), 0);
    read_through(&mut source, plan, progress, |batch| {
        for request in batch {
            let (from, end) = (request.sector, request.end_sector());
            let (units, writes) = match request.op {
                HostOp::Write => (from / unit_sectors..end.div_ceil(unit_sectors), true),
                HostOp::Trim => (from.div_ceil(unit_sectors)..end / unit_sectors, false),
                HostOp::Read | HostOp::Flush => continue,
            };
            versions += if writes { units.end - units.start } else { 0 };
            meters
                .make_room(units.end, units.end.saturating_sub(units.start) as usize)
                .map_err(|_| no_room(name, units.end))?;
            meters.request(units.start as u32..units.end as u32, writes);
        }
        Ok("bound".into())
    })?;
    let size = |(size, kept): (&u32, slcache_base::bound::KeptVersions)| json!({ "slots": size, "least": versions - kept.all, "least_drained": versions - kept.died });
    let rows: Vec<Value> = sizes.iter().zip(meters.finish()).map(size).collect();
    Ok(json!({ "unit_bytes": config.device.mu_bytes, "versions": versions, "sizes": rows }))
}
