//! Compaction: the live units of a block are packed into full pages elsewhere, and it is erased.

use super::answer::DeviceFull;
use super::io::{Io, Programs};
use super::media::SLOTS_MAX;
use super::region::{Region, Writer};
use super::relocate::{note_carrier, Job};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::{OpId, RequestId};

/// How many pages ahead the map entries of a victim's live slots are fetched.
const MAP_AHEAD: u32 = 8;

/// What an emptied block came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Mapping units moved.
    pub units: u64,
    /// Pages programmed with them.
    pub pages: u64,
    /// Slots of the last of these pages that nothing was left for.
    pub padded: u64,
}

/// A page being filled.
struct Draft {
    tags: [u32; SLOTS_MAX],
    units: usize,
    reads: [OpId; SLOTS_MAX],
    sources: usize,
}

impl Draft {
    fn new() -> Self {
        Self { tags: [0; SLOTS_MAX], units: 0, reads: [OpId::NONE; SLOTS_MAX], sources: 0 }
    }

    /// Adds a unit out of the page that `read` reads.
    fn add(&mut self, tag: u32, read: OpId) {
        self.tags[self.units] = tag;
        self.units += 1;
        let known = self.sources > 0 && self.reads[self.sources - 1] == read;
        if !read.is_none() && !known {
            self.reads[self.sources] = read;
            self.sources += 1;
        }
    }
}

/// One block being emptied.
struct Emptying<'a> {
    dest: &'a mut Region,
    block: BlockId,
    plane: PlaneId,
    writer: Writer,
    job: Job,
    programs: Programs,
    slots: usize,
    draft: Draft,
    done: Compacted,
}

/// Pages that the live units of `block` fill when they are packed.
pub fn pages_needed(io: &Io, block: BlockId) -> u32 {
    let slots = io.geometry().pool_of(io.geometry().plane_of(block)).slots_per_page;
    io.array().block(block).live().div_ceil(slots)
}

/// Packs the live units of `block` into pages of `plane` of `dest`, a region of the same pool, and
/// erases it: each page with a live unit is read once, and the last page is programmed with what there
/// is. Where they do not fit, nothing has moved. The caller gives the block back to its region and
/// calls `pad_unprotected` in the end.
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
    let slots = io.geometry().pool_of(plane).slots_per_page as usize;
    let programs = Programs::begin(io);
    let (draft, done) = (Draft::new(), Compacted::default());
    let mut emptying = Emptying { dest, block, plane, writer, job, programs, slots, draft, done };
    emptying.run(io);
    let Emptying { programs, done, .. } = emptying;
    io.erase_block(block, programs, job.cause, job.class);
    Ok(done)
}

impl Emptying<'_> {
    fn run(&mut self, io: &mut Io) {
        let first = io.geometry().page(self.block, 0);
        let pages = io.array().block(self.block).write_ptr();
        for index in 0..pages {
            if index + MAP_AHEAD < pages {
                io.prefetch_owners(Ppn(first.0 + index + MAP_AHEAD));
            }
            self.page(Ppn(first.0 + index), io);
        }
        if self.draft.units > 0 {
            self.program(io);
        }
    }

    /// Takes over what lives in a page.
    fn page(&mut self, from: Ppn, io: &mut Io) {
        let mut live = [0; SLOTS_MAX];
        let mut units = 0;
        for &tag in io.array().page_tags(from).iter().filter(|&&tag| tag != 0) {
            live[units] = tag;
            units += 1;
        }
        if units == 0 {
            return;
        }
        let bytes = units as u32 * io.geometry().mu_bytes;
        let read = io.read(from, bytes, self.job.cause, self.job.class, RequestId::NONE, false);
        for &tag in &live[..units] {
            self.draft.add(tag, read);
            if self.draft.units == self.slots {
                self.program(io);
            }
        }
    }

    /// Programs the page there is.
    fn program(&mut self, io: &mut Io) {
        let Draft { tags, units, reads, sources } = std::mem::replace(&mut self.draft, Draft::new());
        let to = self.dest.take_page(io, self.plane, self.writer, 0);
        let to = to.expect("Invariant: the room was checked");
        io.write_page(to, &tags[..units], 0, 0);
        let write = self.job.write(units as u32, io.geometry().mu_bytes);
        let program = self.dest.emit(io, to, self.writer, &write, &reads[..sources]);
        note_carrier(self.dest, io, self.block, to, self.writer, program, Some(&mut self.programs));
        self.done.units += units as u64;
        self.done.pages += 1;
        self.done.padded += (self.slots - units) as u64;
    }
}
