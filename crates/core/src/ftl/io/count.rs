//! What is counted and logged of the operations emitted.

use super::place::{PagePlace, Times};
use super::Io;
use crate::base::op::{Cause, OpKind};
use crate::base::{BlockId, CellMode};
use crate::ftl::op_log::LoggedOp;
use crate::ftl::piece::PageWrite;

impl Io {
    #[cold]
    pub(super) fn log(&mut self, kind: OpKind, mode: CellMode, cause: Cause, block: BlockId, index: u32) {
        let (at_ns, page) = (self.timing.now_ns(), self.media.array().geometry.page(block, index));
        if let Some(ops) = self.ops.as_mut() {
            ops.push(LoggedOp { at_ns, kind, mode, cause, page });
        }
    }

    #[inline(always)]
    pub(super) fn count_read(&mut self, at: &PagePlace, cause: Cause, bytes: u32, times: &Times) {
        if self.ops.is_some() {
            self.log(OpKind::Read, at.array.read_mode, cause, at.block, at.index);
        }
        let count = self.counters.at(at.pool, OpKind::Read, at.array.read_mode, cause);
        count.count += 1;
        count.pages += 1;
        count.bytes += u64::from(bytes);
        count.time_ns += u64::from(times.array_ns) + u64::from(times.in_ns) + u64::from(times.out_ns);
    }

    #[inline(always)]
    pub(super) fn count_program(&mut self, at: &PagePlace, write: &PageWrite, operations: u64, time_ns: u32) {
        let page_bytes = self.media.array().geometry.planes[at.plane.index()].page_bytes;
        if self.ops.is_some() {
            self.log(at.array.store, at.array.store_mode, write.cause, at.block, at.index);
        }
        let (kind, mode) = (at.array.store, at.array.store_mode);
        let count = self.counters.at(at.pool, kind, mode, write.cause);
        count.count += operations;
        count.pages += 1;
        count.bytes += u64::from(page_bytes);
        count.time_ns += u64::from(time_ns);
        count.slots += u64::from(write.fresh_slots);
        let old = write.slots - write.fresh_slots;
        if old > 0 {
            self.counters.at(at.pool, kind, mode, Cause::Rmw).slots += u64::from(old);
        }
        self.series.current().program_pages[write.cause as usize] += 1;
        if self.map.is_some() && moves(write.cause) {
            let page = self.geometry().page(at.block, at.index);
            self.look_up_moved(page, write.class);
        }
    }
}

/// Whether what is programmed for this cause was stored before.
fn moves(cause: Cause) -> bool {
    matches!(cause, Cause::Migration | Cause::Gc | Cause::Agc | Cause::Promote)
}
