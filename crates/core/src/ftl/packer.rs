//! Moving mapping units one by one: each page they leave is read once, and what moves to one
//! destination is put together in full pages there.

use super::answer::DeviceFull;
use super::destination::Destination;
use super::io::Io;
use super::media::SLOTS_MAX;
use super::piece::Job;
use super::relocate::note_carrier;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::{OpId, RequestId};

/// A page that was read because of the units that live in it.
pub struct ReadOut {
    /// Unit + 1 in each slot, 0 = nothing live.
    pub tags: [u32; SLOTS_MAX],
    block: BlockId,
    read: OpId,
}

impl ReadOut {
    pub fn read(&self) -> OpId {
        self.read
    }
}

/// Reads what lives in `page` for `job`; nothing is read if nothing does.
pub fn read_out(page: Ppn, job: Job, io: &mut Io) -> ReadOut {
    read_out_behind(page, job, OpId::NONE, io)
}

/// Reads what lives in `page` for `job` behind the operation `after`; nothing is read if nothing does.
pub fn read_out_behind(page: Ppn, job: Job, after: OpId, io: &mut Io) -> ReadOut {
    let stored = io.array().page_tags(page);
    let mut tags = [0; SLOTS_MAX];
    tags[..stored.len()].copy_from_slice(stored);
    let live = tags.iter().filter(|&&tag| tag != 0).count() as u32;
    let bytes = live * io.geometry().mu_bytes;
    let read = match live {
        0 => OpId::NONE,
        _ if after.is_none() => io.read(page, bytes, job.cause, job.class, RequestId::NONE, false),
        _ => io.read_behind(page, bytes, job, after),
    };
    ReadOut { tags, block: io.geometry().block_of(page), read }
}

/// The page being put together in a plane of a destination.
pub struct Packer<W> {
    plane: PlaneId,
    writer: W,
    job: Job,
    slots: usize,
    tags: [u32; SLOTS_MAX],
    len: usize,
    /// Where the units come from, and their reads; the same page comes in a row.
    sources: [(BlockId, OpId); SLOTS_MAX],
    sources_len: usize,
    /// Mapping units moved.
    pub units: u64,
    /// Slots left empty in short pages.
    pub padded: u64,
}

impl<W: Copy> Packer<W> {
    /// Nothing has moved to `plane` yet, whose pages have `slots` slots.
    pub fn new(plane: PlaneId, writer: W, job: Job, slots: u32) -> Self {
        Self {
            plane,
            writer,
            job,
            slots: slots as usize,
            tags: [0; SLOTS_MAX],
            len: 0,
            sources: [(BlockId(0), OpId::NONE); SLOTS_MAX],
            sources_len: 0,
            units: 0,
            padded: 0,
        }
    }

    /// Moves the unit of `tag`, one of those in `out`; a full page is programmed.
    pub fn add<D: Destination<Writer = W>>(
        &mut self,
        tag: u32,
        out: &ReadOut,
        dest: &mut D,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        self.tags[self.len] = tag;
        self.len += 1;
        self.units += 1;
        let source = (out.block, out.read);
        if self.sources_len == 0 || self.sources[self.sources_len - 1] != source {
            self.sources[self.sources_len] = source;
            self.sources_len += 1;
        }
        match self.len == self.slots {
            true => self.program(dest, io),
            false => Ok(()),
        }
    }

    /// Programs what does not fill a page.
    pub fn finish<D: Destination<Writer = W>>(
        &mut self,
        dest: &mut D,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        if self.len == 0 {
            return Ok(());
        }
        self.padded += (self.slots - self.len) as u64;
        self.program(dest, io)
    }

    fn program<D: Destination<Writer = W>>(&mut self, dest: &mut D, io: &mut Io) -> Result<(), DeviceFull> {
        let to = dest.next_page(io, self.plane, self.writer).ok_or(DeviceFull)?;
        let mut reads = [OpId::NONE; SLOTS_MAX];
        let mut count = 0;
        for &(_, read) in self.sources[..self.sources_len].iter().filter(|(_, read)| !read.is_none()) {
            reads[count] = read;
            count += 1;
        }
        io.write_page(to, &self.tags[..self.len], 0, 0);
        let write = self.job.write(self.len as u32, io.geometry().mu_bytes);
        let program = dest.program(io, to, self.writer, &write, &reads[..count]);
        let mut noted = None;
        for &(block, _) in &self.sources[..self.sources_len] {
            if noted.replace(block) != Some(block) {
                note_carrier(dest, io, block, to, self.writer, program, None);
            }
        }
        (self.len, self.sources_len) = (0, 0);
        Ok(())
    }
}

/// Pages of `slots` slots that `units` mapping units fill.
pub fn pages_for(units: u32, slots: u32) -> u32 {
    units.div_ceil(slots)
}
