//! The proof that what a two-layer region counts agrees with its blocks.

use super::{LayeredPlane, TwoLayerRegion};
use crate::base::{BlockId, PlaneId};
use crate::ftl::audit::Claims;
use crate::ftl::io::Io;
use crate::hw::array::BlockState;
use crate::hw::two_layer::WindowPhase;

/// Where a block of the region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockRole {
    Filling,
    Fill,
    Switch,
    Dense,
    Victim,
    Full,
}

impl TwoLayerRegion {
    pub fn shape(&self) -> String {
        let lengths = (self.parts.len(), self.used.len(), self.links.blocks());
        let allocator = self.allocator.shape();
        format!("{:?} in {:?}, {lengths:?}, {:?}, {allocator:?}", self.spec, self.bank, self.layout)
    }

    /// Claims its blocks; the first that its counts or queues do not agree with is described.
    pub fn audit(&self, claims: &mut Claims) -> Result<(), String> {
        for (plane, part) in (self.first_plane..).map(PlaneId).zip(&self.parts) {
            let audited = self.audit_part(plane, part, claims);
            audited.map_err(|what| format!("region {}, plane {}: {what}", self.id, plane.0))?;
        }
        Ok(())
    }

    fn audit_part(&self, plane: PlaneId, part: &LayeredPlane, claims: &mut Claims) -> Result<(), String> {
        let io = claims.io;
        let roles = self.roles(plane, part, io)?;
        let (used, quota) = (roles.len() as u32 + part.lost, self.spec.blocks);
        if used != part.used || used > quota {
            return Err(format!("{used} blocks in use, counted as {}, of {quota}", part.used));
        }
        let mut free_pages = (quota - used) * self.layout.pages;
        for (block, role) in roles {
            claims.claim(block)?;
            if !self.fits(block, role, plane, io) {
                return Err(format!("block {} cannot be {role:?}", block.0));
            }
            if !matches!(role, BlockRole::Victim | BlockRole::Full) {
                free_pages += self.layout.pages - io.array().block(block).write_ptr();
            }
        }
        match free_pages == part.free_pages {
            true => Ok(()),
            false => Err(format!("{free_pages} pages can be stored, counted as {}", part.free_pages)),
        }
    }

    fn roles(
        &self,
        plane: PlaneId,
        part: &LayeredPlane,
        io: &Io,
    ) -> Result<Vec<(BlockId, BlockRole)>, String> {
        let mut roles = Vec::new();
        for (list, role) in [(&part.fill, BlockRole::Fill), (&part.switch, BlockRole::Switch)] {
            roles.extend(self.links.walk(list)?.into_iter().map(|block| (block, role)));
        }
        roles.extend(part.filling.map(|block| (block, BlockRole::Filling)));
        roles.extend(part.dense.map(|block| (block, BlockRole::Dense)));
        let victim = part.victim.map(|victim| victim.block);
        roles.extend(victim.map(|block| (block, BlockRole::Victim)));
        let (first, count) = self.block_run(plane, io);
        let full = |block: &BlockId| {
            let record = io.array().block(*block);
            let own = record.region() == self.id && record.write_ptr() == self.layout.pages;
            own && Some(*block) != victim
        };
        let own = (first.0..first.0 + count).map(BlockId);
        roles.extend(own.filter(full).map(|block| (block, BlockRole::Full)));
        Ok(roles)
    }

    /// Whether `block` is this region's, and written and noted as its role says.
    fn fits(&self, block: BlockId, role: BlockRole, plane: PlaneId, io: &Io) -> bool {
        let (first, count) = self.block_run(plane, io);
        if !(first.0..first.0 + count).contains(&block.0) {
            return false;
        }
        let record = io.array().block(block);
        if record.state() == BlockState::Free {
            return role == BlockRole::Fill;
        }
        let written = record.write_ptr();
        let phase = self.layout.phase(written);
        let window_starts = written % self.layout.window_pages == 0;
        let open = record.state() == BlockState::Open;
        let role_fits = match role {
            BlockRole::Filling => open && phase == WindowPhase::Fill && !window_starts,
            BlockRole::Fill => open && phase == WindowPhase::Fill && window_starts,
            BlockRole::Switch => open && phase == WindowPhase::Switch,
            BlockRole::Dense => open,
            BlockRole::Victim | BlockRole::Full => !open,
        };
        let noted = matches!(role, BlockRole::Dense) || self.is_used(block) == (phase != WindowPhase::Fill);
        record.is_two_layer() && record.region() == self.id && role_fits && noted
    }
}
