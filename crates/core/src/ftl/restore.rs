//! A snapshot is believed in nothing: what its regions say is held against the array, which was
//! checked before, and every block ever used must be accounted for, once.

use super::io::Io;
use crate::base::{BlockId, PlaneId};
use crate::hw::array::{FlashArray, RegionId};
use std::ops::Range;

/// A device whose media are restored, while its scheme is.
pub struct Restoring<'a> {
    /// The device.
    pub io: &'a Io,
    claimed: Vec<bool>,
}

impl<'a> Restoring<'a> {
    /// No block is accounted for yet.
    pub fn new(io: &'a Io) -> Self {
        Self { io, claimed: vec![false; io.geometry().block_numbers()] }
    }

    /// Accounts for a used block.
    pub fn claim(&mut self, block: BlockId) -> Result<(), String> {
        match self.claimed.get_mut(block.index()) {
            Some(claimed) if !*claimed && self.io.array().was_used(block) => {
                *claimed = true;
                Ok(())
            }
            _ => Err(format!("block {} is in two places at once or was never used", block.0)),
        }
    }

    /// Says which used block is no region's, if any.
    pub fn finish(self) -> Result<(), String> {
        match self.io.array().used_blocks().find(|block| !self.claimed[block.index()]) {
            Some(block) => Err(format!("block {} is no region's", block.0)),
            None => Ok(()),
        }
    }
}

/// Says whether a region's part of a snapshot has a part for each of its planes and a turn among them.
pub(super) fn check_planes(id: RegionId, parts: usize, cursor: usize, planes: usize) -> Result<(), String> {
    if parts != planes || cursor >= planes {
        return Err(format!("region {id}: {parts} parts, turn {cursor}, of {planes} planes"));
    }
    Ok(())
}

/// Says whether `blocks` of `plane` can be the rest of `whole` that was never used.
pub(super) fn check_fresh(
    blocks: Range<u32>,
    whole: Range<u32>,
    plane: PlaneId,
    array: &FlashArray,
) -> Result<(), String> {
    let (first, end) = (blocks.start, blocks.end);
    let fits = end == whole.end && (whole.start..=end).contains(&first);
    let mut fresh = blocks.map(|index| array.geometry.block(plane, index));
    if !fits || fresh.any(|block| array.was_used(block)) {
        return Err(format!("blocks {first} to {end} were never used"));
    }
    Ok(())
}
