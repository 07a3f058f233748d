//! Whose each block is: every block ever used must be accounted for, once.

use super::io::Io;
use crate::base::BlockId;

/// The blocks of a device that are accounted for.
pub struct Claims<'a> {
    /// The device.
    pub io: &'a Io,
    claimed: Vec<bool>,
}

impl<'a> Claims<'a> {
    /// Only the erased blocks in the banks, and those out of use, are accounted for yet.
    pub fn new(io: &'a Io) -> Result<Self, String> {
        let mut claims = Self { io, claimed: vec![false; io.geometry().block_numbers()] };
        for bank in io.media().banks() {
            bank.erased(io.array())?.into_iter().try_for_each(|block| claims.claim(block))?;
        }
        let lost = io.array().bad_blocks().into_iter().flat_map(|bad| bad.lost());
        let mut used = lost.filter(|&block| io.array().was_used(block));
        used.try_for_each(|block| claims.claim(block))?;
        Ok(claims)
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
