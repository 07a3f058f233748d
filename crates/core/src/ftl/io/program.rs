//! Programs and reprograms of single pages.

use super::Io;
use crate::base::op::OpKind;
use crate::base::Gap;
use crate::base::Ppn;
use crate::ftl::piece::PageWrite;
use crate::hw::timing::{OpId, OpSpec};

impl Io {
    /// Emits the program of `page`, one page of a per-page mode, after `sources`.
    #[inline(always)]
    pub fn program(&mut self, page: Ppn, write: &PageWrite, sources: &[OpId]) -> OpId {
        self.program_slowly(page, write, sources, 0)
    }

    /// Programs a page as `program` does, in the mode's time and `overhead_ns` more.
    #[inline(always)]
    pub(in crate::ftl) fn program_slowly(
        &mut self,
        page: Ppn,
        write: &PageWrite,
        sources: &[OpId],
        overhead_ns: u32,
    ) -> OpId {
        if self.clockless {
            self.program_clockless(page);
            return OpId::NONE;
        }
        let at = self.place(page);
        let mut times = self.program_times(&at, write.bytes);
        times.array_ns += overhead_ns;
        self.count_program(&at, write, 1, times.in_ns + times.array_ns);
        let spec = OpSpec {
            mode: Some(at.array.store_mode),
            plane_in_die: at.in_die,
            page: at.index as u16,
            array_ns: times.array_ns,
            in_ns: times.in_ns,
            request: write.request,
            counts: !write.request.is_none(),
            ..OpSpec::new(at.array.store, write.cause, write.class, at.block, at.unit)
        };
        let op = self.timing.emit(spec, sources);
        self.supersede_with(at.block, op);
        op
    }

    /// Emits the program of `page`, one page of a per-page mode, after `sources`; further requests
    /// may join it until `start_joinable`.
    pub(in crate::ftl) fn program_joinable(
        &mut self,
        page: Ppn,
        write: &PageWrite,
        sources: &[OpId],
    ) -> OpId {
        if self.clockless {
            self.program_clockless(page);
            return OpId::NONE;
        }
        let at = self.place(page);
        let times = self.program_times(&at, write.bytes);
        self.count_program(&at, write, 1, times.in_ns + times.array_ns);
        let spec = OpSpec {
            mode: Some(at.array.store_mode),
            plane_in_die: at.in_die,
            page: at.index as u16,
            array_ns: times.array_ns,
            in_ns: times.in_ns,
            ..OpSpec::new(OpKind::Program, write.cause, write.class, at.block, at.unit)
        };
        let op = self.timing.emit_joinable(spec, Gap::Merge, sources);
        self.supersede_with(at.block, op);
        if !write.request.is_none() {
            self.timing.join_request(op, write.request);
        }
        op
    }

    /// Lets a joinable program go: nothing more joins it.
    pub(in crate::ftl) fn start_joinable(&mut self, op: OpId) {
        if !op.is_none() {
            self.timing.release(op);
        }
    }

    pub(super) fn program_clockless(&mut self, page: Ppn) {
        let geometry = &self.media.array().geometry;
        let block = geometry.block_of(page);
        self.timing.set_done(block, geometry.page_in_block(page) + 1);
        self.clockless_programs += 1;
    }
}
