//! Emptying a block as a policy said: its data move, then it is erased.

use super::{Custom, Reclaim, View, Whither};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::io::Io;
use crate::ftl::job::Job;
use crate::ftl::region::{Region, Writer};
use crate::ftl::relocate::{empty_block, erase_block, relocate_page};
use crate::ftl::store::RESERVE;
use crate::ftl::victim;

/// What emptying a block came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// It was emptied, or data left it.
    Block,
    /// There is none to be emptied.
    Nothing,
    /// Its data have no room where they are to go.
    NoRoom,
}

impl Custom {
    /// Empties what a policy said, in `plane`.
    pub(super) fn empty(
        &mut self,
        what: &Reclaim,
        plane: PlaneId,
        class: Class,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        if what.to == Whither::Region(what.region) {
            let name = &self.names[what.region];
            return Err(self.fail(format!("a block of \"{name}\" cannot be emptied into \"{name}\" itself")));
        }
        if !self.shelf.regions[what.region].has(plane) {
            return Ok(Emptied::Nothing);
        }
        let job = Job { cause: Cause::Migration, class };
        let Some(block) = self.victim(what, plane, io)? else {
            return match what.open {
                true => self.empty_open(what, plane, job, io),
                false => Ok(Emptied::Nothing),
            };
        };
        match what.to {
            Whither::Region(to) => self.move_all(what.region, block, to, plane, job, io),
            Whither::Each => self.move_each(what.region, block, plane, job, io),
        }
    }

    /// The block that is emptied: the one named, if it can be, or the next one by the region's rule.
    fn victim(&self, what: &Reclaim, plane: PlaneId, io: &mut Io) -> Result<Option<BlockId>, DeviceFull> {
        let region = &self.shelf.regions[what.region];
        let Some(block) = what.block else {
            return Ok(victim::choose(region, io, plane, true));
        };
        let fits = block.index() < io.geometry().block_numbers()
            && io.geometry().plane_of(block) == plane
            && View::new(&self.shelf.regions, io, Some(plane)).is_closed(what.region, block);
        match fits {
            true => Ok(Some(block)),
            false => Err(self.fail(format!(
                "block {} is no full block of \"{}\" in plane {}; view.closed_blocks lists those",
                block.0, self.names[what.region], plane.0
            ))),
        }
    }

    /// The plane of `to` for `pages` pages out of `plane`; a pause moves nothing to another one.
    fn plane_of(
        &mut self,
        to: usize,
        plane: PlaneId,
        pages: u32,
        class: Class,
        io: &mut Io,
    ) -> Option<PlaneId> {
        match class {
            Class::Urgent => self.shelf.plane_for(to, plane, pages, io),
            _ => (self.shelf.room(to, plane, class, io) >= pages).then_some(plane),
        }
    }

    fn move_all(
        &mut self,
        from: usize,
        block: BlockId,
        to: usize,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        let live_pages = io.array().live_pages(block);
        let Some(plane) = self.plane_of(to, plane, live_pages, job.class, io) else {
            return Ok(Emptied::NoRoom);
        };
        empty_block(&mut self.shelf.regions[to], io, block, plane, job, Writer::Host)?;
        pad_unprotected(&mut self.shelf.regions[to], io, plane);
        self.give_back(from, block, live_pages, io);
        Ok(Emptied::Block)
    }

    /// The pages of `block` up to where it was written that hold live data.
    fn live_pages(block: BlockId, io: &Io) -> Vec<Ppn> {
        let first = io.geometry().page(block, 0).0;
        let pages = (first..first + io.array().block(block).write_ptr()).map(Ppn);
        pages.filter(|&page| io.array().page_tags(page).iter().any(|&tag| tag != 0)).collect()
    }

    /// Moves each logical page to the region that the policy says.
    fn move_each(
        &mut self,
        from: usize,
        block: BlockId,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        let pages = Self::live_pages(block, io);
        let mut whither = Vec::with_capacity(pages.len());
        for &page in &pages {
            whither.push(self.ask_destination(page, from, plane, io)?);
        }
        if !self.has_room(&whither, plane, job.class, io) {
            return Ok(Emptied::NoRoom);
        }
        for (&page, &to) in pages.iter().zip(&whither) {
            self.move_page(page, to, plane, job, io)?;
        }
        let mut used = whither;
        used.sort_unstable();
        used.dedup();
        used.iter().for_each(|&to| pad_unprotected(&mut self.shelf.regions[to], io, plane));
        erase_block(io, block, job);
        self.give_back(from, block, pages.len() as u32, io);
        Ok(Emptied::Block)
    }

    /// Whether `plane` takes a page of every region named, all of them together.
    fn has_room(&mut self, whither: &[usize], plane: PlaneId, class: Class, io: &mut Io) -> bool {
        let (mut blocks, mut shared) = (0, None);
        for to in 0..self.shelf.regions.len() {
            let count = whither.iter().filter(|&&region| region == to).count() as u32;
            if count == 0 {
                continue;
            }
            let room = self.shelf.room(to, plane, class, io);
            if self.shelf.shared[to] {
                blocks += count.div_ceil(self.shelf.regions[to].pages_per_block);
                shared = Some((to, room >= count && shared.is_none()));
            } else if room < count {
                return false;
            }
        }
        // Several regions that share their blocks may each have to open some of them.
        shared.is_none_or(|(to, fits_alone)| {
            fits_alone || self.shelf.regions[to].free_blocks(plane, io) >= blocks + RESERVE
        })
    }

    fn ask_destination(
        &mut self,
        page: Ppn,
        from: usize,
        plane: PlaneId,
        io: &Io,
    ) -> Result<usize, DeviceFull> {
        let tag = io.array().page_tags(page).iter().find(|&&tag| tag != 0);
        let logical = (tag.expect("Invariant: the page holds live data") - 1) / io.policy().mus_per_page;
        let policy = self.policy.as_mut().expect("Invariant: a policy said so");
        let asked = policy.destination(logical, from, &View::new(&self.shelf.regions, io, Some(plane)));
        let to = asked.map_err(|message| self.fail(message))?;
        if to == from {
            let name = &self.names[from];
            return Err(self.fail(format!("destination: page {logical} of \"{name}\" stays in \"{name}\"")));
        }
        Ok(to)
    }

    fn move_page(
        &mut self,
        page: Ppn,
        to: usize,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let region = &mut self.shelf.regions[to];
        let page_to = region.take_page(io, plane, Writer::Host, 0).ok_or(DeviceFull)?;
        relocate_page(region, io, page, page_to, Writer::Host, job);
        Ok(())
    }

    /// Moves the data of the block that is being filled; it goes on being filled.
    fn empty_open(
        &mut self,
        what: &Reclaim,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        let open = self.shelf.regions[what.region].open_block(plane, Writer::Host);
        let (Some(block), Whither::Region(to)) = (open, what.to) else {
            return Ok(Emptied::Nothing);
        };
        let pages = Self::live_pages(block, io);
        if pages.is_empty() {
            return Ok(Emptied::Nothing);
        }
        let Some(plane) = self.plane_of(to, plane, pages.len() as u32, job.class, io) else {
            return Ok(Emptied::NoRoom);
        };
        for &page in &pages {
            self.move_page(page, to, plane, job, io)?;
        }
        pad_unprotected(&mut self.shelf.regions[to], io, plane);
        self.figures[what.region].pages_moved_out += if io.clockless() { 0 } else { pages.len() as u64 };
        Ok(Emptied::Block)
    }

    fn give_back(&mut self, from: usize, block: BlockId, pages: u32, io: &mut Io) {
        self.shelf.regions[from].give_back(io, block);
        if !io.clockless() {
            self.figures[from].blocks_reclaimed += 1;
            self.figures[from].pages_moved_out += u64::from(pages);
        }
    }

    /// Empties a block of every plane of the regions in SLC mode; false when none holds data.
    pub(super) fn drain_caches(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
        let (home, mut more) = (self.shelf.home(), false);
        let is_slc = |region: &Region| region.spec.mode == CellMode::Slc;
        let caches: Vec<usize> =
            (0..self.shelf.regions.len()).filter(|&region| is_slc(&self.shelf.regions[region])).collect();
        for from in caches {
            for plane in self.shelf.regions[from].planes().to_vec() {
                let Some(block) = self.oldest(from, plane, io) else {
                    continue;
                };
                let pages = io.array().live_pages(block);
                let to = self.shelf.plane_for(home, plane, pages, io).ok_or(DeviceFull)?;
                let job = Job { cause: Cause::Migration, class: Class::Background };
                empty_block(&mut self.shelf.regions[home], io, block, to, job, Writer::Host)?;
                pad_unprotected(&mut self.shelf.regions[home], io, to);
                self.give_back(from, block, pages, io);
                more = true;
            }
        }
        Ok(more)
    }

    /// The next block of `plane` to be emptied, the one that is being filled last.
    fn oldest(&mut self, from: usize, plane: PlaneId, io: &mut Io) -> Option<BlockId> {
        victim::choose(&self.shelf.regions[from], io, plane, true).or_else(|| {
            self.shelf.regions[from].close_open(io, plane, Writer::Host);
            victim::choose(&self.shelf.regions[from], io, plane, true)
        })
    }
}
