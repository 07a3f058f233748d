//! A block's data move within its region for the block's own sake.

use super::{Frontier, Region, Writer};
use crate::base::BlockId;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::relocate::{empty_block, erase_block};

impl Region {
    /// Moves the live pages of `block`, which is closed, as they are to where cleaning writes in its plane, and
    /// erases it; false if they do not fit. A block is given back for the one that was opened at most, so that
    /// cleaning has no less room than before, or a block's.
    pub fn renew(&mut self, block: BlockId, job: Job, io: &mut Io) -> bool {
        let plane = io.geometry().plane_of(block);
        if empty_block(self, io, block, plane, job, Writer::Clean).is_err() {
            return false;
        }
        self.give_back(io, block);
        pad_unprotected(self, io, plane);
        true
    }

    /// Moves the live pages of `block`, which is closed, as they are to the most worn erased block of its plane,
    /// which then takes no others, and erases it; false if none is more worn, or none may be opened. As many
    /// blocks are free as before, and what is being filled stays so.
    pub fn even_out(&mut self, block: BlockId, io: &mut Io) -> bool {
        let plane = io.geometry().plane_of(block);
        if io.array().live_pages(block) > 0 {
            let cycles = io.array().worn_cycles(block);
            let Some(target) = self.open_more_worn(io, plane, cycles) else { return false };
            self.move_to(target, block, io);
        } else {
            erase_block(io, block, Job::LEVEL);
        }
        self.give_back(io, block);
        pad_unprotected(self, io, plane);
        true
    }

    /// Moves what lives in `block` to `target`, of the same class, which is open and is closed then, and erases
    /// `block`.
    fn move_to(&mut self, target: BlockId, block: BlockId, io: &mut Io) {
        let (plane, writer) = (io.geometry().plane_of(block), Writer::Clean);
        let at = self.at(plane, writer);
        let filled = Frontier { block: Some(target), stage: None };
        let filled = std::mem::replace(&mut self.frontiers[at], filled);
        // All of it goes to one place, whatever its class.
        let mut separator = self.separator.take();
        empty_block(self, io, block, plane, Job::LEVEL, writer).expect("Invariant: blocks are of one size");
        while self.pad_stage(io, plane, writer) {}
        self.close_open(io, plane, writer);
        if let Some(separator) = &mut separator {
            separator.opened(target, separator.class_of(block));
        }
        self.separator = separator;
        self.frontiers[at] = filled;
    }
}
