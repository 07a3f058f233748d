//! A region out of a snapshot, held against the array.

use super::{Pack, PlanePart, Region, RegionState};
use crate::base::{BlockId, PlaneId};
use crate::ftl::io::Io;
use crate::ftl::restore::{check_planes, Restoring};
use crate::hw::array::BlockState;

impl Region {
    /// Takes a snapshot's part into a new region, or says why it cannot be this region's.
    pub fn load(&mut self, state: RegionState, restoring: &mut Restoring) -> Result<(), String> {
        let id = self.id;
        check_planes(id, state.parts.len(), state.cursor, self.parts.len())?;
        for (i, part) in state.parts.iter().enumerate() {
            let plane = PlaneId(self.first_plane + i as u32);
            let checked = self.check_part(plane, part, restoring);
            checked.map_err(|what| format!("region {id}, plane {}: {what}", plane.0))?;
        }
        let bank = restoring.io.bank(self.bank.bank);
        let free = self.planes().iter().map(|&plane| bank.free(plane)).min().unwrap_or(0);
        if state.free_min > self.spec.blocks || (bank.has_one_region() && free < state.free_min) {
            return Err(format!("region {id}: the fewest free blocks were {}, now {free}", state.free_min));
        }
        self.free_min = state.free_min;
        self.parts = state.parts;
        self.allocator.set_cursor(state.cursor);
        Ok(())
    }

    fn check_part(&self, plane: PlaneId, part: &PlanePart, restoring: &mut Restoring) -> Result<(), String> {
        let io = restoring.io;
        let mut open = Vec::new();
        let mut used = 0;
        for block in self.blocks(plane, io).filter(|&block| self.holds(block, io)) {
            restoring.claim(block)?;
            self.check_block(block, io)?;
            used += 1;
            if io.array().block(block).state() == BlockState::Open {
                open.push(block);
            }
        }
        if used != part.used || used > self.spec.blocks {
            return Err(format!("{used} blocks in use, counted as {}, of {}", part.used, self.spec.blocks));
        }
        self.check_frontiers(part, &open, io)
    }

    fn check_block(&self, block: BlockId, io: &Io) -> Result<(), String> {
        let record = io.array().block(block);
        if record.is_two_layer() || record.mode() != self.spec.mode {
            return Err(format!("block {} is of another mode", block.0));
        }
        match self.spec.pack == Pack::Page && mixes_pages(block, io) {
            true => Err(format!("block {} mixes logical pages in one page", block.0)),
            false => Ok(()),
        }
    }

    /// The blocks that are `open` are the frontiers', unless they are opened apart from those, and what
    /// is staged is the open wordline.
    fn check_frontiers(&self, part: &PlanePart, open: &[BlockId], io: &Io) -> Result<(), String> {
        let frontiers = &part.frontiers;
        let mut blocks: Vec<BlockId> = frontiers.iter().filter_map(|frontier| frontier.block).collect();
        blocks.sort_unstable();
        let open = if self.apart { &[] } else { open };
        if blocks != open || (!self.spec.clean.separate_frontier && frontiers[1].block.is_some()) {
            return Err(format!("{blocks:?} are written to, {open:?} are open"));
        }
        for frontier in frontiers {
            let (staged, first) = frontier.stage.map_or((0, None), |stage| (stage.pages, Some(stage.first)));
            let written = frontier.block.map_or(0, |block| io.array().block(block).write_ptr());
            let begin = written - written % self.pages_per_program;
            let expected = frontier.block.filter(|_| begin < written);
            let expected = expected.map(|block| io.geometry().page(block, begin));
            let holds_host = frontier.stage.is_some_and(|stage| stage.holds_host);
            if staged != written - begin || first != expected || holds_host {
                return Err(format!("{staged} pages staged from {first:?} on, {written} programmed"));
            }
        }
        Ok(())
    }
}

/// Whether a page of `block` holds units of several logical pages.
pub(in crate::ftl) fn mixes_pages(block: BlockId, io: &Io) -> bool {
    let slot_bits = io.geometry().slot_bits;
    let mixed = |tags: &[u32]| {
        let mut pages = tags.iter().filter(|&&tag| tag != 0).map(|tag| (tag - 1) / io.policy().mus_per_page);
        let first = pages.next();
        pages.any(|page| Some(page) != first)
    };
    slot_bits > 0 && io.array().block_tags(block).chunks_exact(1 << slot_bits).any(mixed)
}
