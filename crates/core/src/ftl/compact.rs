//! Compaction: the live units of a block are packed into full pages elsewhere, and it is erased.
//!
//! Where the chips copy pages back, a page whose slots all live moves as it is. The others are packed
//! as before, so that no more pages are programmed: a full page takes one wherever its units go.

use super::answer::DeviceFull;
use super::dest::Destination;
use super::io::Io;
use super::job::Job;
use super::packer::{pages_for, read_out, Packer};
use super::region::{Region, Writer};
use super::relocate::{erase_block, relocate_page};
use crate::base::{BlockId, PlaneId, Ppn};

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
pub fn empty_block(
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
