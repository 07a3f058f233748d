//! Cleaning: what lives in a victim moves to a frontier of the same plane, then it is erased. Pages move
//! as they are, or where pages are mixed their units are packed into full ones.
//!
//! Where the chips copy pages back, a mixed page whose slots all live moves as it is. The others are packed
//! as before, so that no more pages are programmed: a full page takes one wherever its units go.

use super::answer::DeviceFull;
use super::destination::Destination;
use super::io::Io;
use super::packer::{pages_for, read_out, Packer};
use super::piece::Job;
use super::region::{Pack, Region, Writer};
use super::relocate::{empty_block, erase_block, relocate_page};
use super::victim;
use crate::base::{BlockId, PlaneId, Ppn};

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
    let done = compact_block(region, io, block, plane, Writer::Clean, job).ok()?;
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

/// How many pages ahead the map entries of a victim's live slots are fetched.
const MAP_AHEAD: u32 = 8;

const ROOM: &str = "Invariant: the room was checked";

/// What an emptied block came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Mapping units moved.
    pub units: u64,
    /// Slots of the last of the pages programmed that nothing was left for.
    pub padded: u64,
}

/// Mapping units of a page of `block`.
fn slots_of(block: BlockId, io: &Io) -> u32 {
    io.geometry().pool_of(io.geometry().plane_of(block)).slots_per_page
}

/// Pages that the live units of `block` fill when they are packed.
pub fn pages_needed(io: &Io, block: BlockId) -> u32 {
    pages_for(io.array().block(block).live(), slots_of(block, io))
}

/// Packs the live units of `block` into pages of `plane` of `dest`, a region of the same pool, and
/// erases it: each page with a live unit is read once or copied back, and the last page is programmed
/// with what there is. Where they do not fit, nothing has moved. The caller gives the block back to its
/// region and calls `pad_unprotected` in the end.
pub fn compact_block(
    dest: &mut Region,
    io: &mut Io,
    block: BlockId,
    plane: PlaneId,
    writer: Writer,
    job: Job,
) -> Result<Compacted, DeviceFull> {
    if pages_needed(io, block) > dest.room(io, plane, writer) {
        return Err(DeviceFull);
    }
    let units = u64::from(io.array().block(block).live());
    let mut packer = Packer::new(plane, writer, job, slots_of(block, io));
    let copies_back = io.copyback_ns(block, plane, dest.spec.mode).is_some();
    let first = io.geometry().page(block, 0);
    let pages = io.array().block(block).write_ptr();
    for index in 0..pages {
        if index + MAP_AHEAD < pages {
            io.prefetch_owners(io.array().first_tag(block), index + MAP_AHEAD);
        }
        let page = Ppn(first.0 + index);
        if copies_back && is_full(page, io) {
            let to = dest.next_page(io, plane, writer).expect(ROOM);
            relocate_page(dest, io, page, to, writer, job);
        } else {
            pack(page, &mut packer, dest, job, io);
        }
    }
    packer.finish(dest, io).expect(ROOM);
    erase_block(io, block, job);
    Ok(Compacted { units, padded: packer.padded })
}

/// Whether every slot of a page is live.
fn is_full(page: Ppn, io: &Io) -> bool {
    let slots = slots_of(io.geometry().block_of(page), io) as usize;
    io.array().page_tags(page)[..slots].iter().all(|&tag| tag != 0)
}

/// Moves what lives in a page.
fn pack(page: Ppn, packer: &mut Packer<Writer>, dest: &mut Region, job: Job, io: &mut Io) {
    let out = read_out(page, job, io);
    for &tag in out.tags.iter().filter(|&&tag| tag != 0) {
        packer.add(tag, &out, dest, io).expect(ROOM);
    }
}
