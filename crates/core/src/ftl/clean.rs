//! Cleaning: what lives in a victim moves to a frontier of the same plane, then it is erased. Pages move
//! as they are, or where pages are mixed their units are packed into full ones.

use super::compact::{self, Compacted};
use super::io::Io;
use super::job::Job;
use super::region::{Pack, Region, Writer};
use super::relocate::empty_block;
use super::victim;
use crate::base::{BlockId, PlaneId};

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
    let dead_min = if io.policy().plp { 1 } else { region.pads_max() };
    let cleaned = clean_block(region, io, plane, dead_min, job);
    pad_unprotected(region, io, plane);
    cleaned
}

/// Cleans one block of `plane` of a region of mixed pages; none if there is none by which a page is won.
pub fn compact_one(region: &mut Region, io: &mut Io, plane: PlaneId, job: Job) -> Option<Compacted> {
    let block = wins(region, io, plane)?;
    let done = compact::empty_block(region, io, block, plane, Writer::Clean, job).ok()?;
    region.give_back(io, block);
    Some(done)
}

/// The block of `plane` that is cleaned next in a region of mixed pages; none if there is none by which a page
/// is won.
pub fn wins(region: &Region, io: &mut Io, plane: PlaneId) -> Option<BlockId> {
    // A block whose units fill as many pages elsewhere wins nothing.
    let slots = region.full_block(io) / region.pages_per_block;
    victim::choose_below(region, io, plane, region.full_block(io) - slots + 1)
}

/// Cleans a block of `plane` that wins at least `dead_min` pages; false if there is none.
pub fn clean_block(region: &mut Region, io: &mut Io, plane: PlaneId, dead_min: u32, job: Job) -> bool {
    if region.spec.pack == Pack::Mu {
        return compact_one(region, io, plane, job).is_some();
    }
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
