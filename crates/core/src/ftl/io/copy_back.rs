//! Copy-backs: a page moves to another of its plane inside the chip.

use super::place::Place;
use super::Io;
use crate::base::op::OpKind;
use crate::base::{BlockId, CellMode, PlaneId};
use crate::ftl::piece::PageWrite;
use crate::hw::timing::{OpId, OpSpec};

impl Io {
    /// Time of a copy-back from `block` to a plain block of `plane` in `mode`, ns; none if the chips
    /// have no copy-back, or the block lies in another plane, is in another mode or not plain.
    #[inline]
    pub(in crate::ftl) fn copyback_ns(&self, block: BlockId, plane: PlaneId, mode: CellMode) -> Option<u32> {
        let array = self.media.array();
        let pool = array.geometry.planes[plane.index()].pool as usize;
        let ns = array.geometry.copyback_ns(pool, mode)?;
        let record = array.block(block);
        let alike = record.mode() == mode && !record.is_two_layer();
        (alike && array.geometry.plane_of(block) == plane).then_some(ns)
    }

    /// Time of a copy-back from `block` to the block of `target`, ns; none where there can be no copy-back.
    #[inline]
    pub(super) fn copyback_ns_to(&self, block: BlockId, target: &Place) -> Option<u32> {
        // Every page that moves asks, and most chips have none.
        let (geometry, mode) = (self.geometry(), target.array.store_mode);
        geometry.copyback_ns(target.pool, mode)?;
        let ns = self.copyback_ns(block, geometry.plane_of(target.block), mode)?;
        (!self.media.array().block(target.block).is_two_layer()).then_some(ns)
    }

    /// Emits the copy-back that stores `target` in `array_ns`. What is copied is programmed in time.
    #[inline(never)]
    pub(super) fn copy_back(&mut self, mut target: Place, array_ns: u32, write: &PageWrite) -> OpId {
        target.array.store = OpKind::CopyBack;
        self.count_program(&target, write, 1, array_ns);
        let spec = OpSpec {
            mode: Some(target.array.store_mode),
            plane_in_die: target.in_die,
            page: target.index as u16,
            array_ns,
            ..OpSpec::new(OpKind::CopyBack, write.cause, write.class, target.block, target.unit)
        };
        self.timing.emit(spec, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::io::{Driver, IoPolicy};
    use crate::hw::array::FlashArray;
    use crate::hw::config::PoolConfig;
    use crate::hw::geometry::Geometry;
    use crate::hw::timing::Timing;
    use serde_json::json;

    fn io() -> Driver {
        let slc = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1, "copyback_ns": 7});
        let tlc = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1});
        let chips = json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 2, "blocks": 4,
            "wordlines": 4, "page_bytes": 4096, "bus": {"ps_per_byte": 1000}, "slc": slc, "tlc": tlc,
            "reprogram": {"program_ns": 1},
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let timing = Timing::new(&geometry, 0);
        let policy = IoPolicy {
            rmw_whole_page: true,
            reads_whole_pages: false,
            parts_in_turn: false,
            inflight_from_buffer: true,
            plp: true,
            stage_timeout_ns: 1,
            mus_per_page: 1,
        };
        Driver::new(FlashArray::new(geometry), 8, timing, 1, policy)
    }

    #[test]
    fn only_plain_blocks_of_one_plane_in_one_mode_are_copied_between() {
        let mut io = io();
        let region = io.new_region();
        let block = |io: &Driver, plane, index| io.geometry().block(PlaneId(plane), index);
        let (slc, tlc, layers) = (block(&io, 0, 0), block(&io, 0, 1), block(&io, 0, 2));
        io.open_block(slc, CellMode::Slc, region);
        io.open_block(tlc, CellMode::Tlc, region);
        io.open_two_layer_block(layers, region);
        assert_eq!(io.copyback_ns(slc, PlaneId(0), CellMode::Slc), Some(7));
        assert_eq!(io.copyback_ns(slc, PlaneId(1), CellMode::Slc), None);
        assert_eq!(io.copyback_ns(slc, PlaneId(0), CellMode::Tlc), None);
        // The chips have no copy-back in TLC mode.
        assert_eq!(io.copyback_ns(tlc, PlaneId(0), CellMode::Tlc), None);
        assert_eq!(io.copyback_ns(layers, PlaneId(0), CellMode::Slc), None);
        let to = |block| io.place(io.geometry().page(block, 0));
        assert_eq!(io.copyback_ns_to(slc, &to(slc)), Some(7));
        assert_eq!(io.copyback_ns_to(slc, &to(layers)), None);
    }
}
