//! Emptying a block as a policy said: its data move, then it is erased.

use super::{BlockReclaim, Custom, View, Whither};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, CellMode, PlaneId};
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::region::{Region, Writer};
use crate::ftl::relocate::empty_block;
use crate::ftl::victim;

/// What emptying a block came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// It was emptied, or data left it.
    Block,
    Nothing,
    /// Its data have no room where they are to go.
    NoRoom,
}

impl Custom {
    /// Empties what a policy said, in `plane`.
    pub(super) fn empty(
        &mut self,
        what: &BlockReclaim,
        plane: PlaneId,
        class: Class,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        let stays = what.to == Whither::Region(what.region);
        if what.open && (stays || what.to == Whither::Each) {
            let name = &self.names[what.region];
            return Err(self.fail(format!(
                "reclaim: open moves the block of \"{name}\" that is being filled, and needs another region \
                 as its to"
            )));
        }
        if !self.shelf.regions[what.region].has(plane) {
            return Ok(Emptied::Nothing);
        }
        let job = Job { cause: if stays { Cause::Gc } else { Cause::Migration }, class };
        let Some(block) = self.victim(what, plane, io)? else {
            return match what.open {
                true => self.empty_open(what, plane, job, io),
                false => Ok(Emptied::Nothing),
            };
        };
        match what.to {
            Whither::Region(_) if stays => self.keep_all(what.region, block, plane, job, io),
            Whither::Region(to) => self.move_all(what.region, block, to, plane, job, io),
            Whither::Each => self.move_each(what.region, block, plane, job, io),
        }
    }

    /// The block that is emptied: the one named, if it can be, or the next one by the region's rule.
    fn victim(
        &self,
        what: &BlockReclaim,
        plane: PlaneId,
        io: &mut Io,
    ) -> Result<Option<BlockId>, DeviceFull> {
        let region = &self.shelf.regions[what.region];
        let Some(block) = what.block else {
            let leaves = what.to != Whither::Region(what.region);
            return Ok(victim::choose(region, io, plane, leaves));
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
    pub(super) fn plane_of(
        &mut self,
        to: usize,
        plane: PlaneId,
        pages: u32,
        class: Class,
        io: &mut Io,
    ) -> Option<PlaneId> {
        match class {
            Class::Urgent => self.shelf.plane_for(to, plane, pages, io),
            _ => (self.shelf.space(to, plane, Writer::Host, io) >= pages).then_some(plane),
        }
    }

    /// Cleans `plane` of `to` where it is short of blocks; false if `block` itself was erased by that.
    pub(super) fn tidy_around(
        &mut self,
        block: BlockId,
        to: usize,
        plane: PlaneId,
        class: Class,
        io: &mut Io,
    ) -> bool {
        let opened = io.array().block(block).opened;
        self.shelf.tidy(to, plane, class, io);
        io.array().is_closed(block) && io.array().block(block).opened == opened
    }

    /// Whether enough of a block is won where `stay` of its pages are written to the same region again: else
    /// a pause would move them in a circle for ever.
    pub(super) fn is_won(&self, region: usize, stay: u32, io: &Io) -> bool {
        let region = &self.shelf.regions[region];
        let least = if io.policy().plp { 1 } else { region.pages_per_program() };
        stay + least <= region.pages_per_block
    }

    /// Moves what lives in `block` to other blocks of its region, as cleaning does.
    fn keep_all(
        &mut self,
        region: usize,
        block: BlockId,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        let stay = io.array().live_pages(block);
        if !self.is_won(region, stay, io) {
            return Ok(Emptied::Nothing);
        }
        if self.shelf.space(region, plane, Writer::Clean, io) < stay {
            return Ok(Emptied::NoRoom);
        }
        empty_block(&mut self.shelf.regions[region], io, block, plane, job, Writer::Clean)?;
        pad_unprotected(&mut self.shelf.regions[region], io, plane);
        self.give_back(region, block, 0, stay, io);
        Ok(Emptied::Block)
    }

    /// Moves what lives in `block` to another region.
    fn move_all(
        &mut self,
        from: usize,
        block: BlockId,
        to: usize,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        if !self.tidy_around(block, to, plane, job.class, io) {
            return Ok(Emptied::Block);
        }
        let live_pages = io.array().live_pages(block);
        let Some(plane) = self.plane_of(to, plane, live_pages, job.class, io) else {
            return Ok(Emptied::NoRoom);
        };
        empty_block(&mut self.shelf.regions[to], io, block, plane, job, Writer::Host)?;
        pad_unprotected(&mut self.shelf.regions[to], io, plane);
        self.give_back(from, block, live_pages, 0, io);
        Ok(Emptied::Block)
    }

    pub(super) fn give_back(&mut self, from: usize, block: BlockId, left: u32, stayed: u32, io: &mut Io) {
        self.shelf.regions[from].give_back(io, block);
        if !io.clockless() {
            self.figures[from].blocks_reclaimed += 1;
            self.figures[from].pages_moved_out += u64::from(left);
            self.figures[from].pages_kept += u64::from(stayed);
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
                self.shelf.tidy(home, plane, Class::Urgent, io);
                let to = self.shelf.plane_for(home, plane, pages, io).ok_or(DeviceFull)?;
                let job = Job { cause: Cause::Migration, class: Class::Background };
                empty_block(&mut self.shelf.regions[home], io, block, to, job, Writer::Host)?;
                pad_unprotected(&mut self.shelf.regions[home], io, to);
                self.give_back(from, block, pages, 0, io);
                more = true;
            }
        }
        Ok(more)
    }

    /// The next block of `plane` to be emptied, those that are being filled last.
    fn oldest(&mut self, from: usize, plane: PlaneId, io: &mut Io) -> Option<BlockId> {
        [None, Some(Writer::Host), Some(Writer::Clean)].into_iter().find_map(|open| {
            if let Some(writer) = open {
                self.shelf.regions[from].close_open(io, plane, writer);
            }
            victim::choose(&self.shelf.regions[from], io, plane, true)
        })
    }
}
