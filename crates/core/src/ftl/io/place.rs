//! Where a page lies, what reading or programming it takes, and how that is counted and logged.

use super::Io;
use crate::base::op::{Cause, OpKind};
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::ftl::op_log::LoggedOp;
use crate::ftl::piece::PageWrite;

/// Where a page lies, by the numbers that the verbs need.
pub(super) struct PagePlace {
    pub(super) block: BlockId,
    pub(super) index: u32,
    pub(super) plane: PlaneId,
    pub(super) pool: usize,
    pub(super) unit: u32,
    pub(super) in_die: u8,
    pub(super) array: ArrayTimes,
}

/// What reading and storing a page means to the array.
pub(super) struct ArrayTimes {
    pub(super) read_ns: u32,
    pub(super) read_mode: CellMode,
    pub(super) store: OpKind,
    pub(super) store_ns: u32,
    pub(super) store_mode: CellMode,
}

/// Array and channel times of an operation, ns.
pub(super) struct Times {
    pub(super) array_ns: u32,
    pub(super) in_ns: u32,
    pub(super) out_ns: u32,
}

impl Io {
    #[inline(always)]
    pub(super) fn place(&self, page: Ppn) -> PagePlace {
        let geometry = &self.media.array().geometry;
        let block = geometry.block_of(page);
        let place = geometry.plane_of(block);
        let plane = &geometry.planes[place.index()];
        let (pool, index) = (plane.pool as usize, geometry.page_in_block(page));
        let record = self.media.array().block(block);
        let array = if record.is_two_layer() {
            self.two_layer_times(pool, index, record.write_ptr())
        } else {
            let mode = record.mode();
            let (read_ns, store_ns) = geometry.page_times_ns(pool, mode, index);
            ArrayTimes { read_ns, read_mode: mode, store: OpKind::Program, store_ns, store_mode: mode }
        };
        PagePlace { block, index, plane: place, pool, unit: plane.unit, in_die: plane.in_die, array }
    }

    /// Times of page `index` of a two-layer block that holds `programmed` pages: a wordline with
    /// one bit is read as SLC.
    #[inline]
    fn two_layer_times(&self, pool: usize, index: u32, programmed: u32) -> ArrayTimes {
        let layout = self.media.array().geometry.pools[pool].two_layer();
        let (slc, dense) = (CellMode::Slc, layout.mode);
        let step = layout.step(index);
        let (read_ns, read_mode) = match programmed > u32::from(step.second) {
            true => (step.dense_read_ns, dense),
            false => (step.slc_read_ns, slc),
        };
        let (store, store_mode) = match step.bit {
            0 => (OpKind::Program, slc),
            _ => (OpKind::Reprogram, dense),
        };
        ArrayTimes { read_ns, read_mode, store, store_ns: step.program_ns, store_mode }
    }

    /// What a read of `bytes` transfers.
    #[inline(always)]
    pub(super) fn transferred(&self, at: &PagePlace, bytes: u32) -> u32 {
        match self.policy.reads_whole_pages {
            true => self.media.array().geometry.planes[at.plane.index()].page_bytes,
            false => bytes,
        }
    }

    #[inline(always)]
    pub(super) fn read_times(&self, at: &PagePlace, bytes: u32) -> Times {
        let bus = &self.media.array().geometry.planes[at.plane.index()].bus;
        Times {
            array_ns: at.array.read_ns,
            in_ns: bus.read_command_ns,
            out_ns: bus.read_data_ns + bus.transfer_ns(bytes),
        }
    }

    #[inline(always)]
    pub(super) fn program_times(&self, at: &PagePlace, bytes: u32) -> Times {
        let geometry = &self.media.array().geometry;
        let bus = &geometry.planes[at.plane.index()].bus;
        let (mode, ns) = (at.array.store_mode, at.array.store_ns);
        Times {
            array_ns: geometry.varied_ns(at.pool, mode, at.block, at.index, ns),
            in_ns: bus.program_command_ns + bus.transfer_ns(bytes),
            out_ns: 0,
        }
    }
}

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
