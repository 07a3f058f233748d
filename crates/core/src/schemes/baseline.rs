//! A page-level SLC write cache in front of a dense store.
//!
//! **What it does.** Every write goes to the SLC region as a whole page; a partial update of data that
//! exist anywhere first reads the rest of its page. When a plane runs short of SLC blocks, the block with
//! the most invalid pages is emptied into the dense region and erased.
//! **Paper.** "A Two-level SLC Cache Hierarchy for Hybrid SSDs", section II-C and its Baseline.
//! **What the paper leaves open and what we chose.** The "GC trigger threshold of 50 %" is read as free
//! SLC blocks of a plane below half (`trigger = "free-blocks"`, MQSim's meaning of the key);
//! `trigger = "valid-share"` reads it as live pages above half of a plane's SLC blocks. Data move within
//! their plane; a dense wordline is staged in the controller until it is full (one-shot).
//! **Knobs.** `slc.start_free_ratio`.

use super::common::cache::{self, of_split, CacheConfig, Pressure, RECLAIM};
use super::common::dials::{Dial, Dials, START_FREE_RATIO};
use super::common::tables::Reclaimed;
use crate::base::{PlaneId, Problem};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::knob::KnobSpec;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::ftl::store::Store;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `baseline`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct BaselineConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
}

impl Parameters for BaselineConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.cache.check("baseline", device, problems);
    }

    of_split!(cache.split);

    fn moot(&self, key: &str) -> Option<&'static str> {
        cache::moot(key)
    }
}

/// SLC write cache and dense store.
#[derive(Clone, Serialize, Deserialize)]
pub struct Baseline {
    slc: Region,
    store: Store,
    pressure: Pressure,
    dials: Dials,
    #[serde(skip)]
    reclaimed: Reclaimed,
}

impl Baseline {
    pub fn new(config: &BaselineConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let cache = &config.cache;
        let slc = Region::new(cache.slc_spec(device, Pack::Page), io);
        Self {
            pressure: cache.pressure(cache.split.slc_blocks * slc.full_block(io)),
            dials: Dials::new([Dial::start_free_ratio(cache.slc.start_free_ratio)]),
            store: cache.split.store(device, io),
            slc,
            reclaimed: Reclaimed::default(),
        }
    }

    /// Empties SLC blocks of `plane` into the dense region until the trigger is satisfied.
    fn reclaim(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(block) = self.pressure.victim(&self.slc, plane, io) {
            let pages = self.store.take_in_near(block, plane, RECLAIM, io)?;
            self.slc.give_back(io, block);
            self.reclaimed.count(pages, io);
        }
        Ok(())
    }
}

impl Scheme for Baseline {
    const KNOBS: &'static [KnobSpec] = &[START_FREE_RATIO];

    regions! { Cache slc, Store store.region; dials dials => |scheme| scheme.pressure.follow(&scheme.dials) }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, mask, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.slc.choose_plane(io, piece.page);
        try_planes(
            self,
            plane,
            |scheme| scheme.slc.allocator(),
            |scheme, plane| {
                if scheme.slc.needs_block(plane, Writer::Host) {
                    scheme.reclaim(plane, io)?;
                }
                Ok(page_level::write(&piece, &mut scheme.slc, plane, 0, io).ok())
            },
        )
    }

    fn report(&self, io: &Io) -> SchemeReport {
        self.reclaimed.report("baseline", &self.slc, &self.store, io)
    }
}
