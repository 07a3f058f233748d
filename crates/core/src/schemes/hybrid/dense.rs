//! The dense region: host pages, what is moved into it, and its cleaning, all packed into full pages.

use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::{self, compact_one, pad_unprotected, Compacted};
use crate::ftl::io::Io;
use crate::ftl::page_level;
use crate::ftl::piece::Job;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Region, RegionSpec, Writer};
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// Free blocks per plane that are left to cleaning, which must win at least one more.
pub const RESERVE: u32 = 1;

/// What was moved since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct MigrationCount {
    /// Blocks emptied.
    pub blocks: u64,
    /// Mapping units moved.
    pub units: u64,
    /// Slots left over in last pages.
    pub padded: u64,
}

impl MigrationCount {
    /// Counts an emptied block.
    pub fn count(&mut self, done: Compacted, io: &Io) {
        self.count_part(done, io);
        self.blocks += u64::from(!io.clockless());
    }

    /// Counts what was moved out of a block that is not empty yet.
    pub fn count_part(&mut self, done: Compacted, io: &Io) {
        if !io.clockless() {
            self.units += done.units;
            self.padded += done.padded;
        }
    }
}

/// A dense region and when it is cleaned.
#[derive(Clone, Serialize, Deserialize)]
pub struct Dense {
    pub region: Region,
    clean_below: u32,
    class: Class,
    #[serde(skip)]
    pub cleaned: MigrationCount,
}

impl Dense {
    /// An empty region that is cleaned where fewer than `clean_below` blocks of a plane are free.
    pub fn new(spec: RegionSpec, clean_below: u32, class: Class, io: &mut Io) -> Self {
        Self { region: Region::new(spec, io), clean_below, class, cleaned: MigrationCount::default() }
    }

    /// Free blocks per plane below which it is cleaned.
    pub fn clean_below(&self) -> u32 {
        self.clean_below
    }

    /// Slots of a page.
    pub fn slots(&self, io: &Io) -> u32 {
        self.region.full_block(io) / self.region.pages_per_block
    }

    /// Adds the figures of cleaning.
    pub fn report(&self, report: &mut SchemeReport) {
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("dense_free_blocks_min", f64::from(self.region.free_blocks_min()));
        figure("dense_blocks_cleaned", self.cleaned.blocks as f64);
        figure("cleaned_units", self.cleaned.units as f64);
    }

    /// The next page for host data of logical page `page`, and whether it makes a wordline full.
    pub fn host_page(&mut self, page: u32, io: &mut Io) -> Result<(Ppn, bool), DeviceFull> {
        let plane = self.region.choose_plane(io, page);
        try_planes(
            self,
            plane,
            |dense| dense.region.allocator(),
            |dense, plane| {
                if dense.region.needs_block(plane, Writer::Host) {
                    dense.make_room(plane, dense.clean_below, io);
                }
                let fills = dense.region.fills_wordline(plane, Writer::Host);
                let page = dense.region.take_page(io, plane, Writer::Host, RESERVE);
                Ok(page.map(|page| (page, fills)))
            },
        )
    }

    /// Cleans `plane` until `target` blocks are free or nothing more can be won; true in the first case.
    pub fn make_room(&mut self, plane: PlaneId, target: u32, io: &mut Io) -> bool {
        let mut cleaned = false;
        while self.region.free_blocks(plane, io) < target && self.clean_one(plane, io) {
            cleaned = true;
        }
        if cleaned {
            pad_unprotected(&mut self.region, io, plane);
        }
        self.region.free_blocks(plane, io) >= target
    }

    /// Cleans a block of `plane`; false if none is left by which a page can be won.
    fn clean_one(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let job = Job { cause: Cause::Gc, class: self.class };
        let Some(done) = compact_one(&mut self.region, io, plane, job) else {
            return false;
        };
        self.cleaned.count(done, io);
        true
    }

    /// The plane that takes `pages` moved pages: `home`, else the roomiest; what is left to cleaning is
    /// room only in an `emergency`.
    fn plane_for(&mut self, home: PlaneId, pages: u32, emergency: bool, io: &mut Io) -> Option<PlaneId> {
        if self.room(home, emergency, io) >= pages {
            return Some(home);
        }
        let planes = self.region.planes().to_vec();
        let rooms = planes.into_iter().map(|p| (self.room(p, emergency, io), std::cmp::Reverse(p)));
        let (room, std::cmp::Reverse(plane)) = rooms.max()?;
        (room >= pages).then_some(plane)
    }

    /// Pages that moved data can take in `plane`, after cleaning where it is short of blocks.
    fn room(&mut self, plane: PlaneId, emergency: bool, io: &mut Io) -> u32 {
        self.make_room(plane, self.clean_below, io);
        let reserve = if emergency { 0 } else { RESERVE * self.region.pages_per_block };
        self.region.room(io, plane, Writer::Clean).saturating_sub(reserve)
    }

    /// Moves what lives in a `block` of another region here and erases it; none if there is no room. The
    /// block goes back to its region, which is the caller's to do.
    pub fn take_in(&mut self, block: BlockId, emergency: bool, io: &mut Io) -> Option<Compacted> {
        let home = io.geometry().plane_of(block);
        let plane = self.plane_for(home, clean::pages_needed(io, block), emergency, io)?;
        let job = Job { cause: Cause::Migration, class: self.class };
        let done = clean::compact_block(&mut self.region, io, block, plane, Writer::Clean, job);
        pad_unprotected(&mut self.region, io, plane);
        done.ok()
    }

    /// Places what logical page `page` lacks of its units in `mask`, as if it had been there before time 0.
    pub fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.region.choose_plane(io, page);
        try_planes(
            self,
            plane,
            |dense| dense.region.allocator(),
            |dense, plane| {
                if dense.region.needs_block(plane, Writer::Host) {
                    dense.make_room(plane, dense.clean_below, io);
                }
                Ok(page_level::preload(page, mask, &mut dense.region, plane, RESERVE, io).ok())
            },
        )
    }
}
