//! What the array knows of its cells' errors.

use super::{BlockState, FlashArray};
use crate::base::rng::RngStream;
use crate::base::{BlockId, CellMode, Ppn};
use crate::hw::cells::{Cells, Life, Need, Outcome, PageAt, SavedCells};

impl FlashArray {
    /// Has cells err.
    pub fn with_cells(mut self, cells: Option<Cells>) -> Self {
        self.cells = cells.map(Box::new);
        self
    }

    /// What a snapshot made at `now_ns` holds of cells that err.
    pub fn save_cells(&self, now_ns: u64) -> Option<SavedCells> {
        self.cells.as_ref().map(|cells| cells.save(now_ns))
    }

    /// Takes what a snapshot holds of cells that err, or says what does not fit; it is time 0.
    pub fn load_cells(&mut self, saved: Option<SavedCells>) -> Result<(), String> {
        match (self.cells.as_mut(), saved) {
            (Some(cells), Some(saved)) => cells.load(saved),
            (None, None) => Ok(()),
            (own, _) => Err(format!("{} that err", if own.is_some() { "no cells" } else { "cells" })),
        }
    }

    /// Whether cells err.
    pub fn has_cells(&self) -> bool {
        self.cells.is_some()
    }

    /// A block, or a window of its layers, is opened at `now_ns`; `before` time 0.
    pub fn open_cells(&mut self, block: BlockId, now_ns: u64, before: bool) {
        if let Some(cells) = self.cells.as_mut() {
            cells.open(block, now_ns, before);
        }
    }

    /// What a read of `units` mapping units of a page takes, which is counted.
    pub fn read_cells(&mut self, page: Ppn, units: u32, now_ns: u64, rng: &mut RngStream) -> Outcome {
        let (life, at) = (self.life(self.geometry.block_of(page), now_ns), self.page_at(page));
        self.cells.as_mut().map_or_else(Outcome::default, |cells| cells.read(&life, at, units, rng))
    }

    /// Whether the next `count` reads of a block take nothing more than usual.
    pub fn reads_quietly(&mut self, block: BlockId, count: u32, now_ns: u64) -> bool {
        let life = self.life(block, now_ns);
        self.cells.as_mut().is_none_or(|cells| cells.is_quiet(&life, count))
    }

    /// Whether a read of all of a page takes nothing more than usual, as copies inside the chip must.
    pub fn reads_cleanly(&mut self, page: Ppn, now_ns: u64) -> bool {
        let (life, at) = (self.life(self.geometry.block_of(page), now_ns), self.page_at(page));
        let units = self.geometry.pools[life.pool].slots_per_page;
        self.cells.as_mut().is_none_or(|cells| cells.is_clean(&life, at, units))
    }

    /// How many steps a read of all of a page takes.
    pub fn read_steps(&mut self, page: Ppn, now_ns: u64) -> u32 {
        let (life, at) = (self.life(self.geometry.block_of(page), now_ns), self.page_at(page));
        let units = self.geometry.pools[life.pool].slots_per_page;
        self.cells.as_mut().map_or(0, |cells| cells.steps(&life, at, units))
    }

    /// Counts reads of a block that take nothing more than usual.
    pub fn count_reads(&mut self, block: BlockId, count: u32) {
        if let Some(cells) = self.cells.as_mut() {
            cells.count_reads(block, count);
        }
    }

    /// Takes the next block that was found to need a move.
    #[inline]
    pub fn take_found(&mut self) -> Option<(BlockId, Need)> {
        self.cells.as_mut()?.take_found()
    }

    /// Whether `block` was found to need a move since it was opened, and was not erased since.
    pub fn needs_move(&self, block: BlockId) -> bool {
        let is_free = self.block(block).state() == BlockState::Free;
        !is_free && self.cells.as_ref().is_some_and(|cells| cells.was_found(block))
    }

    /// Steps that a read of a whole page of `block` takes at `now_ns` beyond those of data freshly written there,
    /// of its worst page kind.
    pub fn aged_steps(&self, block: BlockId, now_ns: u64) -> u32 {
        let life = self.life(block, now_ns);
        self.cells.as_ref().map_or(0, |cells| cells.aged_steps(&life))
    }

    /// Cycles of the densest mode that the erases of `block` since the last reset of wear come to.
    pub fn worn_cycles(&self, block: BlockId) -> f64 {
        let pool = self.geometry.planes[self.geometry.plane_of(block).index()].pool.into();
        let erases = CellMode::ALL.map(|mode| self.erases(block, mode));
        self.cells.as_ref().map_or(0.0, |cells| cells.worn_cycles(pool, erases))
    }

    /// Whether a spare block has the place of `block`.
    pub fn is_spare(&self, block: BlockId) -> bool {
        self.cells.as_ref().is_some_and(|cells| cells.is_spare(block))
    }

    pub(super) fn life(&self, block: BlockId, now_ns: u64) -> Life {
        let record = self.block(block);
        let pool = self.geometry.planes[self.geometry.plane_of(block).index()].pool.into();
        let erases = CellMode::ALL.map(|mode| self.erases(block, mode));
        let (mode, is_two_layer, pages) = (record.mode(), record.is_two_layer(), record.write_ptr());
        Life { block, pool, mode, is_two_layer, pages, erases, now_ns }
    }

    fn page_at(&self, page: Ppn) -> PageAt {
        let (block, index) = (self.geometry.block_of(page), self.geometry.page_in_block(page));
        let record = self.block(block);
        if !record.is_two_layer() {
            return PageAt { index, is_single: false };
        }
        let step = self.step(block, page);
        PageAt { index: step.bit.into(), is_single: record.write_ptr() <= u32::from(step.second) }
    }
}
