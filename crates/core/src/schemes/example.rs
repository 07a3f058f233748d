//! An SLC cache that makes room a block at a time.
//!
//! **What it does.** Every write goes to the SLC region as a whole page. When a plane is about to open
//! an SLC block and is short of free ones, one is emptied into the dense store and erased.
//! **Paper.** None: it is the listing of CONTRIBUTING.md.
//! **What the paper leaves open and what we chose.** Which block is emptied (`slc.victim`).
//! **Knobs.** `slc.start_free_blocks`.

use super::common::cache::{self, CacheConfig, RECLAIM};
use super::common::dials::{Dial, Dials};
use super::common::tables::page_table;
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
use crate::ftl::victim;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `example`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ExampleConfig {
    /// What every page-level cache has.
    #[serde(flatten)]
    pub cache: CacheConfig,
}

impl Parameters for ExampleConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.cache.check("example", device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        self.cache.split.settle(device);
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        cache::moot(key)
    }
}

/// When room is made.
const START_FREE_BLOCKS: KnobSpec = KnobSpec {
    name: "slc.start_free_blocks",
    unit: "blocks per plane",
    summary: "the more, the earlier room is made",
};

/// SLC cache and dense store.
#[derive(Clone, Serialize, Deserialize)]
pub struct Example {
    slc: Region,
    store: Store,
    dials: Dials,
}

impl Example {
    pub fn new(config: &ExampleConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let cache = &config.cache;
        let slc = Region::new(cache.slc_spec(device, Pack::Page), io);
        let start = cache.slc.start_free_blocks.min(cache.split.slc_blocks);
        let dials = Dials::new([Dial::whole(&START_FREE_BLOCKS, 1, cache.split.slc_blocks, start)]);
        Self { slc, store: cache.split.store(device, io), dials }
    }

    /// Whether `plane` has fewer free SLC blocks than there should be.
    fn is_short(&self, plane: PlaneId, io: &Io) -> bool {
        u64::from(self.slc.free_blocks(plane, io)) < self.dials.count(&START_FREE_BLOCKS)
    }

    /// Empties an SLC block of `plane` into the store, if one is full.
    fn make_room(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        let Some(block) = victim::choose(&self.slc, io, plane, true) else {
            return Ok(());
        };
        self.store.take_in_near(block, plane, RECLAIM, io)?;
        self.slc.give_back(io, block);
        Ok(())
    }
}

impl Scheme for Example {
    const KNOBS: &'static [KnobSpec] = &[START_FREE_BLOCKS];

    regions! { Cache slc, Store store.region; dials dials }

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
                if scheme.slc.needs_block(plane, Writer::Host) && scheme.is_short(plane, io) {
                    scheme.make_room(plane, io)?;
                }
                Ok(page_level::write(&piece, &mut scheme.slc, plane, 0, io).ok())
            },
        )
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "example".into(), ..SchemeReport::default() };
        report.tables.push(page_table(io));
        report
    }
}
