//! What the array knows of its cells' errors, and of the blocks that are bad.

use super::{BlockState, FlashArray, MODES};
use crate::base::rng::RngStream;
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::hw::cells::{BadBlocks, Cells, Fate, Life, Need, Outcome, PageAt, Replaced, SavedCells};
use std::ops::Range;

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

impl FlashArray {
    /// The bad blocks, where there are or may be any.
    pub fn bad_blocks(&self) -> Option<&BadBlocks> {
        self.cells.as_ref()?.bad_blocks()
    }

    /// The same, to note the end of the device's life.
    pub fn bad_blocks_mut(&mut self) -> Option<&mut BadBlocks> {
        self.cells.as_mut()?.bad_blocks_mut()
    }

    /// Whether a block is out of use.
    pub fn is_lost(&self, block: BlockId) -> bool {
        self.bad_blocks().is_some_and(|bad| bad.is_lost(block))
    }

    /// How many of the blocks `range` of `plane` are out of use.
    pub fn lost_in(&self, plane: PlaneId, range: Range<u32>) -> u32 {
        let Some(bad) = self.bad_blocks() else { return 0 };
        let first = self.geometry.block(plane, 0).0;
        bad.lost().filter(|block| range.contains(&block.0.wrapping_sub(first))).count() as u32
    }

    /// What a block that was opened has used of its life, by the rule in force.
    pub fn damage(&self, block: BlockId) -> f64 {
        let life = self.life(block, 0);
        self.cells.as_ref().map_or(0.0, |cells| cells.damage(&life))
    }

    /// What becomes of `block`, which was erased at `now_ns`; its plane can do without it or not (`is_needed`).
    pub fn retire(&mut self, block: BlockId, now_ns: u64, is_needed: bool) -> Fate {
        let (life, plane) = (self.life(block, now_ns), self.geometry.plane_of(block));
        let Some(cells) = self.cells.as_mut() else { return Fate::Stays };
        let damage = cells.damage(&life);
        let fate = cells.retire(&life, damage, plane, is_needed);
        if fate == Fate::Replaced {
            let pages = CellMode::ALL.map(|mode| self.worn_pages(block, mode));
            let gone = Replaced { place: block, erases: life.erases, pages, damage };
            self.erases[block.index() * MODES..(block.index() + 1) * MODES].fill(0);
            self.begun[block.index()] = [0; 2];
            if let Some(bad) = self.bad_blocks_mut() {
                bad.note_replaced(gone);
            }
        }
        fate
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{BlockId, CellMode, PlaneId};
    use crate::hw::cells::{Cells, Fate, Life};
    use crate::hw::config::{CellsConfig, PoolConfig};
    use crate::hw::geometry::Geometry;
    use serde_json::json;

    const BLOCKS: u32 = 1 << 15;

    /// The fate of every block of a plane, erased so often in TLC and SLC mode, which stand 1000 and 4000.
    fn retired(config: serde_json::Value, tlc: u32, slc: u32) -> f64 {
        let pool: PoolConfig = serde_json::from_value(json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1,
            "blocks": BLOCKS, "wordlines": 4, "page_bytes": 4096, "bus": { "ps_per_byte": 0 },
            "slc": { "read_ns": [20], "program_ns": [200], "erase_ns": 3000, "endurance_cycles": 4000 },
            "tlc": { "read_ns": [60], "program_ns": [800], "erase_ns": 3000, "endurance_cycles": 1000 },
        }))
        .unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let config: CellsConfig = serde_json::from_value(config).unwrap();
        let mut cells = Cells::new(&config, &geometry);
        let mut erases = [0; CellMode::COUNT];
        (erases[CellMode::Tlc as usize], erases[CellMode::Slc as usize]) = (tlc, slc);
        let life = |block| Life {
            block: BlockId(block),
            pool: 0,
            mode: CellMode::Tlc,
            is_two_layer: false,
            pages: 0,
            erases,
            now_ns: 0,
        };
        let lost = |&block: &u32| {
            let life = life(block);
            let damage = cells.damage(&life);
            cells.retire(&life, damage, PlaneId(0), false) == Fate::Lost
        };
        f64::from((0..BLOCKS).filter(lost).count() as u32) / f64::from(BLOCKS)
    }

    #[test]
    fn weak_blocks_go_first() {
        // The distribution of what blocks differ by, at equal damage: by hand.
        for (cycles, share) in [(800, 0.059), (1000, 0.470), (1200, 0.873)] {
            let found = retired(json!({ "bad_blocks": { "retire": true } }), cycles, 0);
            assert!((found - share).abs() < 0.01, "{cycles}: {found}");
        }
    }

    #[test]
    fn damage_is_counted_by_the_rule_in_force() {
        let alike = |rule: &str, start: u32, tlc, slc| {
            let start = json!({ "tlc": { "cycles": start } });
            let bad_blocks = json!({ "retire": true });
            retired(
                json!({ "variation": 0.0, "wear": rule, "start": start, "bad_blocks": bad_blocks }),
                tlc,
                slc,
            )
        };
        for (rule, tlc, slc) in
            [("damage", 500, 2000), ("same", 500, 500), ("apart", 1000, 3999), ("apart", 1, 4000)]
        {
            assert_eq!(alike(rule, 0, tlc, slc), 1.0, "{rule}");
            let (tlc, slc) = if slc == 4000 { (tlc, slc - 1) } else { (tlc - 1, slc) };
            assert_eq!(alike(rule, 0, tlc, slc), 0.0, "{rule}");
        }
        assert_eq!([alike("damage", 499, 500, 0), alike("damage", 500, 500, 0)], [0.0, 1.0]);
    }
}
