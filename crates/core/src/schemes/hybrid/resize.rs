//! The size of the SLC region: it grows by free dense blocks and shrinks by migrating.

use super::Hybrid;
use crate::base::PlaneId;
use crate::ftl::io::Io;
use crate::ftl::region::Writer;

impl Hybrid {
    /// Fewest SLC blocks per plane that a controller may ask for.
    pub fn slc_blocks_min(&self) -> u32 {
        self.limits.slc_blocks_min(self.plane_blocks())
    }

    /// Most SLC blocks per plane that a controller may ask for now: the dense region keeps room for
    /// all the data, and as many blocks more as it wants free or as are held back.
    pub fn slc_blocks_max(&self, io: &Io) -> u32 {
        let blocks = self.plane_blocks();
        let planes = self.slc.planes().len() as u64;
        let valid = io.mapped().div_ceil(planes * u64::from(self.dense.region.full_block(io))) as u32;
        let feasible = blocks.saturating_sub(valid + self.dense.clean_below());
        feasible.min(self.slc_blocks_beside(valid)).max(self.slc_blocks_min())
    }

    /// Most SLC blocks per plane beside `valid` blocks of data and those held back, whatever cleaning wants.
    pub(super) fn slc_blocks_beside(&self, valid: u32) -> u32 {
        let blocks = self.plane_blocks();
        let rest = blocks.saturating_sub(valid + self.spare_blocks);
        rest.min(self.limits.slc_blocks_cap(blocks)).max(self.slc_blocks_min())
    }

    /// What the SLC region holds where no data are in its way.
    pub fn slc_bytes_max(&self, io: &Io) -> u64 {
        self.slc.slc_bytes(self.slc_blocks_beside(0), io)
    }

    /// Gives the SLC region `blocks` blocks per plane before the first write to it, unless dense blocks are
    /// in their place; before time 0 it gives way to the data there are.
    pub fn begin_with(&mut self, blocks: u32) {
        debug_assert!(self.slc_unused, "Invariant: nothing was written to the SLC region");
        let blocks = if self.theta_bytes == 0 { 0 } else { blocks };
        let (dense, dense_blocks) = (&self.dense.region, self.plane_blocks() - blocks);
        let fits = |&plane: &PlaneId| dense.used_blocks(plane) - dense.lost_blocks(plane) <= dense_blocks;
        if blocks <= self.slc_blocks() || dense.planes().iter().all(fits) {
            self.set_quotas(blocks);
            self.stats.begin_with(blocks);
        }
    }

    /// Before the first write to it, the SLC region is no larger than the data there are allow.
    pub(super) fn make_way(&mut self, io: &Io) {
        if self.slc_unused && self.slc_blocks() > self.slc_blocks_max(io) {
            self.begin_with(self.slc_blocks_max(io));
        }
    }

    /// Brings the SLC region to `blocks` blocks per plane, or as near as it gets; returns what it has. With
    /// theta 0, by which nothing is written there, it gets none.
    pub fn set_slc_blocks(&mut self, blocks: u32, io: &mut Io) -> u32 {
        let blocks = if self.theta_bytes == 0 { 0 } else { blocks };
        while self.slc_blocks() < blocks && self.grow(io) {}
        while self.slc_blocks() > blocks && self.shrink(false, io) {}
        debug_assert!(self.blocks_add_up(io), "Invariant: no block is lost or had twice");
        self.slc_blocks()
    }

    /// Where neither region has room for the host: takes a block per plane from the SLC region, with
    /// the room that is left to cleaning. False if that does not help either.
    pub(super) fn force_shrink(&mut self, io: &mut Io) -> bool {
        let shrunk = self.slc_blocks() > 0 && self.shrink(true, io);
        self.stats.forced_shrink_blocks += u64::from(shrunk && !io.clockless());
        debug_assert!(self.blocks_add_up(io), "Invariant: no block is lost or had twice");
        shrunk
    }

    /// Gives a free dense block of each plane to the SLC region; false if cleaning cannot win it.
    pub(super) fn grow(&mut self, io: &mut Io) -> bool {
        let wanted = self.dense.clean_below() + 1;
        for plane in self.slc.planes().to_vec() {
            if !self.dense.make_room(plane, wanted, io) {
                return false;
            }
        }
        self.set_quotas(self.slc_blocks() + 1);
        true
    }

    /// Gives an SLC block of each plane to the dense region, a free one or one that is migrated; false
    /// if there is no room for what lives in it.
    fn shrink(&mut self, emergency: bool, io: &mut Io) -> bool {
        for plane in self.slc.planes().to_vec() {
            if self.slc.free_blocks(plane, io) == 0 && !self.free_slc_block(plane, emergency, io) {
                return false;
            }
        }
        self.set_quotas(self.slc_blocks() - 1);
        true
    }

    /// Migrates an SLC block of `plane`: the open one only if it is the last.
    fn free_slc_block(&mut self, plane: PlaneId, emergency: bool, io: &mut Io) -> bool {
        if !self.slc.may_have_closed(plane, io) {
            self.slc.close_open(io, plane, Writer::Host);
        }
        self.migrate(plane, emergency, io)
    }

    /// Whether in every plane the quotas, and the used and free blocks, add up to all blocks, and
    /// neither region has more than its quota.
    pub(super) fn blocks_add_up(&self, io: &Io) -> bool {
        let (slc, dense, blocks) = (&self.slc, &self.dense.region, self.plane_blocks());
        let adds_up = |&plane: &PlaneId| {
            let used = [slc.used_blocks(plane), dense.used_blocks(plane)];
            used[0] + used[1] + io.bank(self.bank).free(plane) == blocks
                && used[0] - slc.lost_blocks(plane) <= slc.quota()
                && used[1] - dense.lost_blocks(plane) <= dense.quota()
        };
        slc.quota() + dense.quota() == blocks && slc.planes().iter().all(adds_up)
    }

    /// Sets both quotas, which add up to the blocks of a plane.
    pub(super) fn set_quotas(&mut self, slc_blocks: u32) {
        self.slc.set_quota(slc_blocks);
        self.dense.region.set_quota(self.plane_blocks() - slc_blocks);
        self.stats.note_size(slc_blocks);
    }
}
