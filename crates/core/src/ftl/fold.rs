//! Folding: what lives in an SLC block becomes wordlines of the dense blocks of its plane, inside the chip
//! or through the controller, and the block is erased.
//!
//! The chip takes pages whose slots all live, a wordline of them at a time. What is left over, and pages
//! with dead slots, are read and packed into full pages as by [`super::clean`].

use super::answer::DeviceFull;
use super::clean::{pages_needed, Compacted};
use super::destination::Destination;
use super::io::Io;
use super::packer::{read_out_behind, Packer};
use super::piece::{Job, PageWrite};
use super::region::{Region, Writer};
use super::relocate::{erase_block, note_carrier};
use crate::base::{BlockId, PlaneId, Ppn};
use crate::hw::timing::OpId;
use serde::{Deserialize, Serialize};

const ROOM: &str = "Invariant: the room was checked";

/// How data are folded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FoldWay {
    /// Inside the chip, as far as it can.
    pub in_chip: bool,
    /// Time that the array takes longer for a wordline, ns.
    pub overhead_ns: u32,
    /// What is folded before, if something has to be.
    #[serde(skip)]
    pub after: OpId,
}

/// What a block is folded by.
struct FoldStep {
    way: FoldWay,
    job: Job,
    /// The last read, fold or program.
    last: OpId,
}

impl FoldStep {
    /// Takes note of an operation, if there is one.
    fn note(&mut self, op: OpId) {
        if !op.is_none() {
            self.last = op;
        }
    }
}

/// A dense region whose wordlines are programmed more slowly than the mode's.
struct Slower<'a> {
    region: &'a mut Region,
    overhead_ns: u32,
    /// The last program that waits for no more pages.
    last: OpId,
}

impl Destination for Slower<'_> {
    type Writer = Writer;

    fn next_page(&mut self, io: &mut Io, plane: PlaneId, writer: Writer) -> Option<Ppn> {
        self.region.next_page(io, plane, writer)
    }

    fn program(
        &mut self,
        io: &mut Io,
        page: Ppn,
        writer: Writer,
        write: &PageWrite,
        sources: &[OpId],
    ) -> OpId {
        let program = self.region.emit_slowly(io, page, writer, write, sources, self.overhead_ns);
        let plane = io.geometry().plane_of(io.geometry().block_of(page));
        if !self.region.is_staged(plane, writer) {
            self.last = program;
        }
        program
    }

    fn room(&self, io: &Io, plane: PlaneId, writer: Writer) -> u32 {
        self.region.room(io, plane, writer)
    }

    fn is_staged(&self, plane: PlaneId, writer: Writer) -> bool {
        self.region.is_staged(plane, writer)
    }

    fn per_page(&self) -> bool {
        self.region.per_page()
    }
}

/// Folds what lives in `block` into dense blocks of its plane, of `dense`, and erases it. Where it does
/// not fit, nothing has moved. Its last operation is returned too. The caller gives the block back to its region and calls `pad_unprotected`
/// in the end.
pub fn empty_block(
    dense: &mut Region,
    io: &mut Io,
    block: BlockId,
    way: FoldWay,
    job: Job,
) -> Result<(Compacted, OpId), DeviceFull> {
    let plane = io.geometry().plane_of(block);
    if pages_needed(io, block) > dense.room(io, plane, Writer::Clean) {
        return Err(DeviceFull);
    }
    let moved = move_units(dense, io, (block, &mut 0), u32::MAX, way, job);
    erase_block(io, block, job);
    Ok(moved)
}

/// Folds `most` of the units that live in a block, the first ones, for which there is room. Nothing is
/// erased. Below `page` none lives, and that goes on to be so. The last operation is returned too, but for a
/// wordline that is not yet full.
pub fn move_units(
    dense: &mut Region,
    io: &mut Io,
    (block, page): (BlockId, &mut u32),
    most: u32,
    way: FoldWay,
    job: Job,
) -> (Compacted, OpId) {
    let plane = io.geometry().plane_of(block);
    let slots = io.geometry().pool_of(plane).slots_per_page;
    let mut packer = Packer::new(plane, Writer::Clean, job, slots);
    let mut left = most.min(io.array().block(block).live());
    let units = u64::from(left);
    let mut step = FoldStep { way, job, last: OpId::NONE };
    if way.in_chip {
        left -= fold_in_chip(dense, &mut packer, block, left, &mut step, io);
    }
    let mut dest = Slower { region: dense, overhead_ns: way.overhead_ns, last: OpId::NONE };
    let pages = io.array().block(block).write_ptr();
    while left > 0 && *page < pages {
        left -= pack(io.geometry().page(block, *page), left, &mut packer, &mut dest, &mut step, io);
        // The last one may hold more.
        *page += u32::from(left > 0);
    }
    packer.finish(&mut dest, io).expect(ROOM);
    let last = dest.last;
    step.note(last);
    (Compacted { units, padded: packer.padded }, step.last)
}

/// Units by which the wordline under way of what is folded in `plane` becomes full, or a whole one's.
pub fn wordline_units(dense: &Region, plane: PlaneId, io: &Io) -> u32 {
    let bits = dense.spec.mode.bits();
    (bits - begun(dense, plane, io)) * io.geometry().pool_of(plane).slots_per_page
}

/// Pages of the wordline under way of what is folded in `plane`.
fn begun(dense: &Region, plane: PlaneId, io: &Io) -> u32 {
    let open = dense.open_block(plane, Writer::Clean);
    open.map_or(0, |open| io.array().block(open).write_ptr() % dense.spec.mode.bits())
}

/// Folds as many pages of `block` as the chip can, wordline by wordline, after those through the controller
/// that fill the wordline under way: `most` units at most. How many were moved.
fn fold_in_chip(
    dense: &mut Region,
    packer: &mut Packer<Writer>,
    block: BlockId,
    most: u32,
    step: &mut FoldStep,
    io: &mut Io,
) -> u32 {
    let plane = io.geometry().plane_of(block);
    let (bits, slots) = (dense.spec.mode.bits(), io.geometry().pool_of(plane).slots_per_page);
    let begun = begun(dense, plane, io);
    let ahead = ((bits - begun) % bits) as usize;
    let fits = (most / slots) as usize;
    let whole: Vec<Ppn> = io.written_pages(block).filter(|&page| is_whole(page, io)).take(fits).collect();
    if whole.len() < ahead + bits as usize {
        return 0;
    }
    for &page in &whole[..ahead] {
        let mut dest = Slower { region: dense, overhead_ns: step.way.overhead_ns, last: OpId::NONE };
        pack(page, slots, packer, &mut dest, step, io);
    }
    let wordlines = whole[ahead..].chunks_exact(bits as usize);
    let folded = ahead as u32 + wordlines.len() as u32 * bits;
    for wordline in wordlines {
        let (to, count) = dense.next_pages(io, plane, Writer::Clean, bits).expect(ROOM);
        debug_assert_eq!(count, bits, "Invariant: blocks end with a whole wordline");
        let to_block = io.geometry().block_of(to);
        let array_ns = io.fold_ns(to_block).unwrap_or(0) + step.way.overhead_ns;
        let fold = io.fold(wordline, to, array_ns, step.job, step.way.after);
        step.note(fold);
        note_carrier(dense, io, block, to, Writer::Clean, fold, None);
    }
    folded * slots
}

/// Whether the chip can take a page: all its slots live, and it is programmed in time.
fn is_whole(page: Ppn, io: &mut Io) -> bool {
    let slots = io.geometry().pool_of(io.geometry().plane_of(io.geometry().block_of(page))).slots_per_page;
    io.array().page_tags(page)[..slots as usize].iter().all(|&tag| tag != 0) && io.is_in_chip(page)
}

/// Moves `most` of the units that live in a page through the controller. How many there were.
fn pack(
    page: Ppn,
    most: u32,
    packer: &mut Packer<Writer>,
    dest: &mut Slower,
    step: &mut FoldStep,
    io: &mut Io,
) -> u32 {
    let out = read_out_behind(page, step.job, step.way.after, io);
    step.note(out.read());
    let live = out.tags.iter().filter(|&&tag| tag != 0).take(most as usize);
    live.map(|&tag| packer.add(tag, &out, dest, io).expect(ROOM)).count() as u32
}
