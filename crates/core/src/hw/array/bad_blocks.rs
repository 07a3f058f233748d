//! Blocks of the array that are bad, and those that took their places.

use super::{FlashArray, MODES};
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::cells::{BadBlocks, Fate, Replaced};
use std::ops::Range;

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
