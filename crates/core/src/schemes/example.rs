//! An SLC cache that makes room a block at a time, and only when it is full.
//!
//! **What it does.** Every write goes to the SLC region as a whole page. When a plane has no SLC
//! block left, one is emptied into the dense store and erased.
//! **Paper.** None: it is the listing of docs/howto/add-scheme.md.
//! **What the paper leaves open and what we chose.** Which block is emptied (`slc.victim`).
//! **Knobs.** None.

use super::common::cache::RECLAIM;
use super::common::cache_config::cache_config;
use super::common::tables::page_table;
use crate::base::PlaneId;
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::store::Store;
use crate::ftl::victim;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;

cache_config! {
    /// Parameters of `example`.
    pub struct ExampleConfig("example") {}
}

/// SLC cache and dense store.
#[derive(Clone)]
pub struct Example {
    slc: Region,
    store: Store,
}

impl Example {
    /// The scheme on a checked device.
    pub fn new(config: &ExampleConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let cache = config.cache();
        let slc = Region::new(cache.slc_spec(device, Pack::Page), io);
        Self { slc, store: cache.store(device, io) }
    }

    /// Empties an SLC block of `plane` into the store, if one is full.
    fn make_room(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        let Some(block) = victim::choose(&self.slc, io, plane, true) else {
            return Ok(());
        };
        let to = self.store.plane_for(plane, io.array().live_pages(block), io)?;
        self.store.take_in(block, to, RECLAIM, io)?;
        self.slc.give_back(io, block);
        Ok(())
    }
}

impl Scheme for Example {
    regions! { Cache slc, Store store.region; stateless }

    fn preload(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.store.preload(page, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.slc.choose_plane(io, piece.page);
        try_planes(
            self,
            plane,
            |scheme| scheme.slc.allocator(),
            |scheme, plane| {
                if scheme.slc.needs_block(plane, Writer::Host) && scheme.slc.free_blocks(plane, io) == 0 {
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
