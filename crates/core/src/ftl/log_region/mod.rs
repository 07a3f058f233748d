//! A log: a region whose blocks are written, cleaned and freed in one unchanging circle.
//!
//! The circle is one of *rows*, a block of every plane at the same place: the planes fill a row
//! together, so that on one plane a row is a block and on several they wear alike. From the oldest row
//! on there are the cold span, which cleaning empties, the rest of what is written up to the frontier,
//! and the free rows. The last of those are the reserve: the host may not open them, cleaning may.

mod dest;

use super::config::{CleanConfig, WearLevelling};
use super::io::Io;
use super::plane_allocator::try_planes;
use super::region::{Region, RegionSpec, Writer};
use crate::base::{BlockId, PlaneId, Ppn, Problem};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug)]
pub struct LogSpec {
    /// Its blocks, which no other region shares; how a log cleans does not depend on `clean`.
    pub region: RegionSpec,
    /// The cold span, a share of the rows that are not the reserve.
    pub cold_share: f64,
    /// The reserve, a share of all rows.
    pub reserve_share: f64,
}

/// Blocks of every plane in a circle.
#[derive(Clone, Serialize, Deserialize)]
pub struct LogRegion {
    region: Region,
    spans: LogSpans,
    /// Row of the oldest blocks.
    tail: u32,
    /// Rows from the tail to the frontier's.
    used: u32,
    /// Blocks of the oldest row that were freed.
    released: u32,
}

impl LogRegion {
    /// A log that has no block yet, of a checked specification.
    pub fn new(spec: LogSpec, io: &mut Io) -> Self {
        assert!(spec.region.bank.is_none(), "Invariant: a log has its blocks to itself");
        // One frontier, and blocks are opened in the order in which they were freed.
        let clean = CleanConfig {
            separate_frontier: false,
            wear_levelling: WearLevelling::Fifo,
            ..spec.region.clean.clone()
        };
        let spans = LogSpans::new(spec.region.blocks, spec.cold_share, spec.reserve_share);
        let region = Region::new(RegionSpec { clean, ..spec.region }, io);
        Self { region, spans, tail: 0, used: 0, released: 0 }
    }

    /// Its blocks, to look at.
    #[inline(always)]
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Whether the host's next page needs a row and only the reserve is left: it is to be cleaned first.
    #[inline]
    pub fn is_due(&self) -> bool {
        !self.may_open(Writer::Host) && self.row_is_full()
    }

    /// The next page for logical page `logical_page` of the host; none if the log `is_due`.
    #[inline]
    pub fn next_page(&mut self, io: &mut Io, logical_page: u32) -> Option<Ppn> {
        if !self.has_row(Writer::Host) {
            return None;
        }
        let plane = self.region.choose_plane(io, logical_page);
        let in_row = |log: &mut Self, plane| Ok(log.take_in_row(io, plane));
        try_planes(self, plane, |log| log.region.allocator(), in_row).ok()
    }

    /// Puts the blocks of the cold span into `into`, oldest row first, each in the order of the planes.
    pub fn cold_blocks(&self, io: &Io, into: &mut Vec<BlockId>) {
        into.clear();
        for row in 0..self.spans.cold.min(self.used) {
            into.extend(self.region.planes().iter().map(|&plane| self.block_in(plane, row, io)));
        }
    }

    /// Pages of the cold span in which nothing lives, and all its pages.
    pub fn cold_census(&self, io: &Io) -> (u32, u32) {
        let (mut invalid, mut pages) = (0, 0);
        for row in 0..self.spans.cold.min(self.used) {
            for &plane in self.region.planes() {
                let block = self.block_in(plane, row, io);
                pages += self.region.pages_per_block;
                invalid += self.region.pages_per_block - io.array().live_pages(block);
            }
        }
        (invalid, pages)
    }

    /// Frees an erased block, which must be the oldest: with the last of its row the tail moves on.
    pub fn release(&mut self, io: &mut Io, block: BlockId) {
        let oldest = self.block_in(self.region.planes()[self.released as usize], 0, io);
        assert_eq!(block, oldest, "Invariant: a log's blocks are freed in the order of its circle");
        self.released += 1;
        if self.released as usize == self.region.planes().len() {
            for place in 0..self.region.planes().len() {
                let block = self.block_in(self.region.planes()[place], 0, io);
                self.region.give_back(io, block);
            }
            self.released = 0;
            self.used -= 1;
            self.tail = (self.tail + 1) % self.spans.rows;
        }
    }

    /// Without power-loss protection no erase may wait for a wordline that nobody fills: to be called
    /// when the cold span is empty.
    pub fn pad_unprotected(&mut self, io: &mut Io) {
        if !io.policy().plp {
            for place in 0..self.region.planes().len() {
                let plane = self.region.planes()[place];
                self.region.pad(io, plane, true);
            }
        }
    }

    /// The block of `plane` in row number `row` from the oldest on.
    fn block_in(&self, plane: PlaneId, row: u32, io: &Io) -> BlockId {
        let place = (self.tail + row) % self.spans.rows;
        io.geometry().block(plane, self.region.spec.first_block + place)
    }

    /// Whether `writer` may open a row.
    fn may_open(&self, writer: Writer) -> bool {
        let kept = if writer == Writer::Host { self.spans.reserve } else { 0 };
        self.spans.rows - self.used > kept
    }

    /// Whether the block of `plane` in the frontier's row is not opened yet.
    #[inline]
    fn is_unopened(&self, plane: PlaneId) -> bool {
        self.region.used_blocks(plane) < self.used
    }

    /// Whether no block of the frontier's row has a page left.
    #[inline]
    fn row_is_full(&self) -> bool {
        let is_full = |&plane| self.region.needs_block(plane, Writer::Host) && !self.is_unopened(plane);
        self.region.planes().iter().all(is_full)
    }

    /// Whether the frontier's row has a page left, after going on to the next one if `writer` must and may.
    #[inline]
    fn has_row(&mut self, writer: Writer) -> bool {
        let has_page = !self.row_is_full();
        let moves_on = !has_page && self.may_open(writer);
        self.used += u32::from(moves_on);
        has_page || moves_on
    }

    /// The next page of `plane` in the frontier's row.
    #[inline]
    fn take_in_row(&mut self, io: &mut Io, plane: PlaneId) -> Option<Ppn> {
        let kept = if self.is_unopened(plane) { 0 } else { u32::MAX };
        let page = self.region.take_page(io, plane, Writer::Host, kept)?;
        let newest = self.block_in(plane, self.used - 1, io);
        debug_assert_eq!(io.geometry().block_of(page), newest, "Invariant: blocks are opened in the circle");
        Some(page)
    }
}

/// Rows of a log and of its spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSpans {
    /// All rows: blocks of each plane.
    pub rows: u32,
    /// Rows that the host leaves free.
    pub reserve: u32,
    /// The oldest rows, which are cleaned together.
    pub cold: u32,
}

impl LogSpans {
    /// The fewest rows of a log: one that is written, and one to move it to.
    pub const ROWS_MIN: u32 = 2;
    /// The largest share of the reserve: with it the fewest rows still have one to write.
    pub const RESERVE_SHARE_MAX: f64 = 0.5;

    /// The spans of `rows` rows, each rounded to the nearest number of rows and at least one.
    pub fn new(rows: u32, cold_share: f64, reserve_share: f64) -> Self {
        let share_of = |share: f64, rows: u32| (libm::round(share * f64::from(rows)) as u32).max(1);
        let reserve = share_of(reserve_share, rows);
        Self { rows, reserve, cold: share_of(cold_share, rows.saturating_sub(reserve)) }
    }

    /// Adds the problem of a log with the number of blocks per plane that `blocks` names.
    pub fn check(blocks: (&str, u32), problems: &mut Vec<Problem>) {
        if blocks.1 < Self::ROWS_MIN {
            let allowed = format!("at least {}: one to write and one in reserve to clean it", Self::ROWS_MIN);
            problems.push(Problem::new(blocks.0, blocks.1, allowed));
        }
    }
}

#[cfg(test)]
mod tests;
