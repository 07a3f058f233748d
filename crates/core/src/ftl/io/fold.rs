//! Folds: SLC pages of a plane become a wordline of a denser block inside the chip.

use super::Io;
use crate::base::op::OpKind;
use crate::base::{BlockId, Ppn};
use crate::ftl::piece::Job;
use crate::hw::timing::{OpId, OpSpec};

impl Io {
    /// Whether `page` is programmed in time: a chip reads nothing that is still in the controller,
    /// and corrects nothing that it reads.
    pub(in crate::ftl) fn is_in_chip(&mut self, page: Ppn) -> bool {
        let geometry = self.geometry();
        !self.timing.in_flight(geometry.block_of(page), geometry.page_in_block(page))
            && self.reads_cleanly(page)
    }

    /// Array time of a fold into `block`, ns; none where its chips have none.
    pub(in crate::ftl) fn fold_ns(&self, block: BlockId) -> Option<u32> {
        let geometry = self.geometry();
        let pool = geometry.planes[geometry.plane_of(block).index()].pool as usize;
        geometry.fold_ns(pool, self.array().block(block).mode())
    }

    /// Folds the pages `from`, one for every bit of a cell, to as many pages from `to` on, a wordline of
    /// the same plane, behind the operation `after` if that is one; each keeps its places of slots. It takes
    /// the array `array_ns` and no channel.
    pub(in crate::ftl) fn fold(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        array_ns: u32,
        job: Job,
        after: OpId,
    ) -> OpId {
        let (pages, mu_bytes) = (from.len() as u32, self.geometry().mu_bytes);
        for (&page, to) in from.iter().zip(to.0..) {
            let units = self.media.remap_page(page, Ppn(to));
            if self.clockless {
                self.program_clockless(Ppn(to));
                continue;
            }
            if self.has_cells() {
                let source = self.place(page);
                self.count_quiet_reads(&source, job.cause, 1);
            }
            let mut target = self.place(Ppn(to));
            target.array.store = OpKind::CopyBack;
            self.count_program(&target, &job.write(units, mu_bytes), 0, 0);
        }
        if self.clockless {
            return OpId::NONE;
        }
        let target = self.place(to);
        let (mode, pool) = (target.array.store_mode, target.pool);
        let count = self.counters.at(pool, OpKind::CopyBack, mode, job.cause);
        (count.count, count.time_ns) = (count.count + 1, count.time_ns + u64::from(array_ns));
        let spec = OpSpec {
            mode: Some(mode),
            plane_in_die: target.in_die,
            page: target.index as u16,
            pages: pages as u8,
            array_ns,
            ..OpSpec::new(OpKind::CopyBack, job.cause, job.class, target.block, target.unit)
        };
        if after.is_none() {
            return self.timing.emit(spec, &[]);
        }
        self.timing.raise(after, job.class);
        self.timing.emit(spec, &[after])
    }
}
