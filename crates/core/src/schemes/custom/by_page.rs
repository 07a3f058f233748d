//! Emptying page by page: where each goes is asked of the policy, or the block is still being filled.

use super::reclaim::Emptied;
use super::{BlockReclaim, Custom, View, Whither};
use crate::base::op::Cause;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::region::Writer;
use crate::ftl::relocate::{erase_block, relocate_page};
use crate::ftl::store::RESERVE;

impl Custom {
    /// The pages of `block` up to where it was written that hold live data.
    fn live_pages(block: BlockId, io: &Io) -> Vec<Ppn> {
        io.written_pages(block)
            .filter(|&page| io.array().page_tags(page).iter().any(|&tag| tag != 0))
            .collect()
    }

    /// Moves each logical page to the region that the policy says, which may be its own.
    pub(super) fn move_each(
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
        let stay = whither.iter().filter(|&&to| to == from).count() as u32;
        if !self.is_won(from, stay, io) {
            return Ok(Emptied::Nothing);
        }
        let leaves_to = whither.iter().copied().find(|&to| to != from && self.shelf.shared[to]);
        if leaves_to.is_some_and(|to| !self.tidy_around(block, to, plane, job.class, io)) {
            return Ok(Emptied::Block);
        }
        if !self.has_room(from, &whither, plane, io) {
            return Ok(Emptied::NoRoom);
        }
        for (&page, &to) in pages.iter().zip(&whither) {
            self.move_page(page, from, to, plane, job, io)?;
        }
        let mut used = whither;
        used.sort_unstable();
        used.dedup();
        used.iter().for_each(|&to| pad_unprotected(&mut self.shelf.regions[to], io, plane));
        let all_stay = stay > 0 && stay == pages.len() as u32;
        let cause = if all_stay { Cause::Gc } else { job.cause };
        erase_block(io, block, Job { cause, ..job });
        self.give_back(from, block, pages.len() as u32 - stay, stay, io);
        Ok(Emptied::Block)
    }

    /// Whether `plane` takes a page out of `from` for every region named, all of them together.
    fn has_room(&self, from: usize, whither: &[usize], plane: PlaneId, io: &Io) -> bool {
        let (mut blocks, mut shared) = (0, None);
        for to in 0..self.shelf.regions.len() {
            let count = whither.iter().filter(|&&region| region == to).count() as u32;
            if count == 0 {
                continue;
            }
            let space = self.shelf.space(to, plane, Self::writer(from, to), io);
            if self.shelf.shared[to] {
                blocks += count.div_ceil(self.shelf.regions[to].pages_per_block);
                shared = Some((to, space >= count && shared.is_none()));
            } else if space < count {
                return false;
            }
        }
        // Several regions that share their blocks may each have to open some of them.
        shared.is_none_or(|(to, fits_alone)| {
            fits_alone || self.shelf.regions[to].free_blocks(plane, io) >= blocks + RESERVE
        })
    }

    /// Who writes what moves from one region to another: what stays is not mixed with what the host writes.
    fn writer(from: usize, to: usize) -> Writer {
        if from == to {
            Writer::Clean
        } else {
            Writer::Host
        }
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
        asked.map_err(|message| self.fail(message))
    }

    fn move_page(
        &mut self,
        page: Ppn,
        from: usize,
        to: usize,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let (region, writer) = (&mut self.shelf.regions[to], Self::writer(from, to));
        let cause = if from == to { Cause::Gc } else { job.cause };
        let page_to = region.take_page(io, plane, writer, 0).ok_or(DeviceFull)?;
        relocate_page(region, io, page, page_to, writer, Job { cause, ..job });
        Ok(())
    }

    /// Moves the data of the block that is being filled; it goes on being filled.
    pub(super) fn empty_open(
        &mut self,
        what: &BlockReclaim,
        plane: PlaneId,
        job: Job,
        io: &mut Io,
    ) -> Result<Emptied, DeviceFull> {
        let Whither::Region(to) = what.to else {
            return Ok(Emptied::Nothing);
        };
        if self.open_pages(what.region, plane, io).is_empty() {
            return Ok(Emptied::Nothing);
        }
        self.shelf.tidy(to, plane, job.class, io);
        let pages = self.open_pages(what.region, plane, io);
        let Some(plane) = self.plane_of(to, plane, pages.len() as u32, job.class, io) else {
            return Ok(Emptied::NoRoom);
        };
        for &page in &pages {
            self.move_page(page, what.region, to, plane, job, io)?;
        }
        pad_unprotected(&mut self.shelf.regions[to], io, plane);
        self.figures[what.region].pages_moved_out += if io.clockless() { 0 } else { pages.len() as u64 };
        Ok(Emptied::Block)
    }

    /// The pages that live in the block that the host fills in `plane` of `region`.
    fn open_pages(&self, region: usize, plane: PlaneId, io: &Io) -> Vec<Ppn> {
        let open = self.shelf.regions[region].open_block(plane, Writer::Host);
        open.map_or_else(Vec::new, |block| Self::live_pages(block, io))
    }
}
