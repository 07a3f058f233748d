//! How evenly a bank's blocks of a plane are worn, all modes together, in cycles of the densest one.

use super::Bank;
use crate::base::{BlockId, PlaneId};
use crate::hw::array::FlashArray;
use crate::hw::config::Uneven;

/// What no block of the bank in a plane is worn more than, and none less.
#[derive(Clone, Copy, Debug)]
pub(super) struct WearSpread {
    most: f64,
    least: f64,
}

impl Bank {
    /// Whether `block`, which was erased, is one of the bank's.
    pub(in crate::ftl) fn has(&self, block: BlockId, array: &FlashArray) -> bool {
        let plane = array.geometry.plane_of(block);
        let index = block.0 - array.geometry.block(plane, 0).0;
        self.planes().contains(&plane.0) && self.range().contains(&index)
    }

    /// Whether wear may be `uneven` in the plane of `block`, which was erased: a quick no.
    pub(in crate::ftl) fn may_differ(&mut self, block: BlockId, uneven: Uneven, array: &FlashArray) -> bool {
        let plane = array.geometry.plane_of(block);
        let spread = &mut self.parts[(plane.0 - self.first_plane) as usize].spread;
        spread.as_mut().is_none_or(|spread| {
            spread.most = spread.most.max(array.worn_cycles(block));
            spread.most - spread.least >= uneven.threshold
        })
    }

    /// The least worn closed block of `plane` (the first on ties), if wear is `uneven` there.
    /// All blocks are looked at. One that is free or being filled comes to be closed or erased by itself; a spare
    /// one is young, which tells nothing of its data.
    pub(in crate::ftl) fn least_worn(
        &mut self,
        plane: PlaneId,
        uneven: Uneven,
        array: &FlashArray,
    ) -> Option<BlockId> {
        let (mut most, mut least) = (0.0, f64::INFINITY);
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        let mut closed: Option<(f64, BlockId)> = None;
        let blocks = self.range().map(|index| array.geometry.block(plane, index));
        for block in blocks.filter(|&block| !array.is_lost(block)) {
            // What was never opened stays untouched in memory.
            let worn = if array.was_used(block) { array.worn_cycles(block) } else { 0.0 };
            most = f64::max(most, worn);
            if array.is_spare(block) {
                continue;
            }
            least = least.min(worn);
            (sum, squares, count) = (sum + worn, squares + worn * worn, count + 1.0);
            if array.is_closed(block) && closed.is_none_or(|(fewest, _)| worn < fewest) {
                closed = Some((worn, block));
            }
        }
        self.parts[(plane.0 - self.first_plane) as usize].spread = Some(WearSpread { most, least });
        let is_uneven = sum * sum <= uneven.evenness * count * squares;
        closed.filter(|(worn, _)| is_uneven && most - worn >= uneven.threshold).map(|(_, block)| block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::CellMode;
    use crate::ftl::config::WearLevelling;
    use crate::hw::cells::Cells;
    use crate::hw::config::{CellsConfig, PoolConfig};
    use crate::hw::geometry::Geometry;
    use serde_json::json;

    const PLANE: PlaneId = PlaneId(0);

    /// A plane of four blocks that stand 4000 cycles in SLC and 1000 in TLC mode.
    fn array(rule: &str) -> FlashArray {
        let pool: PoolConfig = serde_json::from_value(json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1,
            "blocks": 4, "wordlines": 4, "page_bytes": 4096, "bus": { "ps_per_byte": 0 },
            "slc": { "read_ns": [20], "program_ns": [200], "erase_ns": 3000, "endurance_cycles": 4000 },
            "tlc": { "read_ns": [60], "program_ns": [800], "erase_ns": 3000, "endurance_cycles": 1000 },
        }))
        .unwrap();
        let config: CellsConfig = serde_json::from_value(json!({ "wear": rule })).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let cells = Cells::new(&config, &geometry);
        FlashArray::new(geometry).with_cells(Some(cells))
    }

    fn by(threshold: f64) -> Uneven {
        Uneven { threshold, evenness: 1.0 }
    }

    fn open(array: &mut FlashArray, block: u32, mode: CellMode) {
        let region = array.new_region();
        array.open(BlockId(block), mode, region).unwrap();
        array.program(array.geometry.page(BlockId(block), 0), &[0]).unwrap();
    }

    /// Has a block that is free and was taken go through so many cycles.
    fn cycle(array: &mut FlashArray, block: u32, mode: CellMode, times: u32) {
        for _ in 0..times {
            open(array, block, mode);
            array.erase(BlockId(block)).unwrap();
        }
    }

    #[test]
    fn wear_is_counted_in_cycles_of_the_densest_mode_by_the_rule_in_force() {
        for (rule, cycles) in [("damage", 4.0), ("same", 7.0), ("apart", 3.0)] {
            let mut array = array(rule);
            cycle(&mut array, 0, CellMode::Slc, 4);
            cycle(&mut array, 0, CellMode::Tlc, 3);
            assert_eq!(array.worn_cycles(BlockId(0)), cycles, "{rule}");
        }
    }

    #[test]
    fn the_least_worn_closed_block_and_the_most_worn_erased_one_are_found() {
        let mut array = array("damage");
        let mut bank = Bank::new(0, 0, &[4], &array);
        for block in 0..4 {
            assert_eq!(bank.take(&mut array, PLANE, 0, WearLevelling::Fifo), Some(BlockId(block)));
        }
        cycle(&mut array, 1, CellMode::Tlc, 2);
        cycle(&mut array, 0, CellMode::Tlc, 5);
        open(&mut array, 2, CellMode::Tlc);
        open(&mut array, 3, CellMode::Slc);
        bank.put(&mut array, BlockId(1));
        bank.put(&mut array, BlockId(0));
        // Nothing was looked at; nothing is closed.
        assert!(bank.may_differ(BlockId(0), by(6.0), &array));
        assert_eq!(bank.least_worn(PLANE, by(5.0), &array), None);
        array.close(BlockId(3)).unwrap();
        assert_eq!(bank.least_worn(PLANE, by(5.0), &array), Some(BlockId(3)));
        assert_eq!(bank.least_worn(PLANE, by(6.0), &array), None);
        // 5, 2 and twice nothing: 49 of 116.
        let even = |evenness| Uneven { threshold: 1.0, evenness };
        assert_eq!(bank.least_worn(PLANE, even(0.43), &array), Some(BlockId(3)));
        assert_eq!(bank.least_worn(PLANE, even(0.42), &array), None);
        assert!(
            bank.may_differ(BlockId(0), by(5.0), &array) && !bank.may_differ(BlockId(0), by(6.0), &array)
        );
        for (cycles, taken) in [(5.0, None), (2.0, Some(BlockId(0))), (2.0, None), (0.0, Some(BlockId(1)))] {
            assert_eq!(bank.take_more_worn(&mut array, PLANE, cycles), taken);
        }
        cycle(&mut array, 0, CellMode::Tlc, 1);
        assert!(bank.may_differ(BlockId(0), by(6.0), &array));
    }
}
