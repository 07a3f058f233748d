//! An SLC cache whose pages may hold mapping units of several logical pages, managed as one region
//! in front of a dense store: what `sa` and `sector` have in common.

use super::cache::{CacheConfig, Pressure, RECLAIM};
use super::census::{Cached, Census};
use super::dials::{Dial, Dials, MERGE_TIMEOUT};
use super::tables::Reclaimed;
use crate::base::{PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::MergeConfig;
use crate::ftl::gather::{self, Gather};
use crate::ftl::io::Io;
use crate::ftl::merge::Merger;
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::{oldest_first, Picks};
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, Writer};
use crate::ftl::store::Store;
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::{OpId, RequestId};
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// Cache, store and the rules by which pieces wait.
#[derive(Clone, Serialize, Deserialize)]
pub struct MixedCache {
    pub slc: Region,
    pub store: Store,
    /// The waiting rules.
    pub merger: Merger,
    /// What of the data lies in the cache.
    pub census: Census,
    pressure: Pressure,
    /// Slots of a page.
    pub slots: u32,
    #[serde(skip)]
    merged_pages: u64,
    #[serde(skip)]
    merged_units: u64,
    #[serde(skip)]
    reclaimed: Reclaimed,
}

impl MixedCache {
    /// An empty cache on a checked device.
    pub fn new(spec: &CacheConfig, merge: &MergeConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let slc = Region::new(spec.slc_spec(device, Pack::Mu), io);
        let store = spec.split.store(device, io);
        Self {
            pressure: spec.pressure(slc.full_block(io) * spec.split.slc_blocks),
            merger: Merger::new(merge, io.geometry().mu_bytes),
            census: Census::new(slc.id()),
            slots: slc.full_block(io) / slc.pages_per_block,
            slc,
            store,
            merged_pages: 0,
            merged_units: 0,
            reclaimed: Reclaimed::default(),
        }
    }

    /// The dials of such a cache: `slc.start_free_ratio` and `merge.timeout_ns`.
    pub fn dials(spec: &CacheConfig, merge: &MergeConfig) -> [Dial; 2] {
        [Dial::start_free_ratio(spec.slc.start_free_ratio), Dial::merge_timeout(merge)]
    }

    /// Takes over what those dials say.
    pub fn follow(&mut self, dials: &Dials) {
        self.pressure.follow(dials);
        self.merger.set_timeout_ns(dials.count(&MERGE_TIMEOUT));
    }

    /// The next page of the cache for data of logical page `page`.
    fn take_page(&mut self, page: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        let plane = self.slc.choose_plane(io, page);
        try_planes(
            self,
            plane,
            |cache| cache.slc.allocator(),
            |cache, plane| {
                if cache.slc.needs_block(plane, Writer::Host) {
                    cache.reclaim(plane, io)?;
                }
                Ok(cache.slc.take_page(io, plane, Writer::Host, 0))
            },
        )
    }

    /// Writes a piece as a page of its own, reading first what the page must keep.
    pub fn write_page(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let to = self.take_page(piece.page, io)?;
        let before = self.census.of(&[piece.page], io);
        page_level::write_to(piece, &mut self.slc, to, io);
        self.census.change(before, &[piece.page], io);
        Ok(())
    }

    /// Writes a piece that fills a page alone as if it had been held before; false if it has to be.
    pub fn write_alone(&mut self, piece: &Piece, io: &mut Io) -> Result<bool, DeviceFull> {
        let n = io.policy().mus_per_page;
        if self.slots != n || !piece.is_full(n) || !self.merger.lets_pass(io) {
            return Ok(false);
        }
        self.merger.arm_for_new(io);
        self.write_page(piece, io)?;
        self.merged_pages += u64::from(!io.clockless());
        self.merged_units += if io.clockless() { 0 } else { u64::from(n) };
        Ok(true)
    }

    /// Programs held pieces as one page; `request`, if there is one, waits for it.
    pub fn program(
        &mut self,
        picks: &Picks,
        carry: Carry,
        request: RequestId,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let pages = picks.pages(io.held());
        let pages = &pages[..picks.list().len()];
        let to = self.take_page(pages[0], io)?;
        let before = self.census.of(pages, io);
        mixed::program(picks, carry, &mut self.slc, to, (request, OpId::NONE), io);
        self.census.change(before, pages, io);
        self.merged_pages += u64::from(!io.clockless());
        self.merged_units += if io.clockless() { 0 } else { u64::from(picks.units()) };
        Ok(())
    }

    /// Programs the oldest pieces until `piece` fits the buffer.
    pub fn make_buffer_room(&mut self, piece: &Piece, carry: Carry, io: &mut Io) -> Result<(), DeviceFull> {
        while !self.merger.has_room(piece, io) {
            let Some(picks) = oldest_first(io.held(), self.slots) else {
                break;
            };
            self.program(&picks, carry, self.merger.causer(piece), io)?;
        }
        Ok(())
    }

    /// Empties SLC blocks of `plane` into the store until the trigger is satisfied: a page of the
    /// store for each logical page with a part in the victim, all its parts brought together.
    fn reclaim(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(block) = self.pressure.victim(&self.slc, plane, io) {
            let gathered =
                gather::empty_block(&mut self.store, io, block, RECLAIM, Gather::All, &self.census.mixed)?;
            self.slc.give_back(io, block);
            self.census.left(Cached { fragments: gathered.fragments, units: gathered.units });
            self.reclaimed.count(gathered.pages, io);
        }
        Ok(())
    }

    /// Forgets mapping units that the host declared unused.
    pub fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.census.trim(first, end, io);
    }

    /// The figures of the cache and the merging.
    pub fn report(&self, name: &str, io: &Io) -> SchemeReport {
        debug_assert_eq!(self.census.audit(io), Ok(()), "Invariant: every change of the cache is booked");
        let mut report = self.reclaimed.report(name, &self.slc, &self.store, io);
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("merged_pages", self.merged_pages as f64);
        figure("merged_units", self.merged_units as f64);
        report
    }
}
