//! The dense store behind a cache: it takes what leaves the cache and cleans within its planes.

use super::answer::DeviceFull;
use super::clean::{clean_plane, pad_unprotected};
use super::config::CleanConfig;
use super::destination::Destination;
use super::io::Io;
use super::page_level;
use super::piece::Job;
use super::plane_allocator::try_planes;
use super::region::{Region, RegionSpec, Writer};
use super::relocate::{empty_block, relocate_page};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::OpId;
use serde::{Deserialize, Serialize};

/// Free blocks per plane that migration leaves to cleaning, which must win at least one more.
pub const RESERVE: u32 = 1;

/// A dense region and when it is cleaned.
#[derive(Clone, Serialize, Deserialize)]
pub struct Store {
    pub region: Region,
    clean_below: u32,
    /// Room for the reads of what is put together in it, kept from job to job.
    #[serde(skip)]
    pub(super) reads: PageReads,
}

impl Store {
    /// An empty store, cleaned as its specification says.
    pub fn new(spec: RegionSpec, io: &mut Io) -> Self {
        let clean_below = Self::threshold(&spec.clean, spec.blocks);
        Self { region: Region::new(spec, io), clean_below, reads: PageReads::default() }
    }

    /// Free blocks per plane below which a store of `blocks` blocks per plane is cleaned.
    pub fn threshold(clean: &CleanConfig, blocks: u32) -> u32 {
        clean.threshold(blocks).max(RESERVE + 1)
    }

    /// The plane that takes `pages` pages: `home`, else the roomiest.
    pub fn plane_for(&mut self, home: PlaneId, pages: u32, io: &mut Io) -> Result<PlaneId, DeviceFull> {
        if self.room(home, io) >= pages {
            return Ok(home);
        }
        let planes: Vec<PlaneId> = self.region.planes().to_vec();
        let rooms = planes.into_iter().map(|p| (self.room(p, io), std::cmp::Reverse(p))).max();
        match rooms {
            Some((room, std::cmp::Reverse(p))) if room >= pages => Ok(p),
            _ => Err(DeviceFull),
        }
    }

    /// Pages that `plane` can take, after cleaning where it is short of blocks.
    pub fn room(&mut self, plane: PlaneId, io: &mut Io) -> u32 {
        self.room_as(plane, Class::Urgent, io)
    }

    /// Pages that `plane` can take, after cleaning of `class` where it is short of blocks.
    pub fn room_as(&mut self, plane: PlaneId, class: Class, io: &mut Io) -> u32 {
        let job = Job { cause: Cause::Gc, class };
        if self.region.free_blocks(plane, io) < self.clean_below {
            clean_plane(&mut self.region, io, plane, self.clean_below, job);
        }
        let reserve = RESERVE * self.region.pages_per_block;
        self.region.room(io, plane, Writer::Host).saturating_sub(reserve)
    }

    /// The next page for host data of logical page `page`, in `home` if that has room.
    #[inline]
    pub fn host_page(&mut self, page: u32, home: Option<PlaneId>, io: &mut Io) -> Result<Ppn, DeviceFull> {
        let home = home.filter(|&plane| self.region.has(plane));
        let plane = home.unwrap_or_else(|| self.region.choose_plane(io, page));
        self.with_room(plane, io, |region, plane, io| region.take_page(io, plane, Writer::Host, RESERVE))
    }

    /// Places what logical page `page` lacks of its units in `mask`, as if it had been there before time 0.
    pub fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.region.place(page, mask, Writer::Host, io);
        let plane = self.region.choose_plane(io, page);
        let place = |region: &mut Region, plane, io: &mut Io| {
            page_level::preload(page, mask, region, plane, RESERVE, io).ok()
        };
        self.with_room(plane, io, place)
    }

    /// What `take` takes of `plane`, or of the next one where that succeeds, after cleaning where a plane
    /// is about to open a block and is short of them.
    #[inline]
    fn with_room<T>(
        &mut self,
        plane: PlaneId,
        io: &mut Io,
        take: impl Fn(&mut Region, PlaneId, &mut Io) -> Option<T>,
    ) -> Result<T, DeviceFull> {
        try_planes(
            self,
            plane,
            |store| store.region.allocator(),
            |store, plane| {
                if store.region.needs_block(plane, Writer::Host) {
                    store.room(plane, io);
                }
                Ok(take(&mut store.region, plane, io))
            },
        )
    }

    /// Moves what lives in a cache's `block` to plane `to` and erases the block; returns the pages
    /// moved. There must be room; the block goes back to its region, which is the caller's to do.
    pub fn take_in(&mut self, block: BlockId, to: PlaneId, job: Job, io: &mut Io) -> Result<u64, DeviceFull> {
        let live_pages = u64::from(io.array().live_pages(block));
        empty_block(&mut self.region, io, block, to, job, Writer::Host)?;
        pad_unprotected(&mut self.region, io, to);
        Ok(live_pages)
    }

    /// Takes in a cache's `block` in plane `home`, or in another one that has room for it.
    pub fn take_in_near(
        &mut self,
        block: BlockId,
        home: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<u64, DeviceFull> {
        let to = self.plane_for(home, io.array().live_pages(block), io)?;
        self.take_in(block, to, job, io)
    }

    /// Moves what lives in a cache's `block` to plane `to`; the block goes on being filled. Returns the
    /// pages moved; there must be room.
    pub fn take_data(&mut self, block: BlockId, to: PlaneId, job: Job, io: &mut Io) -> u64 {
        let live_pages = u64::from(io.array().live_pages(block));
        self.take_pages(io.written_pages(block), to, job, io);
        live_pages
    }

    /// Moves those of `pages` that hold live data to plane `to`, where there must be room.
    pub fn take_pages(&mut self, pages: impl Iterator<Item = Ppn>, to: PlaneId, job: Job, io: &mut Io) {
        for page in pages {
            if io.array().page_tags(page).iter().all(|&tag| tag == 0) {
                continue;
            }
            self.region.sort(io, page, Writer::Host);
            let page_to = self.region.take_page(io, to, Writer::Host, 0).expect("Invariant: there is room");
            relocate_page(&mut self.region, io, page, page_to, Writer::Host, job);
        }
        pad_unprotected(&mut self.region, io, to);
    }
}

/// The reads of a job: open addressing, at most half full.
#[derive(Clone, Default)]
pub(super) struct PageReads {
    /// Page + 1; 0 = nothing.
    keys: Vec<u32>,
    ops: Vec<OpId>,
    count: usize,
}

impl PageReads {
    /// Forgets the reads of the job before.
    pub fn clear(&mut self) {
        self.keys.fill(0);
        self.count = 0;
    }

    fn place(&self, page: Ppn) -> usize {
        let mut place = (page.0.wrapping_mul(0x9e37_79b1) >> 7) as usize & (self.keys.len() - 1);
        while self.keys[place] != 0 && self.keys[place] != page.0 + 1 {
            place = (place + 1) & (self.keys.len() - 1);
        }
        place
    }

    pub fn get(&self, page: Ppn) -> Option<OpId> {
        let place = (!self.keys.is_empty()).then(|| self.place(page))?;
        (self.keys[place] != 0).then(|| self.ops[place])
    }

    /// Notes that `op` reads `page`.
    pub fn insert(&mut self, page: Ppn, op: OpId) {
        if self.count * 2 >= self.keys.len() {
            let size = (self.keys.len() * 2).max(256);
            let keys = std::mem::replace(&mut self.keys, vec![0; size]);
            let ops = std::mem::replace(&mut self.ops, vec![OpId::NONE; size]);
            for (key, op) in keys.into_iter().zip(ops).filter(|(key, _)| *key != 0) {
                let place = self.place(Ppn(key - 1));
                (self.keys[place], self.ops[place]) = (key, op);
            }
        }
        let place = self.place(page);
        (self.keys[place], self.ops[place]) = (page.0 + 1, op);
        self.count += 1;
    }
}
