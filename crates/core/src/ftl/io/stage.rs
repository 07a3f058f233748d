//! One-shot programs: pages are staged in the controller until their wordline is full.

use super::Io;
use crate::base::op::OpKind;
use crate::base::Gap;
use crate::base::Ppn;
use crate::ftl::piece::PageWrite;
use crate::hw::timing::{OpId, OpSpec};

impl Io {
    /// Starts a one-shot program with `page` as its first page; it waits until `start_joinable`, and rests
    /// until then unless a request joins it. The array takes `overhead_ns` longer than the mode's program.
    pub(in crate::ftl) fn open_stage(&mut self, page: Ppn, write: &PageWrite, overhead_ns: u32) -> OpId {
        if self.clockless {
            return OpId::NONE;
        }
        let at = self.place(page);
        let times = self.program_times(&at, 0);
        // Pages from before time 0 ahead of it, which cost nothing by themselves, are programmed with it.
        let pages = self.geometry().pools[at.pool].mode(at.array.store_mode).pages_per_program;
        let ahead_ns = times.array_ns / pages * (at.index % pages);
        if overhead_ns + ahead_ns > 0 {
            let count = self.counters.at(at.pool, OpKind::Program, at.array.store_mode, write.cause);
            count.time_ns += u64::from(overhead_ns + ahead_ns);
        }
        let spec = OpSpec {
            mode: Some(at.array.store_mode),
            plane_in_die: at.in_die,
            page: at.index as u16,
            pages: 0,
            array_ns: times.array_ns + overhead_ns,
            ..OpSpec::new(OpKind::Program, write.cause, write.class, at.block, at.unit)
        };
        self.timing.emit_joinable(spec, Gap::Stage, &[])
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
        let geometry = &self.media.array().geometry;
        let block = geometry.block_of(page);
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array().block(block).mode();
        let resolved = geometry.pools[plane.pool as usize].mode(mode);
        // The pulse is shared equally; the last page takes the rounding rest.
        let pages = resolved.pages_per_program;
        let index = geometry.page_in_block(page);
        let pulse_ns = resolved.program_ns[index as usize];
        let pulse_ns = geometry.varied_ns(plane.pool as usize, mode, block, index, pulse_ns);
        let share_ns = pulse_ns / pages + if last { pulse_ns % pages } else { 0 };
        if self.clockless {
            // The page costs nothing by itself, but its wordline is programmed for others.
            let cause = self.timing.cause(op);
            let count = self.counters.at(plane.pool as usize, OpKind::Program, mode, cause);
            count.count += u64::from(last);
            count.time_ns += u64::from(share_ns);
            return self.timing.add_page(op);
        }
        let (transfer_ns, command_ns) = (plane.bus.transfer_ns(write.bytes), plane.bus.program_command_ns);
        let first = self.timing.pages(op) == 0;
        let bus_ns = transfer_ns + if first { command_ns } else { 0 };
        self.timing.add_page(op);
        self.timing.add_transfer(op, write.class, bus_ns);
        if !write.request.is_none() {
            self.timing.join_request(op, write.request);
        }
        // Where an erase waits for the wordline, what the source waits for may wait for that erase; its
        // data are in the controller.
        let is_awaited = self.timing.is_awaited(op);
        for &source in sources {
            match is_awaited && self.timing.is_held(source) {
                true => self.timing.leave_request(source),
                false => self.timing.add_source(op, source),
            }
        }
        self.supersede_with(block, op);
        let at = self.place(page);
        self.count_program(&at, write, u64::from(last), share_ns + bus_ns);
    }
}
