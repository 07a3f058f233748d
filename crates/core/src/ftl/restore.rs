//! A snapshot is believed in nothing: what its regions say is held against the array, which was
//! checked before, and every block ever used must be accounted for, once.

use super::io::Io;
use crate::base::BlockId;

/// A device whose media are restored, while its scheme is.
pub struct Restoring<'a> {
    /// The device.
    pub io: &'a Io,
    claimed: Vec<bool>,
}

impl<'a> Restoring<'a> {
    /// No block is accounted for yet.
    pub fn new(io: &'a Io) -> Self {
        Self { io, claimed: vec![false; io.media.array.geometry.block_numbers()] }
    }

    /// Accounts for a used block.
    pub fn claim(&mut self, block: BlockId) -> Result<(), String> {
        match self.claimed.get_mut(block.index()) {
            Some(claimed) if !*claimed && self.io.media.array.was_used(block) => {
                *claimed = true;
                Ok(())
            }
            _ => Err(format!("block {} is in two places at once or was never used", block.0)),
        }
    }

    /// Says which used block is no region's, if any.
    pub fn finish(self) -> Result<(), String> {
        match self.io.media.array.used_blocks().find(|block| !self.claimed[block.index()]) {
            Some(block) => Err(format!("block {} is no region's", block.0)),
            None => Ok(()),
        }
    }
}
