//! The page-level FTL's two verbs: a logical page's mapping units stay together in one flash page.

use super::answer::DeviceFull;
use super::io::Io;
use super::media::{bits, SLOTS_MAX};
use super::piece::{PageWrite, Piece, Span};
use super::region::{Region, Writer};
use crate::base::arithmetic::Ones;
use crate::base::op::{Cause, Class};
use crate::base::request::SECTOR_BYTES;
use crate::base::{Mu, PlaneId, Ppn};
use crate::hw::timing::{OpId, RequestId};

/// The distinct flash pages that hold some mapping units, with how many each holds.
pub(super) struct Sources {
    pages: [(Ppn, u32); SLOTS_MAX],
    len: usize,
}

impl Sources {
    /// The flash pages of those mapping units of logical page `page` that are in `mask`.
    #[inline]
    pub(super) fn of(io: &Io, page: u32, mask: u32) -> Self {
        let mut sources = Self { pages: [(Ppn(0), 0); SLOTS_MAX], len: 0 };
        sources.add_units(io, page, mask);
        sources
    }

    /// (flash page, mapping units needed of it).
    #[inline]
    pub(super) fn list(&self) -> &[(Ppn, u32)] {
        &self.pages[..self.len]
    }

    /// Adds the flash pages of further mapping units; at most `SLOTS_MAX` in all.
    #[inline]
    pub(super) fn add_units(&mut self, io: &Io, page: u32, mask: u32) {
        let first = page * io.policy().mus_per_page;
        let mut rest = mask;
        while rest != 0 {
            let mu = Mu(first + rest.trailing_zeros());
            rest &= rest - 1;
            if let Some(slot) = io.lookup(mu) {
                self.add(io.geometry().page_of(slot));
            }
        }
    }

    #[inline]
    fn add(&mut self, page: Ppn) {
        match self.pages[..self.len].iter_mut().find(|(p, _)| *p == page) {
            Some((_, units)) => *units += 1,
            None => {
                self.pages[self.len] = (page, 1);
                self.len += 1;
            }
        }
    }
}

/// The mapping units of logical page `page` that hold data.
#[inline]
pub fn mapped_mask(io: &Io, page: u32) -> u32 {
    let n = io.policy().mus_per_page;
    (0..n).filter(|i| io.lookup(Mu(page * n + i)).is_some()).fold(0, |mask, i| mask | 1 << i)
}

/// Those of the mapping units of logical page `page` in `within` that hold data.
#[inline]
pub fn mapped_in(io: &Io, page: u32, within: u32) -> u32 {
    let first = page * io.policy().mus_per_page;
    bits(within).filter(|i| io.lookup(Mu(first + i)).is_some()).fold(0, |mask, i| mask | 1 << i)
}

/// Whether any of the mapping units of logical page `page` in `within` holds data, in flash or waiting to be
/// packed.
#[inline(always)]
pub fn holds_any(io: &Io, page: u32, within: u32) -> bool {
    let first = page * io.policy().mus_per_page;
    bits(within).any(|i| io.lookup(Mu(first + i)).is_some()) || io.held().mask(page) & within != 0
}

/// The mapping units of logical page `page` that hold data, in flash or waiting to be packed.
#[inline]
pub fn present_mask(io: &Io, page: u32) -> u32 {
    mapped_mask(io, page) | io.held().mask(page)
}

/// Reads a piece: one flash read per distinct page that holds a part of it. What is held as a
/// whole comes from the controller.
#[inline]
pub fn read(piece: &Piece, io: &mut Io) {
    let mask = piece.mask & !io.held().whole(piece.page);
    match sole_page(io, piece.page, mask) {
        Some(page) => {
            let whole = mask == piece.mask;
            let bytes = if whole { piece.bytes } else { mask.ones() * io.geometry().mu_bytes };
            io.read(page, bytes, Cause::Host, Class::HostRead, piece.request, true);
        }
        None => read_scattered(piece, mask, io),
    }
}

/// The flash page that holds all mapping units of logical page `page` in `mask`, as most do.
#[inline(always)]
fn sole_page(io: &Io, page: u32, mask: u32) -> Option<Ppn> {
    let first = page * io.policy().mus_per_page;
    let place = |i| io.lookup(Mu(first + i)).map(|slot| io.geometry().page_of(slot));
    let mut units = bits(mask);
    let sole = place(units.next()?)?;
    units.all(|i| place(i) == Some(sole)).then_some(sole)
}

/// Reads the units in `mask` of a piece from wherever they lie.
fn read_scattered(piece: &Piece, mask: u32, io: &mut Io) {
    let sources = Sources::of(io, piece.page, mask);
    let units: u32 = sources.list().iter().map(|s| s.1).sum();
    let whole = sources.len == 1 && units == piece.mask.ones();
    let mut before = OpId::NONE;
    for &(page, units) in sources.list() {
        let bytes = if whole { piece.bytes } else { units * io.geometry().mu_bytes };
        let read = io.read_part(page, bytes, piece.request, before);
        if io.policy().parts_in_turn && !read.is_none() {
            before = read;
        }
    }
}

/// Writes a piece as one page of `region` in `plane`, reading first what the page must keep.
#[inline(always)]
pub fn write(
    piece: &Piece,
    region: &mut Region,
    plane: PlaneId,
    reserve: u32,
    io: &mut Io,
) -> Result<(), DeviceFull> {
    let page = region.take_page(io, plane, Writer::Host, reserve).ok_or(DeviceFull)?;
    write_to(piece, region, page, io);
    Ok(())
}

/// Writes a piece as `page`, which `take_page` gave, reading first what the page must keep.
#[inline]
pub fn write_to(piece: &Piece, region: &mut Region, page: Ppn, io: &mut Io) {
    write_through(piece, page, io, |io, write, sources| {
        region.emit(io, page, Writer::Host, write, sources);
    });
}

/// Writes a piece as `page`, which was just taken; `emit` gets the program and what it waits for.
#[inline]
pub fn write_through(piece: &Piece, page: Ppn, io: &mut Io, emit: impl FnOnce(&mut Io, &PageWrite, &[OpId])) {
    let all = Span { first: 0, units: io.policy().mus_per_page };
    let (mut kept, mut ops, mut reads) = (0, [OpId::NONE; SLOTS_MAX], 0);
    if !piece.covers(all.mask()) {
        (kept, reads) = fetch_kept(piece, all.mask(), &mut ops, io);
    }
    write_span(piece, all, kept, page, io, |io, write| emit(io, write, &ops[..reads]));
}

/// What has to be kept of a logical page beside what a piece brings, and the reads that fetch it.
pub struct OldUnits {
    /// Mapping units that hold data where the piece is written, and that it does not cover as a whole.
    pub units: u32,
    ops: [OpId; SLOTS_MAX],
    reads: usize,
}

impl OldUnits {
    /// Reads what must be kept of the mapping units `within` when `piece` is written there.
    #[inline(always)]
    pub fn fetch(piece: &Piece, within: u32, io: &mut Io) -> Self {
        let mut ops = [OpId::NONE; SLOTS_MAX];
        let (units, reads) = fetch_kept(piece, within, &mut ops, io);
        Self { units, ops, reads }
    }

    /// The reads under way.
    #[inline(always)]
    pub fn reads(&self) -> &[OpId] {
        &self.ops[..self.reads]
    }
}

/// Reads what must be kept of the mapping units `within` when `piece` is written there: which they are,
/// and how many reads wait in `ops`.
#[inline(always)]
fn fetch_kept(piece: &Piece, within: u32, ops: &mut [OpId; SLOTS_MAX], io: &mut Io) -> (u32, usize) {
    let units = mapped_in(io, piece.page, within & (!piece.mask | piece.partial));
    let reads = if units == 0 { 0 } else { read_kept(piece, within, units, ops, io) };
    (units, reads)
}

/// Writes what `piece` and the units it has `kept` have in `span` as `page`, which was just taken; `emit` gets the
/// program, which waits for the reads of what is kept.
#[inline(always)]
pub fn write_span(
    piece: &Piece,
    span: Span,
    kept: u32,
    page: Ppn,
    io: &mut Io,
    emit: impl FnOnce(&mut Io, &PageWrite),
) {
    let mu_bytes = io.geometry().mu_bytes;
    let first = piece.page * io.policy().mus_per_page + span.first;
    let fresh = span.cut(piece.mask);
    let live = fresh | span.cut(kept);
    io.write_units(page, first, span.units, live, fresh);
    let slots = span.count(live);
    let merged = span.cut(kept) != 0 && io.policy().rmw_whole_page;
    let write = PageWrite {
        bytes: if merged { slots * mu_bytes } else { piece.bytes },
        fresh_slots: if fresh == live { slots } else { fresh.ones() },
        slots,
        cause: piece.cause,
        class: Class::HostWrite,
        request: piece.request,
    };
    emit(io, &write);
}

/// Slots of a page of the pool that `page` is in.
pub(super) fn region_slots(io: &Io, page: Ppn) -> usize {
    let geometry = io.geometry();
    geometry.pool_of(geometry.plane_of(geometry.block_of(page))).slots_per_page as usize
}

/// Emits the reads of a read-modify-write that keeps units of those `within`, or all of them that hold
/// data where whole pages are read; returns how many wait in `ops`.
fn read_kept(piece: &Piece, within: u32, kept: u32, ops: &mut [OpId; SLOTS_MAX], io: &mut Io) -> usize {
    let whole = io.policy().rmw_whole_page;
    let sources = Sources::of(io, piece.page, if whole { within } else { kept });
    let mut reads = 0;
    for &(page, units) in sources.list() {
        let bytes = units * io.geometry().mu_bytes;
        let op = io.read(page, bytes, Cause::Rmw, Class::HostRead, piece.request, false);
        if !op.is_none() {
            ops[reads] = op;
            reads += 1;
        }
    }
    reads
}

/// The mask of a whole logical page of `mus_per_page` mapping units.
#[inline]
pub fn whole_mask(mus_per_page: u32) -> u32 {
    (u64::MAX >> (64 - mus_per_page)) as u32
}

/// A piece that writes logical page `page` whole, without a request.
pub fn whole_page(page: u32, mus_per_page: u32, mu_bytes: u32) -> Piece {
    part_of_page(page, whole_mask(mus_per_page), mu_bytes)
}

/// A piece that writes the mapping units of logical page `page` in `mask`, without a request.
pub fn part_of_page(page: u32, mask: u32, mu_bytes: u32) -> Piece {
    let units = mask.ones();
    Piece {
        request: RequestId::NONE,
        page,
        mask,
        partial: 0,
        bytes: units * mu_bytes,
        cause: Cause::Host,
        first: true,
        stream: 0,
        hint: 0,
        request_sectors: units * (mu_bytes / SECTOR_BYTES as u32),
    }
}

/// Places what logical page `page` lacks of its units in `mask`, new, in `region`; nothing is timed or
/// counted.
pub fn preload(
    page: u32,
    mask: u32,
    region: &mut Region,
    plane: PlaneId,
    reserve: u32,
    io: &mut Io,
) -> Result<(), DeviceFull> {
    let all = Span { first: 0, units: io.policy().mus_per_page };
    preload_span(page, mask, all, region, plane, reserve, io)
}

/// Places what the page lacks of its units in `mask` and `span`, which fill a page of `region` or less.
pub fn preload_span(
    page: u32,
    mask: u32,
    span: Span,
    region: &mut Region,
    plane: PlaneId,
    reserve: u32,
    io: &mut Io,
) -> Result<(), DeviceFull> {
    let absent = span.cut(mask & !present_mask(io, page));
    let first = page * io.policy().mus_per_page + span.first;
    let to = region.take_page(io, plane, Writer::Host, reserve).ok_or(DeviceFull)?;
    io.write_units(to, first, span.units, absent, absent);
    let units = span.count(absent);
    let write = PageWrite {
        bytes: units * io.geometry().mu_bytes,
        fresh_slots: units,
        slots: units,
        cause: Cause::Host,
        class: Class::HostWrite,
        request: RequestId::NONE,
    };
    region.emit(io, to, Writer::Host, &write, &[]);
    Ok(())
}
