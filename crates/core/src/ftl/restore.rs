//! A snapshot is believed in nothing: what its regions say is held against the array, which was
//! checked before, and every block ever used must be accounted for, once.

use super::io::Io;
use crate::base::BlockId;
use crate::hw::array::RegionId;

/// A device whose media are restored, while its scheme is.
pub struct Restoring<'a> {
    /// The device.
    pub io: &'a Io,
    claimed: Vec<bool>,
}

impl<'a> Restoring<'a> {
    /// Only the erased blocks in the banks are accounted for yet.
    pub fn new(io: &'a Io) -> Result<Self, String> {
        let mut restoring = Self { io, claimed: vec![false; io.geometry().block_numbers()] };
        for bank in io.media().banks() {
            bank.erased(io.array())?.into_iter().try_for_each(|block| restoring.claim(block))?;
        }
        Ok(restoring)
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
