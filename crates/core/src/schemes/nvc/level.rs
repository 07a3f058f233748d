//! A region of the cache: what is put into it, and how it is cleaned.

use super::copies::Copies;
use super::figures::{LogTier, NvcFigures, Origin};
use super::marks::Marks;
use super::rules::{ColdPages, LastLogRule, Verdict};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::destage::DestageJob;
use crate::ftl::destination::Destination;
use crate::ftl::io::Io;
use crate::ftl::log_region::LogRegion;
use crate::ftl::piece::{Job, Piece};
use crate::ftl::region::Writer;
use crate::ftl::relocate::{erase_block, relocate_page};
use crate::ftl::unit_level::{self, Reads};
use serde::{Deserialize, Serialize};

/// Cleaning within a region.
pub const GC: Job = Job { cause: Cause::Gc, class: Class::Urgent };
/// Moves to the level below.
pub const MIGRATION: Job = Job { cause: Cause::Migration, class: Class::Urgent };

/// What the regions of a cache share.
#[derive(Clone, Serialize, Deserialize)]
pub struct Shared {
    /// What is known of each slot.
    pub marks: Marks,
    /// What is reported.
    #[serde(skip)]
    pub figures: NvcFigures,
    /// Whether the disk gets clean units as well.
    pub flush_clean: bool,
    copies: Copies,
    #[serde(skip)]
    destage: DestageJob,
}

impl Shared {
    /// Of an empty cache.
    pub fn new(flush_clean: bool, copies: Copies, io: &Io) -> Self {
        let (marks, figures) = (Marks::new(io), NvcFigures::default());
        Self { marks, figures, flush_clean, copies, destage: DestageJob::default() }
    }

    /// Whether the controller has memory for a copy of `units` that were read; those it has not are counted.
    pub fn may_copy(&mut self, units: u32, io: &Io) -> bool {
        let may = self.copies.have_room(io);
        self.figures.uncopied(if may { 0 } else { units });
        may
    }
}

/// A region of the cache.
#[derive(Clone, Serialize, Deserialize)]
pub struct LogLevel {
    /// Its blocks.
    pub log: LogRegion,
    tier: LogTier,
    /// The blocks being cleaned; the room is kept.
    #[serde(skip)]
    cold: Vec<BlockId>,
}

impl LogLevel {
    /// An empty one.
    pub fn new(log: LogRegion, tier: LogTier) -> Self {
        Self { log, tier, cold: Vec::new() }
    }

    /// Writes a piece of the host; there is room.
    pub fn write(&mut self, piece: &Piece, shared: &mut Shared, io: &mut Io) -> Result<(), DeviceFull> {
        let to = self.log.next_page(io, piece.page).ok_or(DeviceFull)?;
        unit_level::write(piece, &mut self.log, Writer::Host, to, io);
        shared.marks.programmed(to, piece.mask, piece.mask, io);
        shared.figures.programmed(self.tier, Origin::Host, io);
        Ok(())
    }

    /// Takes in the units of a logical page that `reads` fetched for the host; there is room. What lay in
    /// flash and is newer than the disk's stays so.
    pub fn take_in(
        &mut self,
        (page, mask): (u32, u32),
        reads: &Reads,
        origin: Origin,
        shared: &mut Shared,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let cause = if origin == Origin::Disk { Cause::Fill } else { Cause::Promote };
        let to = self.log.next_page(io, page).ok_or(DeviceFull)?;
        let dirty = shared.marks.dirty_units(page, mask, io);
        let program = unit_level::copy((page, mask), reads, cause, &mut self.log, Writer::Host, to, io);
        shared.copies.add(program, io);
        shared.marks.programmed(to, mask, dirty, io);
        shared.figures.programmed(self.tier, origin, io);
        Ok(())
    }

    /// How much of the cold region is invalid.
    pub fn census(&self, io: &Io) -> ColdPages {
        let (invalid, pages) = self.log.cold_census(io);
        ColdPages { invalid, pages }
    }

    /// Moves what lives in `page` of the region `from` into this one, where there is room.
    pub fn move_in(
        &mut self,
        page: Ppn,
        from: LogTier,
        shared: &mut Shared,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let within = from == self.tier;
        let (job, writer) = if within { (GC, Writer::Clean) } else { (MIGRATION, Writer::Host) };
        let plane = io.geometry().plane_of(io.geometry().block_of(page));
        let to = Destination::next_page(&mut self.log, io, plane, writer).ok_or(DeviceFull)?;
        let (live, dirty) = shared.marks.of_page(page, io);
        relocate_page(&mut self.log, io, page, to, writer, job);
        shared.marks.programmed(to, live, dirty, io);
        shared.figures.programmed(self.tier, Origin::Cache(from), io);
        Ok(())
    }

    /// Begins to clean: the blocks of the cold region, oldest first, which `end_cleaning` takes back.
    pub fn begin_cleaning(&mut self, verdict: Verdict, shared: &mut Shared, io: &Io) -> Vec<BlockId> {
        shared.figures.cleaned(self.tier, verdict, io);
        let mut cold = std::mem::take(&mut self.cold);
        self.log.cold_blocks(io, &mut cold);
        cold
    }

    pub fn end_cleaning(&mut self, cold: Vec<BlockId>, io: &mut Io) {
        self.cold = cold;
        self.log.pad_unprotected(io);
    }

    /// Erases `block`, which nothing lives in, and frees it.
    pub fn free(&mut self, block: BlockId, job: Job, io: &mut Io) {
        erase_block(io, block, job);
        self.log.release(io, block);
    }

    /// Makes room for a page of the host, where only the disk lies below; without a rule nothing stays.
    ///
    /// What stayed may have won less than the padding of a wordline takes: then everything leaves, and the
    /// blocks of the cold region are free.
    pub fn make_room_above_disk(
        &mut self,
        rule: Option<&LastLogRule>,
        shared: &mut Shared,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let mut rule = rule;
        while self.log.is_due() {
            let verdict = rule.map_or(Verdict::Leave, |rule| rule.verdict(self.census(io), io.disk_spins()));
            let cold = self.begin_cleaning(verdict, shared, io);
            match verdict {
                Verdict::Leave => self.destage(&cold, shared, io),
                Verdict::Stay | Verdict::StayMarked => self.keep(&cold, shared, io)?,
            }
            self.end_cleaning(cold, io);
            rule = None;
        }
        Ok(())
    }

    /// Moves what lives in `blocks` to the head of the region. Block by block: a block at most is written
    /// before one is free again, so that the reserve lasts however much stays.
    fn keep(&mut self, blocks: &[BlockId], shared: &mut Shared, io: &mut Io) -> Result<(), DeviceFull> {
        for &block in blocks {
            for page in io.written_pages(block) {
                if lives(page, io) {
                    self.move_in(page, self.tier, shared, io)?;
                }
            }
            self.free(block, GC, io);
        }
        Ok(())
    }

    /// Writes what lives in `blocks` to the disk, as far as that has not got it.
    fn destage(&mut self, blocks: &[BlockId], shared: &mut Shared, io: &mut Io) {
        let Shared { marks, flush_clean, destage, figures, .. } = shared;
        let is_needed = |slot| *flush_clean || marks.is_dirty(slot);
        let written = destage.empty_blocks(blocks, is_needed, MIGRATION, io);
        figures.wrote_disk(written, io);
        blocks.iter().for_each(|&block| self.log.release(io, block));
    }
}

/// Whether anything lives in `page`.
#[inline]
pub fn lives(page: Ppn, io: &Io) -> bool {
    io.array().page_tags(page).iter().any(|&tag| tag != 0)
}
