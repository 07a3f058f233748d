//! A block's data move within its region for the block's own sake.

use super::{Region, Writer};
use crate::base::BlockId;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::io::Io;
use crate::ftl::job::Job;
use crate::ftl::relocate::empty_block;

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
}
