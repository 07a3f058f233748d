//! Blocks that move because of their cells: the device has their regions move them.

use super::Simulation;
use crate::base::{BlockId, PlaneId};
use crate::ftl::any_region::Renewed;
use crate::ftl::job::Job;
use crate::ftl::scheme::Scheme;
use crate::hw::cells::Need;

impl Simulation {
    /// Moves the blocks of `plane` that were found to need it at once, as far as there is room.
    pub(super) fn keep_up(&mut self, plane: PlaneId) {
        self.io.begin_upkeep(plane);
        while let Some((block, need)) = self.io.next_upkeep(plane, false) {
            if !self.renew(block, need) {
                break;
            }
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
        let scheme = &mut self.scheme;
        let renewed = self.io.at_leisure(|io| {
            let mut renewed = Renewed::NotMine;
            scheme.regions_mut(&mut |region| {
                if renewed == Renewed::NotMine {
                    renewed = region.renew(block, Job::of_upkeep(need), io);
                }
            });
            renewed
        });
        assert!(renewed != Renewed::NotMine, "Invariant: a region knows of each block that is read");
        self.io.end_upkeep(need, renewed == Renewed::Moved);
        renewed == Renewed::Moved
    }
}
