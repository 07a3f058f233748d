//! What the host overwrites, merges or trims. Without power-loss protection the old copies are the only ones
//! in flash until the program that supersedes them ends, so the erase of their block waits for it.

use super::Io;
use crate::base::{BlockId, Gap, Mu, Ppn};
use crate::ftl::media::{bits, SLOTS_MAX};
use crate::hw::timing::OpId;

/// Blocks that lost units to the page which was stored last and is not emitted yet.
#[derive(Clone)]
pub(super) struct Superseded {
    blocks: [BlockId; SLOTS_MAX],
    len: usize,
}

impl Superseded {
    pub(super) fn new() -> Self {
        Self { blocks: [BlockId(0); SLOTS_MAX], len: 0 }
    }

    fn add(&mut self, block: BlockId) {
        if !self.blocks[..self.len].contains(&block) {
            self.blocks[self.len] = block;
            self.len += 1;
        }
    }
}

impl Io {
    /// Whether an erase has to wait for what supersedes the data of its block. What is stored without the
    /// clock is programmed at once.
    #[inline(always)]
    pub(super) fn keeps_superseded(&self) -> bool {
        !self.policy.plp && !self.clockless
    }

    /// Notes where the mapping units of `tags` (unit + 1, 0 = nothing) lie, which are about to be stored
    /// in `to`.
    #[cold]
    pub(super) fn supersede(&mut self, to: Ppn, tags: impl Iterator<Item = u32>) {
        let geometry = &self.media.array().geometry;
        let to = geometry.block_of(to);
        self.superseded.len = 0;
        for mu in tags.filter_map(|tag| tag.checked_sub(1)).map(Mu) {
            if let Some(slot) = self.media.lookup(mu) {
                let block = geometry.block_of(geometry.page_of(slot));
                // A block's own order sees to what lies there.
                if block != to {
                    self.superseded.add(block);
                }
            }
        }
    }

    /// The program of the page stored last, in block `to`, is `program`.
    #[inline(always)]
    pub(super) fn supersede_with(&mut self, to: BlockId, program: OpId) {
        if !self.policy.plp {
            self.note_superseded(to, program);
        }
    }

    #[cold]
    fn note_superseded(&mut self, to: BlockId, program: OpId) {
        for i in 0..std::mem::take(&mut self.superseded.len) {
            self.note_moved(self.superseded.blocks[i], to, program);
        }
    }

    /// Has wordlines padded that `programs`, which an erase is to wait for, only begin to fill.
    pub(super) fn pad_for_erase(&mut self, programs: &[OpId]) {
        for &program in programs {
            if self.timing.is_joinable(program) {
                let plane = self.geometry().plane_of(self.timing.block_of(program));
                self.wake_stage(plane, self.now_ns());
            }
        }
    }

    /// Whether an operation waits for `program`, one that is staged: an erase.
    pub(in crate::ftl) fn is_awaited(&self, program: OpId) -> bool {
        !program.is_none() && self.timing.is_awaited(program)
    }
}

impl Io {
    /// Forgets the mapping units `first..end`, mapped or held, that the host declared unused. A
    /// request that waited only for such units is complete.
    pub fn trim(&mut self, first: u32, end: u32) {
        self.media.trim(first, end);
        let n = self.policy.mus_per_page;
        let mut entry = 0;
        while let Some(held) = self.media.held().entries().get(entry) {
            let base = held.page * n;
            let unused = bits(held.mask).filter(|i| (first..end).contains(&(base + i)));
            let unused = unused.fold(0, |mask, i| mask | 1 << i);
            if unused == held.mask {
                for request in self.media.held().tokens(entry) {
                    self.timing.set_gap(request, Gap::Merge);
                    self.timing.release_request(request);
                }
            }
            if !self.media.unhold(entry, unused, base, true) {
                entry += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
