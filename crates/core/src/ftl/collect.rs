//! Emptying blocks of a two-layer region: page by page in idle time, or at once when room is short.

use super::clean::{same_unit, Job};
use super::io::{Io, Programs};
use super::piece::PageWrite;
use super::two_layer::{Eligible, TwoLayerRegion};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::op_table::{OpId, RequestId};

/// Moves what lives in `from` to `to`, which was just taken; returns the operation that stores it.
fn carry(io: &mut Io, from: Ppn, to: Ppn, job: Job) -> OpId {
    let slots = io.remap_page(from, to);
    let geometry = io.geometry();
    let plane = geometry.plane_of(geometry.block_of(to));
    let same_unit = same_unit(io, geometry.block_of(from), plane);
    let write = PageWrite {
        bytes: slots * geometry.mu_bytes,
        fresh_slots: slots,
        slots,
        cause: job.cause,
        class: job.class,
        request: RequestId::NONE,
    };
    if same_unit {
        return io.move_within_unit(from, to, &write);
    }
    let read = io.read(from, write.bytes, job.cause, job.class, RequestId::NONE, false);
    io.program(to, &write, if read.is_none() { &[] } else { std::slice::from_ref(&read) })
}

/// Moves one page as a step of its own: the erase of the block it leaves may come much later, and
/// waits for it.
pub fn move_page(io: &mut Io, from: Ppn, to: Ppn, job: Job) {
    let program = carry(io, from, to, job);
    let geometry = io.geometry();
    let (left, entered) = (geometry.block_of(from), geometry.block_of(to));
    io.note_moved(left, entered, program);
}

/// Erases the victim of `plane`, which holds nothing live.
pub fn erase_victim(region: &mut TwoLayerRegion, io: &mut Io, plane: PlaneId, job: Job) {
    if let Some(victim) = region.victim(plane) {
        erase_block(io, victim.block, job);
        region.give_back(plane);
    }
}

/// Erases a block that holds nothing live and was emptied by steps; its region gets it back from the
/// caller.
pub fn erase_block(io: &mut Io, block: BlockId, job: Job) {
    let programs = Programs::begin(io);
    io.erase_block(block, programs, job.cause, job.class);
}

/// What emptying blocks came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collected {
    /// Blocks erased.
    pub blocks: u32,
    /// Those of them that offered no SLC pages before.
    pub refreshed: u32,
    /// Pages moved.
    pub pages: u32,
}

/// Empties blocks of `plane` until more than `free_pages` can be stored or nothing can be won.
pub fn make_room(
    region: &mut TwoLayerRegion,
    io: &mut Io,
    plane: PlaneId,
    free_pages: u32,
    job: Job,
) -> Collected {
    let mut done = Collected::default();
    while region.free_pages(plane) <= free_pages {
        let chosen = region.victim(plane).or_else(|| region.choose_victim(io, plane, Eligible::Any, 1));
        let Some(victim) = chosen else {
            break;
        };
        let mut programs = Programs::begin(io);
        while let Some(from) = region.next_live(io, plane) {
            let to = take_for_move(region, io, plane).expect("Invariant: the reserve takes a whole block");
            let program = carry(io, from, to, job);
            programs.add(io.geometry().block_of(to), program);
            done.pages += 1;
        }
        io.erase_block(victim.block, programs, job.cause, job.class);
        region.give_back(plane);
        done.blocks += 1;
        done.refreshed += u32::from(victim.used);
    }
    done
}

/// The page to which collected data go: one that switches a wordline if there is one, then an SLC
/// page, then one of the block that is filled without pausing.
pub fn take_for_move(region: &mut TwoLayerRegion, io: &mut Io, plane: PlaneId) -> Option<Ppn> {
    if let Some(page) = region.take_switch(io, plane) {
        return Some(page);
    }
    match region.take_fill(io, plane) {
        Some(page) => Some(page),
        None => region.take_dense(io, plane),
    }
}
