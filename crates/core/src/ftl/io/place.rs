//! Where a page lies, and what reading or programming it takes.

use super::Io;
use crate::base::op::OpKind;
use crate::base::{BlockId, CellMode, PlaneId, Ppn};

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
