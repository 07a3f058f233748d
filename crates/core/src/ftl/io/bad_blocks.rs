//! Blocks that are bad or retire, and the end of the device's life.

use super::Io;
use crate::base::{BlockId, PlaneId};
use crate::ftl::bank::BankAccess;
use crate::hw::cells::{BadBlocks, End, Fate};

impl Io {
    /// Whether blocks retire.
    #[inline(always)]
    pub fn retires(&self) -> bool {
        self.retires
    }

    /// The bad blocks, where there are or may be any.
    pub fn bad_blocks(&self) -> Option<&BadBlocks> {
        self.array().bad_blocks()
    }

    /// By plane, how many blocks are out of use that are only the share of the region that joined a bank last.
    pub(in crate::ftl) fn lost_in_share(&self, of: BankAccess) -> Vec<u32> {
        let bank = self.bank(of.bank);
        let lost = |plane| self.array().lost_in(PlaneId(plane), bank.share_of_newest(of.share));
        bank.planes().map(lost).collect()
    }

    /// Whether an erased block, which its plane needs or not, is out of use from here on.
    #[inline]
    pub(in crate::ftl) fn takes_out(&mut self, block: BlockId, is_needed: bool) -> bool {
        self.retires && self.retire(block, is_needed)
    }

    /// Whether blocks retire, and an erased one does so without a spare. What is erased before time 0 does not
    /// wear.
    #[cold]
    pub(super) fn retire(&mut self, block: BlockId, is_needed: bool) -> bool {
        let now_ns = self.timing.now_ns();
        !self.clockless && self.media.cells().retire(block, now_ns, is_needed) == Fate::Lost
    }

    /// The end of the device's life, if it has come.
    pub fn end_of_life(&self) -> Option<End> {
        self.bad_blocks()?.end()
    }

    /// A write found no room: whether that is the end of the device's life, since blocks retired.
    pub(crate) fn ends_full(&mut self) -> bool {
        let now_ns = self.timing.now_ns();
        let bad =
            self.media.cells().bad_blocks_mut().filter(|bad| bad.has_lost_retired() || bad.end().is_some());
        let is_end = bad.map(|bad| bad.end_at(now_ns)).is_some();
        if is_end {
            self.timing.allow_loose_ends();
        }
        is_end
    }
}
