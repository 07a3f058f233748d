//! Cleaning: a victim's live pages move to a frontier of the same plane, then it is erased.

use super::answer::DeviceFull;
use super::io::{Io, Programs};
use super::piece::PageWrite;
use super::region::{Region, Writer};
use super::victim;
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::op_table::{OpId, RequestId};

/// How many pages ahead the map entries of a victim's live slots are fetched.
const MAP_AHEAD: u32 = 8;

/// Why and how urgently a block is emptied.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Cause of every operation of the job.
    pub cause: Cause,
    /// Priority.
    pub class: Class,
}

/// Cleans `plane` of `region` until it has `target` free blocks or nothing more can be won.
pub fn clean_plane(region: &mut Region, io: &mut Io, plane: PlaneId, target: u32, job: Job) {
    while region.free_blocks(plane) < target {
        if !clean_block(region, io, plane, 1, job) {
            break;
        }
    }
    pad_unprotected(region, io, plane);
}

/// Without power-loss protection no erase may wait for a wordline that nobody fills. Padding only
/// after a whole round keeps every victim's gain: padding after each could eat it up for ever.
pub fn pad_unprotected(region: &mut Region, io: &mut Io, plane: PlaneId) {
    if !io.policy().plp {
        region.pad(io, plane, true);
    }
}

/// Cleans one block of `plane`; false if there is none worth it. A block is worth it only if it wins
/// more than the padding after it can eat up: else idle time would clean for ever.
pub fn clean_one(region: &mut Region, io: &mut Io, plane: PlaneId, job: Job) -> bool {
    let dead_min = if io.policy().plp { 1 } else { region.pages_per_program() };
    let cleaned = clean_block(region, io, plane, dead_min, job);
    pad_unprotected(region, io, plane);
    cleaned
}

fn clean_block(region: &mut Region, io: &mut Io, plane: PlaneId, dead_min: u32, job: Job) -> bool {
    let Some(block) = victim::choose(region, io, plane, false) else {
        return false;
    };
    let room = region.room(io, plane, Writer::Clean);
    let live_pages = io.array().live_pages(block);
    if live_pages > room || live_pages + dead_min > region.pages_per_block {
        return false;
    }
    let moved = empty_block(region, io, block, plane, job, Writer::Clean);
    debug_assert!(moved.is_ok(), "Invariant: the room was checked");
    region.give_back(io, block);
    true
}

/// Whether `block` lies in the unit of `plane`.
pub(super) fn same_unit(io: &Io, block: BlockId, plane: PlaneId) -> bool {
    let geometry = io.geometry();
    let unit_of = |p: PlaneId| geometry.planes[p.index()].unit;
    unit_of(geometry.plane_of(block)) == unit_of(plane)
}

/// Moves the live pages of `block` into `plane` of `dest` and erases it. The caller has made sure
/// that there is room, gives the block back to its region and calls `pad_unprotected` in the end.
pub fn empty_block(
    dest: &mut Region,
    io: &mut Io,
    block: BlockId,
    plane: PlaneId,
    job: Job,
    writer: Writer,
) -> Result<(), DeviceFull> {
    let same_unit = same_unit(io, block, plane);
    let pages = io.array().block(block).write_ptr();
    let first = io.geometry().page(block, 0);
    let mut programs = Programs::begin(io);
    for index in 0..pages {
        let from = Ppn(first.0 + index);
        if index + MAP_AHEAD < pages {
            io.prefetch_owners(Ppn(from.0 + MAP_AHEAD));
        }
        if io.array().page_tags(from).iter().all(|&t| t == 0) {
            continue;
        }
        let (to, program) = move_page(dest, io, from, plane, same_unit, job, writer)?;
        let staged = dest.staged(plane, writer).is_some();
        if !(staged && io.policy().plp) {
            programs.add(to, program);
        }
    }
    io.erase_block(block, programs, job.cause, job.class);
    Ok(())
}

/// Moves one page; returns the block it goes to and the program that carries it.
#[inline]
pub(super) fn move_page(
    dest: &mut Region,
    io: &mut Io,
    from: Ppn,
    plane: PlaneId,
    same_unit: bool,
    job: Job,
    writer: Writer,
) -> Result<(BlockId, OpId), DeviceFull> {
    let to = dest.take_page(io, plane, writer, 0).ok_or(DeviceFull)?;
    let slots = io.remap_page(from, to);
    let bytes = slots * io.geometry().mu_bytes;
    let to_block = io.geometry().block_of(to);
    let write = PageWrite {
        bytes,
        fresh_slots: slots,
        slots,
        cause: job.cause,
        class: job.class,
        request: RequestId::NONE,
    };
    if dest.per_page() && same_unit {
        return Ok((to_block, io.move_within_unit(from, to, &write)));
    }
    let read = io.read(from, bytes, job.cause, job.class, RequestId::NONE, false);
    let sources = [read];
    let sources: &[OpId] = if read.is_none() { &[] } else { &sources };
    Ok((to_block, dest.emit(io, to, writer, &write, sources)))
}
