//! What caches of some sizes could keep from dense cells, of a trace as a run places it on its device.

use super::{opened, read_through, Progress, RunRequest, SimError};
use crate::config::{resolve, RunConfig};
use crate::device_facts::{CacheCells, Counts};
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::bound::{KeptVersions, Meters};
use slcache_core::device::request::{HostOp, SECTOR_BYTES};
use slcache_traces::{SizeBound, TraceError};

fn no_room(file: &str, units: u64) -> TraceError {
    let what = format!(
        "the bound of {units} mapping units; allowed: fewer sizes at a time, or a larger device.mu_bytes"
    );
    TraceError::memory(file, what)
}

/// What caches of some sizes, in mapping units, cannot keep from dense cells.
#[derive(Serialize)]
pub struct RunBounds {
    pub unit_bytes: u32,
    /// Units written.
    pub versions: u64,
    pub sizes: Vec<SlotsBound>,
}

#[derive(Serialize)]
pub struct SlotsBound {
    pub slots: u32,
    /// Units programmed dense at least.
    pub least: u64,
    /// The same where the cache is emptied at the end.
    pub least_drained: u64,
}

/// The bound of a trace for SLC caches of a device.
#[derive(Serialize, JsonSchema)]
pub struct DeviceBound {
    pub unit_bytes: u32,
    /// Units written, each as often as it was.
    pub versions: u64,
    /// Units of the DRAM buffer, which counts as cache beside the size.
    pub buffer_slots: u32,
    /// The least that a unit takes.
    pub unit_program_ns: UnitPrograms,
    /// By size, rising.
    pub sizes: Vec<CacheBound>,
}

#[derive(Serialize, JsonSchema)]
pub struct UnitPrograms {
    pub slc: f64,
    /// In the fastest other mode.
    pub dense: f64,
}

/// The bound of a cache of one size, the buffer not counted in it.
#[derive(Serialize, JsonSchema)]
pub struct CacheBound {
    #[serde(flatten)]
    pub kept: SizeBound,
    pub blocks_per_plane: f64,
    /// The least time of programs, summed over the arrays.
    pub program_ns_least: Option<f64>,
    /// The least share of the life of a block, summed over the blocks; none where endurance is not known.
    pub block_lives_least: Option<f64>,
}

/// Bounds caches of `slots`, rising numbers of mapping units.
pub fn bounds(
    request: &RunRequest,
    slots: &[u32],
    progress: &mut Progress<'_>,
) -> Result<RunBounds, SimError> {
    let config = resolve(&request.layers)?;
    let (versions, kept) = counted(request, &config, slots, progress)?;
    let row = |(&slots, kept): (&u32, KeptVersions)| SlotsBound {
        slots,
        least: versions - kept.all,
        least_drained: versions - kept.died,
    };
    let sizes = slots.iter().zip(kept).map(row).collect();
    Ok(RunBounds { unit_bytes: config.device.mu_bytes, versions, sizes })
}

/// Bounds caches of `sizes`, rising bytes, beside the DRAM buffer of the device.
pub fn device_bounds(
    request: &RunRequest,
    sizes: &[u64],
    progress: &mut Progress<'_>,
) -> Result<DeviceBound, SimError> {
    let config = resolve(&request.layers)?;
    let cells = CacheCells::of(&config)?;
    let buffer = cells.buffer_slots;
    let slots_of = |&bytes: &u64| buffer.saturating_add((bytes / u64::from(cells.unit_bytes)) as u32);
    let slots: Vec<u32> = [buffer].into_iter().chain(sizes.iter().map(slots_of)).collect();
    let (versions, kept) = counted(request, &config, &slots, progress)?;
    let in_buffer = kept.first().map_or(0, |kept| kept.all);
    let row = |(&bytes, kept): (&u64, &KeptVersions)| {
        let (program_ns_least, block_lives_least) =
            cells.least(&Counts { versions, kept: kept.all, in_buffer });
        CacheBound {
            kept: SizeBound::new(bytes, versions, *kept),
            blocks_per_plane: bytes as f64 / cells.row_bytes as f64,
            program_ns_least,
            block_lives_least,
        }
    };
    Ok(DeviceBound {
        unit_bytes: cells.unit_bytes,
        versions,
        buffer_slots: buffer,
        unit_program_ns: UnitPrograms { slc: cells.slc.program_ns, dense: cells.dense.program_ns },
        sizes: sizes.iter().zip(kept.iter().skip(1)).map(row).collect(),
    })
}

/// Reads the trace of `request` once: the versions that it writes, and those that caches of so many units keep.
/// Requests count whole and in the trace's order.
fn counted(
    request: &RunRequest,
    config: &RunConfig,
    slots: &[u32],
    progress: &mut Progress<'_>,
) -> Result<(u64, Vec<KeptVersions>), SimError> {
    if slots.is_empty() || !slots.is_sorted() {
        let reason = "slots: must be one at least, by rising size".to_owned();
        return Err(TraceError::Refused { what: "bound", reason }.into());
    }
    let name = request.trace.name();
    let (mut source, plan) = opened(request, config, progress)?;
    let unit_sectors = u64::from(config.device.mu_bytes) / SECTOR_BYTES;
    let slots: Vec<u32> = slots.iter().map(|&size| size.min(Meters::SLOTS_MAX)).collect();
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
    Ok((versions, meters.finish()))
}
