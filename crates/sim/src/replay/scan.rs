//! The first pass over a trace, for what must be known before time 0.

use super::address::{AddressMapper, Namespaces};
use super::source::TraceSource;
use super::{Plan, Progress, SimError};
use crate::config::RunConfig;
use slcache_core::device::request::{HostOp, Request, SECTOR_BYTES};
use slcache_core::ftl::oracle::Foresight;
use slcache_traces::{PageSet, StreamEnds};

/// The unit in which a trace's footprint is counted.
const FOOTPRINT_BYTES: u64 = 4096;

/// The distinct 4 KiB units that a trace reads or writes.
#[derive(Default)]
pub struct Footprint(PageSet);

impl Footprint {
    pub fn add(&mut self, batch: &[Request]) {
        for request in batch {
            touch(&mut self.0, request, FOOTPRINT_BYTES / SECTOR_BYTES);
        }
    }

    pub fn bytes(&self) -> u64 {
        self.0.len().saturating_mul(FOOTPRINT_BYTES)
    }
}

/// Adds the pages that a request reads or writes; trims and flushes touch nothing.
#[inline]
fn touch(set: &mut PageSet, request: &Request, page_sectors: u64) {
    if matches!(request.op, HostOp::Read | HostOp::Write) {
        set.insert(request.sector / page_sectors, request.end_sector().div_ceil(page_sectors));
    }
}

/// Where the trace's volumes lie, each behind the one before at a multiple of `piece_bytes`.
pub fn volume_places(
    source: &mut TraceSource,
    piece_bytes: u32,
    progress: &mut Progress<'_>,
) -> Result<Namespaces, SimError> {
    let mut ends = StreamEnds::default();
    while let Some(batch) = source.next()? {
        batch.iter().for_each(|request| ends.add(request));
        source.report("scan", progress)?;
    }
    Ok(Namespaces::side_by_side(&ends, piece_bytes)?)
}

/// The parts of `grain_bytes` of the address space that the trace touches, after `mapper`
/// if there is one, and the footprint before it.
pub fn touched(
    source: &mut TraceSource,
    grain_bytes: u32,
    mut mapper: Option<AddressMapper>,
    progress: &mut Progress<'_>,
) -> Result<(PageSet, Footprint), SimError> {
    let grain_sectors = u64::from(grain_bytes) / SECTOR_BYTES;
    let mut set = PageSet::default();
    let mut footprint = Footprint::default();
    while let Some(mut batch) = source.next()? {
        footprint.add(&batch);
        if let Some(mapper) = &mut mapper {
            mapper.apply(&mut batch)?;
        }
        for request in &batch {
            touch(&mut set, request, grain_sectors);
        }
        source.report("scan", progress)?;
    }
    Ok((set, footprint))
}

/// A trace of which more would have to be known than can be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "scheme {scheme} can know {} writes to logical pages, and the trace has more; allowed: a part of it \
     (trace_options, slcache trace convert), or larger pages",
    Foresight::STEPS_MAX
)]
pub struct TooLong {
    pub scheme: &'static str,
}

/// What the trace does to the device of `config`, if its scheme looks ahead; `plan` says where its requests
/// go. Each write to a logical page takes 4 bytes, and each page of the device 8.
pub fn foresight(
    source: &mut TraceSource,
    plan: &mut Plan,
    config: &RunConfig,
    progress: &mut Progress<'_>,
) -> Result<Foresight, SimError> {
    let pages = config.device.user_bytes / u64::from(config.device.piece_bytes());
    let mut foresight = Foresight::new(pages as u32, config.device.piece_bytes());
    while let Some(mut batch) = source.next()? {
        plan.mapper.apply(&mut batch)?;
        batch.iter().for_each(|request| foresight.add(request));
        if foresight.steps() > Foresight::STEPS_MAX {
            return Err(TooLong { scheme: config.scheme.name() }.into());
        }
        source.report("scan", progress)?;
    }
    plan.mapper.begin_again();
    Ok(foresight)
}
