//! The verbs of a flash cache in front of a disk: a logical page's mapping units lie where each was last
//! put, in flash or on the disk, and nothing is merged.

use super::destination::Destination;
use super::io::Io;
use super::media::{bits, SLOTS_MAX};
use super::page_level::{mapped_in, Sources};
use super::piece::{PageWrite, Piece};
use super::relocate::note_carrier;
use crate::base::arithmetic::Ones;
use crate::base::op::{Cause, Class};
use crate::base::Ppn;
use crate::hw::timing::{OpId, RequestId};

/// Reads under way, of flash pages and of the disk.
pub struct Reads {
    ops: [OpId; SLOTS_MAX],
    count: usize,
    pages: [Ppn; SLOTS_MAX],
    page_count: usize,
}

impl Reads {
    pub fn none() -> Self {
        Self { ops: [OpId::NONE; SLOTS_MAX], count: 0, pages: [Ppn(0); SLOTS_MAX], page_count: 0 }
    }

    /// The operations; what is still in the controller has none.
    #[inline]
    pub fn ops(&self) -> &[OpId] {
        &self.ops[..self.count]
    }

    /// The flash pages that were read.
    #[inline]
    fn pages(&self) -> &[Ppn] {
        &self.pages[..self.page_count]
    }

    #[inline]
    fn add(&mut self, op: OpId) {
        if !op.is_none() {
            self.ops[self.count] = op;
            self.count += 1;
        }
    }

    /// Reads the units of `piece` in `mask` from flash, where they are mapped: what the host asked for, or
    /// whole units if they are to be `kept` elsewhere.
    #[inline]
    pub fn host(piece: &Piece, mask: u32, kept: bool, io: &mut Io) -> Self {
        let mut reads = Self::none();
        let sources = Sources::of(io, piece.page, mask);
        let exact = !kept && mask == piece.mask && sources.list().len() == 1;
        for &(page, units) in sources.list() {
            let bytes = if exact { piece.bytes } else { units * io.geometry().mu_bytes };
            let before = if io.policy().parts_in_turn { reads.last() } else { OpId::NONE };
            let op = io.read_part(page, bytes, piece.request, before);
            reads.note(page, op);
        }
        reads
    }

    /// Reads the units of `piece` in `mask`, which are not mapped, from the disk.
    pub fn host_from_disk(piece: &Piece, mask: u32, io: &mut Io) -> Self {
        let mut reads = Self::none();
        reads.disk(piece, mask, Cause::Host, true, io);
        reads
    }

    /// Reads what a write of `piece` must keep: the old data of units it covers only in part.
    pub fn kept(piece: &Piece, io: &mut Io) -> Self {
        let mut reads = Self::none();
        if piece.partial == 0 {
            return reads;
        }
        let mapped = mapped_in(io, piece.page, piece.partial);
        for &(page, units) in Sources::of(io, piece.page, mapped).list() {
            let bytes = units * io.geometry().mu_bytes;
            let op = io.read(page, bytes, Cause::Rmw, Class::HostRead, piece.request, false);
            reads.note(page, op);
        }
        reads.disk(piece, piece.partial & !mapped, Cause::Rmw, false, io);
        reads
    }

    /// The last operation; none where there is none.
    fn last(&self) -> OpId {
        self.ops().last().copied().unwrap_or(OpId::NONE)
    }

    /// Notes that `op` reads flash page `page`.
    fn note(&mut self, page: Ppn, op: OpId) {
        self.add(op);
        self.pages[self.page_count] = page;
        self.page_count += 1;
    }

    fn disk(&mut self, piece: &Piece, mask: u32, cause: Cause, counts: bool, io: &mut Io) {
        if mask != 0 {
            let reads = io.read_disk(piece.page, mask, cause, Class::HostRead, piece.request, counts);
            reads.ops().iter().for_each(|&op| self.add(op));
        }
    }
}

/// Writes a piece as page `to`, which `dest` just gave, reading first what it covers only in part.
pub fn write<D: Destination>(piece: &Piece, dest: &mut D, writer: D::Writer, to: Ppn, io: &mut Io) {
    let reads = Reads::kept(piece, io);
    let units = piece.mask.ones();
    let merged = piece.partial != 0 && io.policy().rmw_whole_page;
    let write = PageWrite {
        bytes: if merged { units * io.geometry().mu_bytes } else { piece.bytes },
        fresh_slots: units,
        slots: units,
        cause: piece.cause,
        class: Class::HostWrite,
        request: piece.request,
    };
    put(piece.page, piece.mask, piece.mask, to, io);
    dest.program(io, to, writer, &write, reads.ops());
}

/// Copies the units of logical page `page` in `mask`, which `reads` fetch, to page `to`, which `dest` just
/// gave; nobody waits for it. Returns its program.
pub fn copy<D: Destination>(
    (page, mask): (u32, u32),
    reads: &Reads,
    cause: Cause,
    dest: &mut D,
    writer: D::Writer,
    to: Ppn,
    io: &mut Io,
) -> OpId {
    let units = mask.ones();
    let write = PageWrite {
        bytes: units * io.geometry().mu_bytes,
        fresh_slots: units,
        slots: units,
        cause,
        class: Class::Background,
        request: RequestId::NONE,
    };
    put(page, mask, 0, to, io);
    let program = dest.program(io, to, writer, &write, reads.ops());
    for &from in reads.pages() {
        let block = io.geometry().block_of(from);
        note_carrier(dest, io, block, to, writer, program, None);
    }
    program
}

/// Stores units of logical page `page` in `to`, each in the slot of its number.
#[inline]
fn put(page: u32, mask: u32, fresh: u32, to: Ppn, io: &mut Io) {
    let n = io.policy().mus_per_page;
    let mut tags = [0; SLOTS_MAX];
    bits(mask).for_each(|i| tags[i as usize] = page * n + i + 1);
    io.write_page(to, &tags[..n as usize], fresh, 0);
}
