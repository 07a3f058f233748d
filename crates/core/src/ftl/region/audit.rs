//! The proof that what a region counts agrees with its blocks.

use super::Region;
use crate::base::PlaneId;
use crate::ftl::audit::Claims;
use crate::ftl::io::Io;
use crate::hw::array::BlockState;

impl Region {
    pub fn shape(&self) -> String {
        format!(
            "{:?} in {:?}, {} planes, {} frontiers, {:?}, {:?}",
            self.spec,
            self.bank,
            self.used.len(),
            self.frontiers.len(),
            self.allocator.shape(),
            self.separator.as_ref().map(|separator| separator.shape())
        )
    }

    /// Claims its blocks; the first that its counts or frontiers do not agree with is described.
    pub fn audit(&self, claims: &mut Claims) -> Result<(), String> {
        for plane in (self.first_plane..).map(PlaneId).take(self.used.len()) {
            let audited = self.audit_plane(plane, claims);
            audited.map_err(|what| format!("region {}, plane {}: {what}", self.id, plane.0))?;
        }
        Ok(())
    }

    fn audit_plane(&self, plane: PlaneId, claims: &mut Claims) -> Result<(), String> {
        let io = claims.io;
        let (mut open, mut used) = (Vec::new(), self.lost_blocks(plane));
        for block in self.blocks(plane, io).filter(|&block| self.holds(block, io)) {
            claims.claim(block)?;
            used += 1;
            if io.array().block(block).state() == BlockState::Open {
                open.push(block);
            }
        }
        let counted = self.used_blocks(plane);
        if used != counted || used > self.spec.blocks {
            return Err(format!("{used} blocks in use, counted as {counted}, of {}", self.spec.blocks));
        }
        let mut written: Vec<_> = self.frontiers_of(plane).filter_map(|frontier| frontier.block).collect();
        written.sort_unstable();
        // Blocks that are opened apart are no frontiers.
        if written != if self.apart { Vec::new() } else { open } {
            return Err(format!("{written:?} are written to, others are open"));
        }
        self.audit_classes(plane)?;
        self.audit_staged(plane, io)
    }

    /// What is staged is the wordline being filled.
    fn audit_staged(&self, plane: PlaneId, io: &Io) -> Result<(), String> {
        for frontier in self.frontiers_of(plane) {
            let (staged, first) = frontier.stage.map_or((0, None), |stage| (stage.pages, Some(stage.first)));
            let written = frontier.block.map_or(0, |block| io.array().block(block).write_ptr());
            let begin = written - written % self.pages_per_program;
            let expected = frontier.block.filter(|_| begin < written);
            let expected = expected.map(|block| io.geometry().page(block, begin));
            if staged != written - begin || first != expected {
                return Err(format!("{staged} pages staged from {first:?} on, {written} programmed"));
            }
        }
        Ok(())
    }
}
