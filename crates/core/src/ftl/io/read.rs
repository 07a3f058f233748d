//! Reads, and moves within a unit: a read whose data the unit then programs, or a copy-back.

use super::cells::RetryTimes;
use super::Io;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::Ppn;
use crate::ftl::piece::{Job, PageWrite};
use crate::hw::timing::{MoveTarget, OpId, OpSpec, RequestId};

/// A read that is to be emitted.
#[derive(Clone, Copy)]
struct PageRead {
    page: Ppn,
    bytes: u32,
    job: Job,
    request: RequestId,
    /// Whether the request waits for this very read.
    counts: bool,
    /// What it comes behind, if anything.
    after: OpId,
}

impl Io {
    /// Reads `bytes` of `page`; `OpId::NONE` when the data are still in the controller.
    #[inline(always)]
    pub(in crate::ftl) fn read(
        &mut self,
        page: Ppn,
        bytes: u32,
        cause: Cause,
        class: Class,
        request: RequestId,
        counts: bool,
    ) -> OpId {
        let (job, after) = (Job { cause, class }, OpId::NONE);
        self.emit_read(PageRead { page, bytes, job, request, counts, after })
    }

    /// Reads as `read` does, for no request, behind the operation `after`.
    #[cold]
    pub(in crate::ftl) fn read_behind(&mut self, page: Ppn, bytes: u32, job: Job, after: OpId) -> OpId {
        self.emit_read(PageRead { page, bytes, job, request: RequestId::NONE, counts: false, after })
    }

    /// Reads a part of a logical page for the host, behind the operation `after` where there is one.
    #[inline]
    pub(in crate::ftl) fn read_part(
        &mut self,
        page: Ppn,
        bytes: u32,
        request: RequestId,
        after: OpId,
    ) -> OpId {
        let job = Job { cause: Cause::Host, class: Class::HostRead };
        self.emit_read(PageRead { page, bytes, job, request, counts: true, after })
    }

    #[inline(always)]
    fn emit_read(&mut self, read: PageRead) -> OpId {
        if self.clockless {
            return OpId::NONE;
        }
        if self.has_cells() {
            return self.read_erring(read);
        }
        self.read_in_time::<false>(read)
    }

    /// Reads cells that err: apart, so that reading others stays short.
    #[cold]
    #[inline(never)]
    fn read_erring(&mut self, read: PageRead) -> OpId {
        self.read_in_time::<true>(read)
    }

    #[inline(always)]
    fn read_in_time<const ERRING: bool>(&mut self, read: PageRead) -> OpId {
        let PageRead { page, bytes, job, request, counts, after } = read;
        let at = self.place(page);
        let in_flight = self.timing.in_flight(at.block, at.index);
        if in_flight && (self.policy.inflight_from_buffer || self.is_staged(page)) {
            return OpId::NONE;
        }
        let bytes = self.transferred(&at, bytes);
        let mut times = self.read_times(&at, bytes);
        let mut again = RetryTimes::default();
        if ERRING {
            again = self.read_again(&at, bytes, job.cause, request, &mut times);
        }
        self.count_read(&at, job.cause, bytes, &times);
        let spec = OpSpec {
            mode: Some(at.array.read_mode),
            plane_in_die: at.in_die,
            page: at.index as u16,
            array_ns: times.array_ns,
            in_ns: times.in_ns,
            out_ns: times.out_ns,
            request,
            counts,
            ..OpSpec::new(OpKind::Read, job.cause, job.class, at.block, at.unit)
        };
        let read = if in_flight {
            let program = self.timing.program_of(at.block, at.index);
            self.timing.raise(program, job.class);
            if !after.is_none() && after != program {
                self.timing.raise(after, job.class);
                self.timing.emit(spec, &[program, after])
            } else {
                self.timing.emit(spec, &[program])
            }
        } else if !after.is_none() {
            self.timing.raise(after, job.class);
            self.timing.emit(spec, &[after])
        } else {
            self.timing.emit(spec, &[])
        };
        if ERRING {
            self.note_retry(read, again);
        }
        read
    }

    /// Whether `page`, not yet programmed in time, is still staged: its wordline is not full, so
    /// it is read from the controller (a wordline may even hold two versions of a page).
    #[cold]
    pub(super) fn is_staged(&self, page: Ppn) -> bool {
        let geometry = &self.media.array().geometry;
        let block = geometry.block_of(page);
        let pool = geometry.pool_of(geometry.plane_of(block));
        let record = self.media.array().block(block);
        if record.is_two_layer() {
            return false; // Two-layer blocks are stored page by page.
        }
        let wordline = pool.mode(record.mode()).pages_per_program;
        let program = self.timing.program_of(block, geometry.page_in_block(page));
        program.is_none() || self.timing.pages(program) < wordline
    }

    /// Moves `bytes` from one page to another of the same unit, both of which keep their places of
    /// slots: a copy-back where the chips have it, else a read whose data the unit then programs. What
    /// is not yet programmed is read and programmed apart. `OpId::NONE` without the clock.
    #[inline]
    pub(in crate::ftl) fn move_within_unit(&mut self, from: Ppn, to: Ppn, write: &PageWrite) -> OpId {
        if self.clockless {
            self.program_clockless(to);
            return OpId::NONE;
        }
        let source = self.place(from);
        if self.timing.in_flight(source.block, source.index) {
            let read = self.read(from, write.bytes, write.cause, write.class, RequestId::NONE, false);
            return self.program(to, write, if read.is_none() { &[] } else { std::slice::from_ref(&read) });
        }
        let target = self.place(to);
        if let Some(array_ns) = self.copyback_ns_to(source.block, &target) {
            if self.reads_cleanly(from) {
                self.count_quiet_reads(&source, write.cause, 1);
                return self.copy_back(target, array_ns, write);
            }
        }
        let bytes = self.transferred(&source, write.bytes);
        let mut reads = self.read_times(&source, bytes);
        if self.has_cells() {
            self.read_again(&source, bytes, write.cause, RequestId::NONE, &mut reads);
        }
        self.count_read(&source, write.cause, bytes, &reads);
        let programs = self.program_times(&target, write.bytes);
        self.count_program(&target, write, 1, programs.in_ns + programs.array_ns);
        let then = MoveTarget {
            kind: target.array.store,
            mode: target.array.store_mode,
            block: target.block,
            page: target.index as u16,
            array_ns: programs.array_ns,
            in_ns: programs.in_ns,
        };
        let spec = OpSpec {
            mode: Some(source.array.read_mode),
            plane_in_die: target.in_die,
            page: source.index as u16,
            array_ns: reads.array_ns,
            in_ns: reads.in_ns,
            out_ns: reads.out_ns,
            then: Some(then),
            ..OpSpec::new(OpKind::Read, write.cause, write.class, source.block, target.unit)
        };
        self.timing.emit(spec, &[])
    }
}
