//! Relocation: live data move to another page, and a block that all have left is erased.

use super::answer::DeviceFull;
use super::destination::Destination;
use super::io::{Io, Moves, Programs};
use super::piece::Job;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::{OpId, RequestId};

/// How many pages ahead the map entries of a victim's live slots are fetched.
const MAP_AHEAD: u32 = 8;

const ROOM: &str = "Invariant: the room was checked";

/// Moves the live pages of `block` into `plane` of `dest` and erases it; where they do not fit, nothing
/// has moved. The caller gives the block back to its region and calls `pad_unprotected` in the end.
pub fn empty_block<D: Destination>(
    dest: &mut D,
    io: &mut Io,
    block: BlockId,
    plane: PlaneId,
    job: Job,
    writer: D::Writer,
) -> Result<(), DeviceFull> {
    if io.array().live_pages(block) > dest.room(io, plane, writer) {
        return Err(DeviceFull);
    }
    let mut programs = Programs::begin(io);
    let together = !dest.sorts(io, block, writer) && D::IN_PLANE && dest.per_page();
    let moves = if together { io.begin_moves(block, plane, job) } else { None };
    match moves {
        Some(moves) => move_together(dest, io, plane, writer, moves, &mut programs),
        None => move_one_by_one(dest, io, block, plane, job, writer, &mut programs),
    }
    io.erase_block(block, programs, job.cause, job.class);
    Ok(())
}

/// Moves what lives in the block of `moves` to pages that follow each other.
#[inline]
fn move_together<D: Destination>(
    dest: &mut D,
    io: &mut Io,
    plane: PlaneId,
    writer: D::Writer,
    mut moves: Moves,
    programs: &mut Programs,
) {
    let mut left = io.array().live_pages(moves.block());
    while left > 0 {
        let (to, count) = dest.next_pages(io, plane, writer, left).expect(ROOM);
        io.move_pages(&mut moves, to, count, programs);
        left -= count;
    }
    io.count_moves(&mut moves);
}

/// Moves what lives in `block` page by page.
fn move_one_by_one<D: Destination>(
    dest: &mut D,
    io: &mut Io,
    block: BlockId,
    plane: PlaneId,
    job: Job,
    writer: D::Writer,
    programs: &mut Programs,
) {
    let pages = io.array().block(block).write_ptr();
    let (first, first_tag) = (io.geometry().page(block, 0), io.array().first_tag(block));
    for index in 0..pages {
        let from = Ppn(first.0 + index);
        if index + MAP_AHEAD < pages {
            io.prefetch_owners(first_tag, index + MAP_AHEAD);
        }
        if io.array().tags_at(first_tag, index).iter().all(|&tag| tag == 0) {
            continue;
        }
        dest.sort(io, from, writer);
        let to = dest.next_page(io, plane, writer).expect(ROOM);
        relocate(dest, io, from, to, writer, job, Some(programs));
    }
}

/// Erases a block that holds nothing live and was emptied by steps; its region gets it back from the
/// caller.
pub fn erase_block(io: &mut Io, block: BlockId, job: Job) {
    let programs = Programs::begin(io);
    io.erase_block(block, programs, job.cause, job.class);
}

/// Moves what lives in `from` to `to`, which `dest` just gave, as a step of its own: the erase of the
/// block it leaves may come much later, and waits for it.
pub fn relocate_page<D: Destination>(
    dest: &mut D,
    io: &mut Io,
    from: Ppn,
    to: Ppn,
    writer: D::Writer,
    job: Job,
) {
    relocate(dest, io, from, to, writer, job, None);
}

/// Moves what lives in `from` to `to`; the block it leaves may be `emptied` and erased behind these programs.
#[inline(always)]
pub(super) fn relocate<D: Destination>(
    dest: &mut D,
    io: &mut Io,
    from: Ppn,
    to: Ppn,
    writer: D::Writer,
    job: Job,
    emptied: Option<&mut Programs>,
) {
    let units = io.remap_page(from, to);
    let geometry = io.geometry();
    let block = geometry.block_of(from);
    let write = job.write(units, geometry.mu_bytes);
    let unit_of = |page| geometry.planes[geometry.plane_of(geometry.block_of(page)).index()].unit;
    let program = if dest.per_page() && unit_of(from) == unit_of(to) {
        io.move_within_unit(from, to, &write)
    } else {
        let read = io.read(from, write.bytes, job.cause, job.class, RequestId::NONE, false);
        let sources = if read.is_none() { &[] } else { std::slice::from_ref(&read) };
        dest.program(io, to, writer, &write, sources)
    };
    note_carrier(dest, io, block, to, writer, program, emptied);
}

/// Notes that `program`, of page `to`, carries data out of `block`: its erase, the one of the block
/// `emptied` or a later one, waits for it. With power-loss protection a staged page is safe already.
#[inline(always)]
pub(super) fn note_carrier<D: Destination>(
    dest: &D,
    io: &mut Io,
    block: BlockId,
    to: Ppn,
    writer: D::Writer,
    program: OpId,
    emptied: Option<&mut Programs>,
) {
    let to_block = io.geometry().block_of(to);
    if io.policy().plp && dest.is_staged(io.geometry().plane_of(to_block), writer) {
        return;
    }
    match emptied {
        Some(programs) => programs.add(to_block, program),
        None => io.note_moved(block, to_block, program),
    }
}
