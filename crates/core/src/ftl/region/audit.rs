//! The proof that what a region counts agrees with its blocks.

use super::{PlanePart, Region};
use crate::base::PlaneId;
use crate::ftl::claims::Claims;
use crate::ftl::io::Io;
use crate::hw::array::BlockState;

impl Region {
    pub fn shape(&self) -> String {
        format!(
            "{:?} in {:?}, {} parts, {:?}",
            self.spec,
            self.bank,
            self.parts.len(),
            self.allocator.shape()
        )
    }

    /// Claims its blocks; the first that its counts or frontiers do not agree with is described.
    pub fn audit(&self, claims: &mut Claims) -> Result<(), String> {
        for (plane, part) in (self.first_plane..).map(PlaneId).zip(&self.parts) {
            let audited = self.audit_part(plane, part, claims);
            audited.map_err(|what| format!("region {}, plane {}: {what}", self.id, plane.0))?;
        }
        Ok(())
    }

    fn audit_part(&self, plane: PlaneId, part: &PlanePart, claims: &mut Claims) -> Result<(), String> {
        let io = claims.io;
        let (mut open, mut used) = (Vec::new(), 0);
        for block in self.blocks(plane, io).filter(|&block| self.holds(block, io)) {
            claims.claim(block)?;
            used += 1;
            if io.array().block(block).state() == BlockState::Open {
                open.push(block);
            }
        }
        if used != part.used || used > self.spec.blocks {
            return Err(format!("{used} blocks in use, counted as {}, of {}", part.used, self.spec.blocks));
        }
        let mut written: Vec<_> = part.frontiers.iter().filter_map(|frontier| frontier.block).collect();
        written.sort_unstable();
        // Blocks that are opened apart are no frontiers.
        if written != if self.apart { Vec::new() } else { open } {
            return Err(format!("{written:?} are written to, others are open"));
        }
        self.audit_staged(part, io)
    }

    /// What is staged is the wordline being filled.
    fn audit_staged(&self, part: &PlanePart, io: &Io) -> Result<(), String> {
        for frontier in &part.frontiers {
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
