//! Cleaning: a victim's live pages move to a frontier of the same plane, then it is erased.

use super::io::Io;
use super::region::{Region, Writer};
use super::relocate::{empty_block, Job};
use super::victim;
use crate::base::PlaneId;

/// Cleans `plane` of `region` until it has `target` free blocks or nothing more can be won.
pub fn clean_plane(region: &mut Region, io: &mut Io, plane: PlaneId, target: u32, job: Job) {
    while region.free_blocks(plane, io) < target {
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
    if io.array().live_pages(block) + dead_min > region.pages_per_block {
        return false;
    }
    if empty_block(region, io, block, plane, job, Writer::Clean).is_err() {
        return false;
    }
    region.give_back(io, block);
    true
}
