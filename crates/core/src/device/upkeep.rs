//! Blocks that move because of their cells: the device has their regions move them.

use super::Simulation;
use crate::base::{BlockId, PlaneId};
use crate::ftl::any_region::{AnyRegion, Renewed};
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::scheme::Scheme;
use crate::hw::cells::Need;

impl Simulation {
    /// Moves the blocks of `plane` that were found to need it at once, as far as there is room, and levels its wear.
    pub(super) fn keep_up(&mut self, plane: PlaneId) {
        self.io.begin_upkeep(plane);
        while let Some((block, need)) = self.io.next_upkeep(plane, false) {
            if !self.renew(block, need) {
                break;
            }
        }
        while let Some(block) = self.io.next_levelled(plane) {
            self.even_out(block);
        }
    }

    /// Does a step of it in idle time: moves a block of `plane`, or reads the next one of the patrol; false if
    /// there is nothing to be done, or no room.
    pub(super) fn keep_up_idle(&mut self, plane: PlaneId) -> bool {
        let next = self.io.next_upkeep(plane, true);
        next.is_some_and(|(block, need)| self.renew(block, need)) || self.io.patrol()
    }

    /// Moves what lives in `block`; false if it has to wait for room.
    fn renew(&mut self, block: BlockId, need: Need) -> bool {
        let is_moved = self.in_its_region(|region, io| region.renew(block, Job::of_upkeep(need), io));
        self.io.end_upkeep(need, is_moved);
        is_moved
    }

    /// Moves what lives in `block` to a more worn one, if there is any that may be opened.
    fn even_out(&mut self, block: BlockId) {
        if self.in_its_region(|region, io| region.even_out(block, io)) {
            self.io.end_levelling();
        }
    }

    /// Has the region do it that a block is of; whether it was moved.
    fn in_its_region(&mut self, move_block: impl Fn(&mut dyn AnyRegion, &mut Io) -> Renewed) -> bool {
        let scheme = &mut self.scheme;
        let renewed = self.io.at_leisure(|io| {
            let mut renewed = Renewed::NotMine;
            scheme.regions_mut(&mut |region| {
                if renewed == Renewed::NotMine {
                    renewed = move_block(region, io);
                }
            });
            renewed
        });
        assert!(renewed != Renewed::NotMine, "Invariant: a region knows of each block that is closed");
        renewed == Renewed::Moved
    }
}
