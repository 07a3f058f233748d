//! Erases, the programs they wait for, and the blocks that are bad or retire.

use super::Io;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, PlaneId};
use crate::ftl::bank::BankAccess;
use crate::hw::cells::{BadBlocks, End, Fate};
use crate::hw::timing::{OpId, OpSpec};

/// The programs that an erase will wait for.
pub(in crate::ftl) struct Programs {
    pub(super) list: Vec<OpId>,
    pub(super) filling: Option<BlockId>,
}

impl Programs {
    /// None yet; the room is the one that `io` keeps from job to job.
    pub fn begin(io: &mut Io) -> Self {
        let mut list = std::mem::take(&mut io.scratch);
        list.clear();
        Self { list, filling: None }
    }

    #[inline(always)]
    pub fn add(&mut self, to: BlockId, program: OpId) {
        if program.is_none() {
            return;
        }
        // A block's programs run in order: the last one into each block stands for all of them.
        if self.filling.replace(to) == Some(to) {
            self.list.pop();
        }
        self.list.push(program);
    }
}

impl Io {
    /// Erases `block`, from which everything was moved, behind `programs` and whatever else carries
    /// data out of it.
    pub(in crate::ftl) fn erase_block(
        &mut self,
        block: BlockId,
        mut programs: Programs,
        cause: Cause,
        class: Class,
    ) {
        let first = programs.list.len();
        self.moved.take(&self.timing, block, &mut programs.list);
        self.pad_for_erase(&programs.list[first..]);
        self.end_emptying(&mut programs.list);
        // Emitted last: from here on the block's pages are those of its next life.
        self.emit_erase(block, cause, class, &programs.list);
        self.scratch = programs.list;
        self.note_erased(block);
        self.media.erase(block);
        self.note_worn(block, cause);
        self.ask_again(block);
    }

    /// Notes that `program` carries data out of block `from`, which lives on, into `to`: the erase of
    /// `from`, whenever it comes, waits for it.
    pub(in crate::ftl) fn note_moved(&mut self, from: BlockId, to: BlockId, program: OpId) {
        let blocks = self.media.array().geometry.block_numbers();
        self.moved.note(&self.timing, blocks, from, to, program);
    }

    /// Emits the erase of `block` (state not yet erased) after `programs`.
    fn emit_erase(&mut self, block: BlockId, cause: Cause, class: Class, programs: &[OpId]) {
        if self.clockless {
            // As when a read places data: nothing waits for what is still in flight.
            return self.timing.set_erased(block);
        }
        let geometry = &self.media.array().geometry;
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array().block(block).mode();
        if self.ops.is_some() {
            self.log(OpKind::Erase, mode, cause, block, 0);
        }
        let geometry = &self.media.array().geometry;
        let spec = OpSpec {
            mode: Some(mode),
            plane_in_die: plane.in_die,
            array_ns: geometry.pools[plane.pool as usize].mode(mode).erase_ns,
            in_ns: self.timing.bus(plane.unit).erase_command_ns,
            ..OpSpec::new(OpKind::Erase, cause, class, block, plane.unit)
        };
        let count = self.counters.at(plane.pool as usize, OpKind::Erase, mode, cause);
        count.count += 1;
        count.time_ns += u64::from(spec.array_ns) + u64::from(spec.in_ns);
        self.series.current().erases += 1;
        self.timing.emit(spec, programs);
    }
}

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
