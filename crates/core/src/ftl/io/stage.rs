//! One-shot programs: pages are staged in the controller until their wordline is full.

use super::Io;
use crate::base::op::OpKind;
use crate::base::Ppn;
use crate::ftl::piece::PageWrite;
use crate::hw::timing::op_table::{Op, OpId};
use crate::hw::timing::Gap;

impl Io {
    /// Starts a one-shot program with `page` as its first page; it waits until `close_stage`, and rests
    /// until then unless a request joins it.
    pub(in crate::ftl) fn open_stage(&mut self, page: Ppn, write: &PageWrite) -> OpId {
        if self.clockless {
            return OpId::NONE;
        }
        let at = self.place(page);
        let times = self.program_times(&at, 0);
        let mut op = Op::new(OpKind::Program, write.cause, write.class, at.block, at.unit);
        op.plane_in_die = at.in_die;
        op.page = at.index as u16;
        op.array_ns = times.array_ns;
        op.pages = 0;
        op.shared = true;
        op.gap = Gap::Stage;
        op.deps = 1;
        let id = self.timing.emit(op);
        self.timing.set_resting(id, true);
        id
    }

    /// Adds `page` to the staged one-shot program `op`, after `sources`; `last` completes the wordline.
    pub(in crate::ftl) fn add_to_stage(
        &mut self,
        op: OpId,
        page: Ppn,
        write: &PageWrite,
        sources: &[OpId],
        last: bool,
    ) {
        if op.is_none() {
            return self.program_clockless(page);
        }
        if self.clockless {
            self.timing.op_mut(op).pages += 1;
            return;
        }
        let geometry = &self.media.array().geometry;
        let block = geometry.block_of(page);
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array().block(block).mode();
        let resolved = geometry.pools[plane.pool as usize].mode(mode);
        // The pulse is shared equally; the last page takes the rounding rest.
        let pages = resolved.pages_per_program;
        let pulse_ns = resolved.program_ns[geometry.page_in_block(page) as usize];
        let share_ns = pulse_ns / pages + if last { pulse_ns % pages } else { 0 };
        let bus = self.timing.bus(plane.unit);
        let (transfer_ns, command_ns) = (bus.transfer_ns(write.bytes), bus.program_command_ns);
        let staged = self.timing.op_mut(op);
        let first = staged.pages == 0;
        staged.pages += 1;
        staged.class = staged.class.min(write.class);
        let bus_ns = transfer_ns + if first { command_ns } else { 0 };
        self.timing.add_transfer(op, bus_ns);
        if !write.request.is_none() {
            self.timing.join_request(op, write.request);
        }
        for &source in sources {
            self.timing.add_dep(op);
            self.timing.wake(source, op);
        }
        let at = self.place(page);
        self.count_program(&at, write, u64::from(last), share_ns + bus_ns);
    }

    /// Lets a staged program go; it is queued once its sources are read.
    pub(in crate::ftl) fn close_stage(&mut self, op: OpId) {
        if !op.is_none() {
            self.timing.set_resting(op, false);
            self.timing.start_path(op);
            self.timing.release(op);
        }
    }
}
