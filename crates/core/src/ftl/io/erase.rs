//! Erases.

use super::Io;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::BlockId;
use crate::hw::timing::op_table::{Op, OpId};

impl Io {
    /// Emits the erase of `block` (state not yet erased), held once until `timing.release`.
    pub fn erase(&mut self, block: BlockId, cause: Cause, class: Class) -> OpId {
        if self.clockless {
            self.timing.set_erased(block);
            return OpId::NONE;
        }
        let geometry = &self.media.array.geometry;
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array.block(block).mode();
        if self.ops.is_some() {
            let page = geometry.page(block, 0);
            self.log(OpKind::Erase, mode, cause, &self.place(page));
        }
        let geometry = &self.media.array.geometry;
        let mut op = Op::new(OpKind::Erase, cause, class, block, plane.unit);
        op.plane_in_die = plane.in_die;
        op.array_ns = geometry.pools[plane.pool as usize].mode(mode).erase_ns;
        op.in_ns = self.timing.bus(plane.unit).erase_command_ns;
        op.deps = 1;
        let count = self.counters.at(plane.pool as usize, OpKind::Erase, mode, cause);
        count.count += 1;
        count.time_ns += u64::from(op.array_ns) + u64::from(op.in_ns);
        self.series.current().erases += 1;
        self.timing.emit(op)
    }
}
