//! What was moved out of blocks that live on, or superseded there: their erase, whenever it comes, waits for it.

use crate::base::slab::Slab;
use crate::base::BlockId;
use crate::hw::timing::{OpId, Timing};

/// A program that carries data out of a block.
#[derive(Clone, Copy, Debug, Default)]
struct MovingProgram {
    /// A block's programs run in order: the last one into each block stands for all of them.
    to: BlockId,
    program: OpId,
    serial: u64,
    next: u32,
}

/// Programs that carry data out of blocks that were not erased at once, listed by block.
#[derive(Clone)]
pub(super) struct MovedOut {
    /// First link of each block, 0 = none; made at first use.
    heads: Vec<u32>,
    links: Slab<MovingProgram>,
}

impl MovedOut {
    /// Nothing was moved yet.
    pub fn new() -> Self {
        Self { heads: Vec::new(), links: Slab::new(MovingProgram::default()) }
    }

    /// Notes that `program`, into block `to`, carries data out of `from`, one of `blocks` blocks.
    pub fn note(&mut self, timing: &Timing, blocks: usize, from: BlockId, to: BlockId, program: OpId) {
        if program.is_none() {
            return;
        }
        if self.heads.is_empty() {
            self.heads.resize(blocks, 0);
        }
        let mut rest = std::mem::take(&mut self.heads[from.index()]);
        let mut kept =
            self.links.insert(MovingProgram { to, program, serial: timing.serial(program), next: 0 });
        // The chain is walked anyway: what is complete, or stood for, leaves it.
        while rest != 0 {
            let link = self.links[rest as usize];
            if link.to != to && timing.is_in_flight(link.program, link.serial) {
                self.links[rest as usize].next = kept;
                kept = rest;
            } else {
                self.links.remove(rest);
            }
            rest = link.next;
        }
        self.heads[from.index()] = kept;
    }

    /// Moves the programs in flight that carry data out of `from` into `programs`.
    #[inline]
    pub fn take(&mut self, timing: &Timing, from: BlockId, programs: &mut Vec<OpId>) {
        if self.heads.is_empty() {
            return;
        }
        let mut rest = std::mem::take(&mut self.heads[from.index()]);
        while rest != 0 {
            let link = self.links[rest as usize];
            if timing.is_in_flight(link.program, link.serial) {
                programs.push(link.program);
            }
            self.links.remove(rest);
            rest = link.next;
        }
    }
}
