//! Where free blocks come from: SLC blocks whose data go dense, and cleaning of the dense blocks.
//!
//! Between two jobs at least `OPEN_ABOVE - 1` blocks of a plane are free. A job that empties SLC
//! blocks takes one of them for the dense data at most, since a logical block has no more data than a
//! dense block holds, and gives back one or more; cleaning may use the other. So no job lacks room.

use super::Ust;
use crate::base::op::Cause;
use crate::base::{BlockId, PlaneId};
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::{self, pad_unprotected};
use crate::ftl::io::Io;
use crate::ftl::packer::{pages_for, read_out, Packer};
use crate::ftl::piece::Job;
use crate::ftl::region::{OpenBlock, Writer};
use crate::ftl::relocate::erase_block;
use crate::ftl::victim;

/// Open dense blocks of a plane: cold data and cleaning write to one each.
pub const FRONTIERS: u32 = 2;
/// Free blocks of a plane without which no SLC block is opened.
pub const OPEN_ABOVE: u32 = 3;

/// What a job would win in a plane, in dense pages, and what it would program for it.
#[derive(Clone, Copy)]
struct Gain {
    won: u64,
    programmed: u64,
}

impl Gain {
    fn of(blocks: u32, live_units: u32, pages_per_block: u32, slots: u32) -> Self {
        let pages = u64::from(blocks) * u64::from(pages_per_block);
        let programmed = u64::from(pages_for(live_units, slots));
        Self { won: pages.saturating_sub(programmed), programmed }
    }

    /// Whether it wins more per page programmed.
    fn is_cheaper(self, other: Self) -> bool {
        self.won * other.programmed > other.won * self.programmed
    }
}

impl Ust {
    /// From SLC to dense.
    fn migrate(&self) -> Job {
        Job { cause: Cause::Migration, class: self.class }
    }

    /// Within the SLC blocks of a logical block, or within the dense blocks.
    fn gc(&self) -> Job {
        Job { cause: Cause::Gc, class: self.class }
    }

    /// What the SLC blocks that all logical blocks may have hold where `free` blocks of a plane are none
    /// of them. Blocks are of the mode they were last opened in.
    pub(super) fn slc_bytes_beside(&self, free: u32, io: &Io) -> u64 {
        let logical = io.mus().div_ceil(self.dense.pages_per_block * self.slots);
        let in_plane = logical.div_ceil(self.dense.planes().len() as u32);
        let most = self.dense.spec.blocks.saturating_sub(free);
        self.slc.slc_bytes(in_plane.saturating_mul(self.max_slc_blocks).min(most), io)
    }

    /// Free blocks of a plane.
    pub(super) fn free(&self, plane: PlaneId, io: &Io) -> u32 {
        self.dense.free_blocks(plane, io)
    }

    /// Reclaims until the plane of `logical` has `target` free blocks or nothing more can be won:
    /// the logical block written longest ago goes dense as a whole, or a dense block is cleaned,
    /// whichever wins more per page programmed.
    pub(super) fn make_free(&mut self, logical: u32, target: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.owners.plane(logical);
        while self.free(plane, io) < target {
            let oldest = self.owners.oldest_but(logical).map(|old| (old, self.gain_of_reclaim(old, io)));
            let victim = victim::choose(&self.dense, io, plane, false);
            let victim = victim.map(|block| (block, self.gain_of_cleaning(block, io)));
            match (oldest, victim.filter(|(_, gain)| gain.won > 0)) {
                (Some((_, gain)), Some((block, clean))) if clean.is_cheaper(gain) => self.clean(block, io)?,
                (Some((old, _)), _) => self.reclaim(old, io)?,
                (None, Some((block, _))) => self.clean(block, io)?,
                (None, None) => break,
            }
        }
        pad_unprotected(&mut self.dense, io, plane);
        Ok(())
    }

    fn gain_of_reclaim(&self, logical: u32, io: &Io) -> Gain {
        let live = self.owners.of(logical).map(|block| self.slc.live_of(block, io)).sum();
        Gain::of(self.owners.count(logical), live, self.dense.pages_per_block, self.slots)
    }

    fn gain_of_cleaning(&self, block: BlockId, io: &Io) -> Gain {
        Gain::of(1, self.dense.live_of(block, io), self.dense.pages_per_block, self.slots)
    }

    /// Cleans a dense block.
    fn clean(&mut self, block: BlockId, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = io.geometry().plane_of(block);
        let gc = self.gc();
        let done = clean::compact_block(&mut self.dense, io, block, plane, Writer::Clean, gc)?;
        self.stats.padded(done.padded, io);
        self.dense.give_back(io, block);
        Ok(())
    }

    /// Empties every SLC block of `logical` into dense ones.
    fn reclaim(&mut self, logical: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let blocks: Vec<BlockId> = self.owners.of(logical).collect();
        self.stats.reclaimed(io);
        self.move_cold(&blocks, io)?;
        blocks.into_iter().for_each(|block| self.release(logical, block, self.migrate(), io));
        Ok(())
    }

    /// Collects what lives in one SLC block of `logical`, which then has one block fewer, or an open
    /// one: hot units are copied to that, the others go dense.
    pub(super) fn collect(&mut self, logical: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let least = self.owners.of(logical).enumerate();
        let least = least.min_by_key(|&(place, block)| (self.slc.live_of(block, io), place));
        let (Some((_, block)), Some(first)) = (least, self.owners.first(logical)) else {
            return Err(DeviceFull);
        };
        let plane = self.owners.plane(logical);
        let may_keep =
            self.owners.count(logical) <= self.max_slc_blocks && self.free(plane, io) >= OPEN_ABOVE;
        let hot = if may_keep { pages_for(self.hot_units(block, io), self.slots) } else { 0 };
        if hot == 0 || hot >= self.slc.pages_per_block {
            // Where everything is hot, keeping it would win nothing.
            let block = if hot == 0 { block } else { first };
            self.move_cold(&[block], io)?;
            self.release(logical, block, self.migrate(), io);
        } else {
            let to = self.slc.open_apart(io, plane, OPEN_ABOVE - 1).ok_or(DeviceFull)?;
            self.owners.add(logical, to);
            self.split(block, to, io)?;
            self.release(logical, block, self.gc(), io);
        }
        pad_unprotected(&mut self.dense, io, plane);
        Ok(())
    }

    fn hot_units(&self, block: BlockId, io: &Io) -> u32 {
        let tags = io.written_pages(block).flat_map(|page| io.array().page_tags(page).iter().copied());
        tags.filter(|&tag| tag != 0 && self.rewritten.get(tag as usize - 1)).count() as u32
    }

    /// Moves everything that lives in SLC `blocks` of one plane to dense pages.
    fn move_cold(&mut self, blocks: &[BlockId], io: &mut Io) -> Result<(), DeviceFull> {
        let Some(&first) = blocks.first() else {
            return Ok(());
        };
        let plane = io.geometry().plane_of(first);
        let mut packer = Packer::new(plane, Writer::Host, self.migrate(), self.slots);
        for page in blocks.iter().flat_map(|&block| io.written_pages(block)).collect::<Vec<_>>() {
            let out = read_out(page, self.migrate(), io);
            for &tag in out.tags.iter().filter(|&&tag| tag != 0) {
                self.rewritten.set(tag as usize - 1, false);
                packer.add(tag, &out, &mut self.dense, io)?;
            }
        }
        packer.finish(&mut self.dense, io)?;
        self.stats.moved_cold(packer.units, packer.padded, io);
        Ok(())
    }

    /// Copies the hot units of SLC `block` to the open SLC block `to` and moves the others to dense
    /// pages. A page with a cold unit is read for the migration.
    fn split(&mut self, block: BlockId, to: BlockId, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = io.geometry().plane_of(block);
        let mut hot = Packer::new(plane, (), self.gc(), self.slots);
        let mut cold = Packer::new(plane, Writer::Host, self.migrate(), self.slots);
        let mut slc = OpenBlock { region: &self.slc, block: to };
        for page in io.written_pages(block) {
            let is_hot = |tag: u32| self.rewritten.get(tag as usize - 1);
            let any_cold = io.array().page_tags(page).iter().any(|&tag| tag != 0 && !is_hot(tag));
            let out = read_out(page, if any_cold { self.migrate() } else { self.gc() }, io);
            for &tag in out.tags.iter().filter(|&&tag| tag != 0) {
                match is_hot(tag) {
                    true => hot.add(tag, &out, &mut slc, io)?,
                    false => cold.add(tag, &out, &mut self.dense, io)?,
                }
            }
        }
        hot.finish(&mut slc, io)?;
        cold.finish(&mut self.dense, io)?;
        self.stats.copied_hot(hot.units, hot.padded, io);
        self.stats.moved_cold(cold.units, cold.padded, io);
        Ok(())
    }

    /// Erases an SLC block that was emptied and gives it back.
    fn release(&mut self, logical: u32, block: BlockId, job: Job, io: &mut Io) {
        erase_block(io, block, job);
        self.slc.give_back(io, block);
        self.owners.remove(logical, block);
    }
}
