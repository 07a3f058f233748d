//! Where free SLC blocks come from: those that died, and those that are emptied.

use super::{Clairvoyant, STAY_SHARE};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::oracle::NEVER;
use crate::ftl::piece::Job;
use crate::ftl::region::OpenBlock;
use crate::ftl::relocate::{erase_block, relocate_page};
use crate::schemes::common::cache::RECLAIM;

/// Moves within the cache.
const STAY: Job = Job { cause: Cause::Gc, class: Class::Urgent };

impl Clairvoyant {
    /// Gives back the open block of a window that is over, if nothing in it lives.
    pub(super) fn release_over(&mut self, group: usize, window: usize, now: u32, io: &mut Io) {
        if let Some(block) = self.groups[group].take_over(window, now, &self.slc, io) {
            self.slc.close_apart(io, block);
            self.release(block, io);
        }
    }

    /// Gives back blocks in which nothing lives, unless more than `reserve` are free.
    pub(super) fn make_free(&mut self, group: usize, reserve: u32, now: u32, io: &mut Io) {
        if self.groups[group].free(&self.slc, io) > reserve {
            return;
        }
        while let Some(dead) = self.groups[group].victim(&self.slc, io) {
            if self.slc.live_of(dead, io) > 0 {
                break;
            }
            self.release(dead, io);
        }
        for window in 0..self.groups[group].open.len() {
            if self.groups[group].free(&self.slc, io) <= reserve {
                self.release_over(group, window, now, io);
            }
        }
    }

    /// Erases a block that holds nothing alive and gives it back.
    fn release(&mut self, block: BlockId, io: &mut Io) {
        erase_block(io, block, RECLAIM);
        self.slc.give_back(io, block);
        let plane = io.geometry().plane_of(block);
        let group = self.group_of[plane.index()];
        self.groups[group].forget(block);
        self.figures.reclaimed_blocks += u64::from(!io.clockless());
    }

    /// Empties the full block with the least live data: of at most `stay_share` of its pages, those that die
    /// first stay in the cache. False if no block is full.
    pub(super) fn reclaim(&mut self, group: usize, io: &mut Io) -> Result<bool, DeviceFull> {
        let Some(victim) = self.groups[group].victim(&self.slc, io) else {
            return Ok(false);
        };
        let most = (self.dials.value(&STAY_SHARE) * f64::from(self.slc.pages_per_block)) as usize;
        let mut pages = self.by_death(victim, io);
        let leaving = pages.split_off(most.min(pages.len()));
        let home = io.geometry().plane_of(victim);
        let leaving: Vec<Ppn> = leaving.into_iter().map(|(_, page)| page).collect();
        self.migrate(&leaving, home, io)?;
        for (death, page) in pages {
            match self.block_for(group, death, 0, true, io) {
                Some(block) => self.stay(page, block, io),
                None => self.migrate(&[page], home, io)?,
            }
        }
        self.release(victim, io);
        Ok(true)
    }

    /// What lives in `block`, with when it dies, in that order.
    fn by_death(&self, block: BlockId, io: &Io) -> Vec<(u32, Ppn)> {
        let owner = |page: Ppn| io.array().page_tags(page).iter().copied().find(|&tag| tag != 0);
        let death = |tag: u32| {
            let page = (tag - 1) / io.policy().mus_per_page;
            self.known.as_ref().map_or(NEVER, |known| known.oracle.death(page))
        };
        let pages = io.written_pages(block);
        let mut alive: Vec<_> = pages.filter_map(|page| Some((death(owner(page)?), page))).collect();
        alive.sort_unstable();
        alive
    }

    /// Moves a page to an open block of the cache.
    fn stay(&mut self, page: Ppn, block: BlockId, io: &mut Io) {
        let to = self.slc.next_page_of(block, io).expect("Invariant: the block has a free page");
        let mut dest = OpenBlock { region: &self.slc, block };
        relocate_page(&mut dest, io, page, to, (), STAY);
        self.figures.stayed_pages += u64::from(!io.clockless());
    }

    /// Moves pages to the store, in plane `home` if that has room.
    fn migrate(&mut self, pages: &[Ppn], home: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        if pages.is_empty() {
            return Ok(());
        }
        let to = self.store.plane_for(home, pages.len() as u32, io)?;
        self.store.take_pages(pages.iter().copied(), to, RECLAIM, io);
        self.figures.migrated_pages += if io.clockless() { 0 } else { pages.len() as u64 };
        Ok(())
    }
}
