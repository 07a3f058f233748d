//! Cleaning a two-layer region: whole blocks when room is short, or by steps that its user takes.

use super::{Eligible, TwoLayerRegion};
use crate::base::{PlaneId, Ppn};
use crate::ftl::destination::Destination;
use crate::ftl::io::Io;
use crate::ftl::piece::{Job, PageWrite};
use crate::ftl::relocate::{empty_block, erase_block};
use crate::hw::timing::OpId;

#[derive(Clone, Copy, Debug, Default)]
pub struct Cleaned {
    /// Blocks erased.
    pub blocks: u32,
    /// Those of them that offered no SLC pages before.
    pub refreshed: u32,
    /// Pages moved.
    pub pages: u32,
}

/// Any block takes moved data: a wordline that is to be switched first, then an SLC page, then the
/// block that is filled without pausing.
impl Destination for TwoLayerRegion {
    type Writer = ();

    #[inline]
    fn next_page(&mut self, io: &mut Io, plane: PlaneId, (): ()) -> Option<Ppn> {
        if let Some(page) = self.take_switch(io, plane) {
            return Some(page);
        }
        match self.take_fill(io, plane) {
            Some(page) => Some(page),
            None => self.take_dense(io, plane),
        }
    }

    #[inline]
    fn program(&mut self, io: &mut Io, page: Ppn, (): (), write: &PageWrite, sources: &[OpId]) -> OpId {
        io.program(page, write, sources)
    }

    #[inline]
    fn room(&self, _io: &Io, plane: PlaneId, (): ()) -> u32 {
        self.free_pages(plane)
    }

    #[inline]
    fn is_staged(&self, _plane: PlaneId, (): ()) -> bool {
        false
    }

    #[inline]
    fn per_page(&self) -> bool {
        true
    }
}

impl TwoLayerRegion {
    /// Cleans `plane` until more than `free_pages` can be stored or nothing can be won.
    pub fn clean_plane(&mut self, io: &mut Io, plane: PlaneId, free_pages: u32, job: Job) -> Cleaned {
        let mut done = Cleaned::default();
        while self.free_pages(plane) <= free_pages {
            let chosen = self.victim(plane).or_else(|| self.choose_victim(io, plane, Eligible::Any, 1));
            let Some(victim) = chosen else {
                break;
            };
            done.pages += io.array().live_pages(victim.block);
            let emptied = empty_block(self, io, victim.block, plane, job, ());
            emptied.expect("Invariant: the reserve takes a whole block");
            self.give_back(io, plane);
            done.blocks += 1;
            done.refreshed += u32::from(victim.used);
        }
        done
    }

    /// Erases the victim of `plane`, which holds nothing live.
    pub fn erase_victim(&mut self, io: &mut Io, plane: PlaneId, job: Job) {
        if let Some(victim) = self.victim(plane) {
            erase_block(io, victim.block, job);
            self.give_back(io, plane);
        }
    }
}
