//! The programs of a region's pages: one by one, or staged until a wordline is full.

use super::{Region, StagedPages, Writer};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::destination::Destination;
use crate::ftl::io::Io;
use crate::ftl::piece::PageWrite;
use crate::hw::timing::{OpId, RequestId};

impl Region {
    /// Emits the program of `page`, which `take_page` gave and the media holds, after `sources`.
    /// Returns the operation that will program it, complete or still staged.
    #[inline(always)]
    pub fn emit(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
    ) -> OpId {
        self.emit_slowly(io, page, writer, write, sources, 0)
    }

    /// Emits a program; the array takes `overhead_ns` longer for the wordline's first page.
    #[inline(always)]
    pub fn emit_slowly(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
        overhead_ns: u32,
    ) -> OpId {
        if self.pages_per_program == 1 {
            let first = overhead_ns == 0 || io.geometry().page_in_block(page) % self.spec.mode.bits() == 0;
            return io.program_slowly(page, write, sources, if first { overhead_ns } else { 0 });
        }
        let (op, last) = self.stage(io, page, writer, write, sources, overhead_ns);
        if last {
            io.start_joinable(op);
        }
        op
    }

    /// Emits a program that further requests may join before the caller starts it, which is to
    /// be done where the answer's other half says so: the wordline is full.
    pub fn emit_joinable(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
    ) -> (OpId, bool) {
        match self.pages_per_program {
            1 => (io.program_joinable(page, write, sources), true),
            _ => self.stage(io, page, writer, write, sources, 0),
        }
    }

    /// Whether the next page of `writer` in `plane` makes a wordline full.
    pub fn fills_wordline(&self, plane: PlaneId, writer: Writer) -> bool {
        let stage = self.frontiers[self.at(plane, writer)].stage;
        stage.map_or(0, |s| s.pages) + 1 == self.pages_per_program
    }

    /// Stages `page`; returns the program of its wordline and whether that is full.
    fn stage(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
        overhead_ns: u32,
    ) -> (OpId, bool) {
        let geometry = io.geometry();
        let plane = geometry.plane_of(geometry.block_of(page));
        let at = self.at(plane, writer);
        let due_ns = io.pads_at_ns(io.now_ns());
        let pages_per_program = self.pages_per_program;
        let place = &mut self.frontiers[at].stage;
        let begun = StagedPages { op: OpId::NONE, pages: 0, first: page, holds_host: false, due_ns };
        let stage = place.get_or_insert(begun);
        if stage.op.is_none() {
            stage.op = io.open_stage(page, write, overhead_ns);
        }
        stage.pages += 1;
        let (op, last) = (stage.op, stage.pages == pages_per_program);
        io.add_to_stage(op, page, write, sources, last);
        if !write.request.is_none() && !stage.holds_host {
            stage.holds_host = true;
            stage.due_ns = due_ns;
            io.wake_stage(plane, due_ns);
        }
        if last {
            *place = None;
        }
        (op, last)
    }

    /// Pads staged wordlines of `plane` that an erase waits for, or that hold host pages and have waited
    /// long enough; all of them if `now`. Returns the pages padded.
    pub fn pad(&mut self, io: &mut Io, plane: PlaneId, now: bool) -> u32 {
        let next = self.next;
        let mut padded = 0;
        for class in 0..self.spec.clean.open_blocks() as u8 {
            self.set_class(Writer::Host, class);
            let at = self.at(plane, Writer::Host);
            while let Some(stage) = self.frontiers[at].stage {
                let is_due = stage.holds_host && self.is_due(io, plane, at);
                if !(now || is_due || io.is_awaited(stage.op)) {
                    break;
                }
                if !self.pad_stage(io, plane, Writer::Host) {
                    break;
                }
                padded += 1;
            }
        }
        self.next = next;
        padded
    }

    /// Pads a page of the wordline that `writer` has staged in `plane`; false if it has none.
    pub(super) fn pad_stage(&mut self, io: &mut Io, plane: PlaneId, writer: Writer) -> bool {
        let Some(stage) = self.frontiers[self.at(plane, writer)].stage else {
            return false;
        };
        let Some(page) = self.take_page(io, plane, writer, 0) else {
            return false;
        };
        io.write_page(page, &[], 0, 0);
        // What is staged of data from before time 0 alone costs nothing, and so does its padding.
        io.clockless_if(stage.op.is_none(), |io| self.emit(io, page, writer, &PAD, &[]));
        true
    }

    /// Whether a staged wordline has waited long enough. As long as the host writes into the DRAM buffer, it
    /// may yet be filled: it is looked at again.
    fn is_due(&mut self, io: &mut Io, plane: PlaneId, at: usize) -> bool {
        let pads_at_ns = io.pads_at_ns(0);
        let Some(stage) = self.frontiers[at].stage.as_mut() else {
            return false;
        };
        if stage.due_ns > io.now_ns() {
            return false;
        }
        if pads_at_ns > io.now_ns() {
            stage.due_ns = pads_at_ns;
            io.wake_stage(plane, pads_at_ns);
            return false;
        }
        true
    }

    /// Whether `writer` in `plane` has a wordline staged.
    pub fn staged(&self, plane: PlaneId, writer: Writer) -> Option<OpId> {
        self.frontiers[self.at(plane, writer)].stage.map(|s| s.op)
    }

    /// What programs the wordlines staged in `plane`.
    pub fn all_staged(&self, plane: PlaneId) -> impl Iterator<Item = OpId> + '_ {
        self.frontiers_of(plane).filter_map(|frontier| frontier.stage.map(|stage| stage.op))
    }
}

/// A page without data. Nobody waits for it: the wordline keeps the class of what is staged.
const PAD: PageWrite = PageWrite {
    bytes: 0,
    fresh_slots: 0,
    slots: 0,
    cause: Cause::Pad,
    class: Class::Background,
    request: RequestId::NONE,
};

impl Destination for Region {
    type Writer = Writer;

    #[inline]
    fn next_page(&mut self, io: &mut Io, plane: PlaneId, writer: Writer) -> Option<Ppn> {
        self.take_page(io, plane, writer, 0)
    }

    #[inline]
    fn next_pages(&mut self, io: &mut Io, plane: PlaneId, writer: Writer, most: u32) -> Option<(Ppn, u32)> {
        self.take_pages(io, plane, writer, most)
    }

    #[inline]
    fn program(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
    ) -> OpId {
        self.emit(io, page, writer, write, sources)
    }

    fn room(&self, io: &Io, plane: PlaneId, writer: Writer) -> u32 {
        Region::room(self, io, plane, writer)
    }

    #[inline]
    fn is_staged(&self, plane: PlaneId, writer: Writer) -> bool {
        self.staged(plane, writer).is_some()
    }

    #[inline]
    fn per_page(&self) -> bool {
        self.pages_per_program == 1
    }

    #[inline]
    fn sorts(&mut self, io: &Io, block: BlockId, writer: Writer) -> bool {
        self.separator.is_some() && self.sorts_pages(io, block, writer)
    }

    #[inline]
    fn sort(&mut self, io: &Io, from: Ppn, writer: Writer) {
        if self.separator.is_some() {
            self.place_moved(from, writer, io);
        }
    }
}
