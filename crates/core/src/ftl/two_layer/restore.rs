//! A two-layer region out of a snapshot, held against the array.

use super::{PlanePart, TwoLayerRegion, TwoLayerState};
use crate::base::{BlockId, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::region::mixes_pages;
use crate::ftl::restore::{check_planes, Restoring};
use crate::hw::array::BlockState;
use crate::hw::two_layer::Phase;

/// Where a block of the region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Filling,
    Fill,
    Switch,
    Dense,
    Victim,
    Full,
}

impl TwoLayerRegion {
    /// Takes a snapshot's part into a new region, or says why it cannot be this region's.
    pub fn load(&mut self, state: TwoLayerState, restoring: &mut Restoring) -> Result<(), String> {
        let id = self.id;
        check_planes(id, state.parts.len(), state.cursor, self.parts.len())?;
        self.links.load(state.links)?;
        for (i, part) in state.parts.iter().enumerate() {
            let plane = PlaneId(self.first_plane + i as u32);
            let checked = self.check_part(plane, part, restoring);
            checked.map_err(|what| format!("region {id}, plane {}: {what}", plane.0))?;
        }
        for (i, part) in state.parts.iter().enumerate() {
            let plane = PlaneId(self.first_plane + i as u32);
            for (block, _) in self.roles(plane, part, restoring.io)? {
                let written = restoring.io.array().block(block).write_ptr();
                self.note_used(block, self.layout.phase(written) != Phase::Fill);
            }
        }
        self.parts = state.parts;
        self.allocator.set_cursor(state.cursor);
        Ok(())
    }

    fn check_part(&self, plane: PlaneId, part: &PlanePart, restoring: &mut Restoring) -> Result<(), String> {
        let io = restoring.io;
        let array = io.array();
        let roles = self.roles(plane, part, io)?;
        let (used, quota) = (roles.len() as u32, self.spec.blocks);
        if used != part.used || used > quota {
            return Err(format!("{used} blocks in use, counted as {}, of {quota}", part.used));
        }
        let mut free_pages = (quota - used) * self.layout.pages;
        for (block, role) in roles {
            restoring.claim(block)?;
            if !self.fits(block, role, part, plane, io) {
                return Err(format!("block {} cannot be {role:?}", block.0));
            }
            if !matches!(role, Role::Victim | Role::Full) {
                free_pages += self.layout.pages - array.block(block).write_ptr();
            }
        }
        if free_pages != part.free_pages {
            return Err(format!("{free_pages} pages can be stored, counted as {}", part.free_pages));
        }
        // What is left for cleaning takes all that it may have to move.
        let kept = part.victim.map_or(self.layout.pages, |victim| array.live_pages(victim.block));
        match free_pages < kept {
            true => Err(format!("{free_pages} pages can be stored, {kept} are always kept")),
            false => Ok(()),
        }
    }

    /// Every block that has a role, with it.
    fn roles(&self, plane: PlaneId, part: &PlanePart, io: &Io) -> Result<Vec<(BlockId, Role)>, String> {
        let array = io.array();
        let mut roles = Vec::new();
        for (list, role) in [(&part.fill, Role::Fill), (&part.switch, Role::Switch)] {
            roles.extend(self.links.walk(list)?.into_iter().map(|block| (block, role)));
        }
        roles.extend(part.filling.map(|block| (block, Role::Filling)));
        roles.extend(part.dense.map(|block| (block, Role::Dense)));
        let victim = part.victim.map(|victim| victim.block);
        roles.extend(victim.map(|block| (block, Role::Victim)));
        let (first, count) = self.block_run(plane, io);
        let full = |block: &BlockId| {
            let record = array.block(*block);
            let own = record.region() == self.id && record.write_ptr() == self.layout.pages;
            own && Some(*block) != victim
        };
        let own = (first.0..first.0 + count).map(BlockId);
        roles.extend(own.filter(full).map(|block| (block, Role::Full)));
        Ok(roles)
    }

    /// Whether `block` is this region's and written as its role says.
    fn fits(&self, block: BlockId, role: Role, part: &PlanePart, plane: PlaneId, io: &Io) -> bool {
        let array = io.array();
        let (first, count) = self.block_run(plane, io);
        if !(first.0..first.0 + count).contains(&block.0) {
            return false;
        }
        let record = array.block(block);
        if record.state() == BlockState::Free {
            return role == Role::Fill;
        }
        if !record.is_two_layer() || record.region() != self.id || mixes_pages(block, io) {
            return false;
        }
        let written = record.write_ptr();
        let phase = self.layout.phase(written);
        let window_starts = written % self.layout.window_pages == 0;
        let open = record.state() == BlockState::Open;
        match role {
            Role::Filling => open && phase == Phase::Fill && !window_starts,
            Role::Fill => open && phase == Phase::Fill && window_starts,
            Role::Switch => open && phase == Phase::Switch,
            Role::Dense => open,
            Role::Victim => !open && part.victim.is_some_and(|victim| victim.fits(phase, io)),
            Role::Full => !open,
        }
    }
}
