//! The dense regions that share what blocks are left: the user's data have their place there, and they are
//! cleaned together.

use crate::base::op::{Cause, Class};
use crate::base::PlaneId;
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::{clean_block, pad_unprotected};
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Region, Writer};
use crate::ftl::store::RESERVE;
use crate::ftl::{page_level, victim};
use serde::{Deserialize, Serialize};

/// All regions of a scheme, of which some share their blocks.
#[derive(Clone, Serialize, Deserialize)]
pub struct Shelf {
    /// The regions in the policy's order.
    pub regions: Vec<Region>,
    /// Whether each shares its blocks.
    pub shared: Vec<bool>,
    /// Free blocks per plane below which the shared ones are cleaned.
    pub clean_below: u32,
}

impl Shelf {
    /// Where the user's data are placed before time 0: the last of the shared regions.
    pub fn home(&self) -> usize {
        self.shared.iter().rposition(|&shared| shared).expect("Invariant: the configuration was checked")
    }

    /// Free blocks of `plane` that a write to `region` leaves to cleaning.
    pub fn reserve(&self, region: usize) -> u32 {
        if self.shared[region] {
            RESERVE
        } else {
            0
        }
    }

    /// Pages that `plane` of `region` can take, after cleaning of `class` where it is short of blocks.
    pub fn room(&mut self, region: usize, plane: PlaneId, class: Class, io: &mut Io) -> u32 {
        self.tidy(region, plane, class, io);
        self.space(region, plane, Writer::Host, io)
    }

    /// Pages that `writer` can program in `plane` of `region` as it is. What stays in its region may have
    /// the blocks that are kept for cleaning: the block it leaves comes back.
    pub fn space(&self, region: usize, plane: PlaneId, writer: Writer, io: &Io) -> u32 {
        let of = &self.regions[region];
        let kept = if writer == Writer::Host { self.reserve(region) } else { 0 };
        of.room(io, plane, writer).saturating_sub(kept * of.pages_per_block)
    }

    /// Cleans `plane` of `region` in `class` if it shares its blocks and is short of them. Blocks of any region
    /// that shares them may be erased by it.
    pub fn tidy(&mut self, region: usize, plane: PlaneId, class: Class, io: &mut Io) {
        if self.shared[region] && self.regions[region].free_blocks(plane, io) < self.clean_below {
            self.clean(region, plane, Job { cause: Cause::Gc, class }, io);
        }
    }

    /// Cleans `plane` until there are free blocks enough, or nothing more can be won.
    fn clean(&mut self, region: usize, plane: PlaneId, job: Job, io: &mut Io) {
        while self.regions[region].free_blocks(plane, io) < self.clean_below {
            let Some(victim) = self.with_victim(plane, io) else {
                break;
            };
            if !clean_block(&mut self.regions[victim], io, plane, 1, job) {
                break;
            }
        }
        for (region, _) in self.regions.iter_mut().zip(&self.shared).filter(|(_, &shared)| shared) {
            pad_unprotected(region, io, plane);
        }
    }

    /// The shared region whose next victim in `plane` has the least live data.
    fn with_victim(&self, plane: PlaneId, io: &mut Io) -> Option<usize> {
        let mut shared = (0..self.regions.len()).filter(|&region| self.shared[region]);
        let first = shared.next();
        if shared.next().is_none() {
            return first;
        }
        let mut best = None;
        for region in (0..self.regions.len()).filter(|&region| self.shared[region]) {
            if let Some(block) = victim::choose(&self.regions[region], io, plane, false) {
                let live = io.array().live_pages(block);
                if best.is_none_or(|(least, _)| live < least) {
                    best = Some((live, region));
                }
            }
        }
        best.map(|(_, region)| region)
    }

    /// The plane of `region` that takes `pages` pages: `home` as it is, else the roomiest other one, cleaned
    /// where it is short of blocks; none if none does.
    pub fn plane_for(&mut self, region: usize, home: PlaneId, pages: u32, io: &mut Io) -> Option<PlaneId> {
        if self.space(region, home, Writer::Host, io) >= pages {
            return Some(home);
        }
        let planes: Vec<PlaneId> = self.regions[region].planes().to_vec();
        let others = planes.into_iter().filter(|&plane| plane != home);
        let rooms = others.map(|p| (self.room(region, p, Class::Urgent, io), std::cmp::Reverse(p)));
        rooms.max().filter(|&(room, _)| room >= pages).map(|(_, std::cmp::Reverse(plane))| plane)
    }

    /// Places what logical page `page` lacks of its units in `mask`, as if it had been there before time 0.
    pub fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let home = self.home();
        let plane = self.regions[home].choose_plane(io, page);
        try_planes(
            self,
            plane,
            |shelf| shelf.regions[home].allocator(),
            |shelf, plane| {
                if shelf.regions[home].needs_block(plane, Writer::Host) {
                    shelf.room(home, plane, Class::Urgent, io);
                }
                Ok(page_level::preload(page, mask, &mut shelf.regions[home], plane, RESERVE, io).ok())
            },
        )
    }
}
