//! The page moves of a job that empties a block: what is the same for all of them is looked up once,
//! and they are counted together.

use super::place::Place;
use super::Io;
use crate::base::op::OpKind;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::job::Job;
use crate::ftl::piece::PageWrite;
use crate::hw::config::BusConfig;
use crate::hw::timing::{MoveTarget, OpId, OpSpec};

/// Moves out of one plain block within a unit, as reads whose data the unit then programs.
pub(in crate::ftl) struct Moves {
    job: Job,
    source: Place,
    bus: BusConfig,
    mu_bytes: u32,
    /// The first page of the block that is being programmed, if each page is programmed there this way.
    target: Option<Place>,
    /// Moves that are not counted yet, of so many mapping units.
    pages: u64,
    units: u64,
    read_ns: u64,
    program_ns: u64,
}

impl Io {
    /// The moves out of `block` into pages of `plane` that are programmed one by one; none where each
    /// may be done in another way: see `move_within_unit`.
    pub(in crate::ftl) fn begin_moves(&self, block: BlockId, plane: PlaneId, job: Job) -> Option<Moves> {
        let geometry = self.geometry();
        let same_unit =
            geometry.planes[plane.index()].unit == geometry.planes[geometry.plane_of(block).index()].unit;
        let plain = !self.array().block(block).is_two_layer();
        // Operations that are kept are kept one by one.
        if self.clockless || self.ops.is_some() || !same_unit || !plain {
            return None;
        }
        let source = self.place(geometry.page(block, 0));
        let bus = *self.timing.bus(source.unit);
        let mu_bytes = geometry.mu_bytes;
        let (pages, units, read_ns, program_ns) = (0, 0, 0, 0);
        Some(Moves { job, source, bus, mu_bytes, target: None, pages, units, read_ns, program_ns })
    }

    /// Moves page `from` of the block to `to`, which has got its `units` mapping units.
    #[inline(always)]
    pub(in crate::ftl) fn move_page(&mut self, moves: &mut Moves, from: Ppn, to: Ppn, units: u32) -> OpId {
        let geometry = &self.media.array().geometry;
        let (index, to_block, to_index) =
            (geometry.page_in_block(from), geometry.block_of(to), geometry.page_in_block(to));
        if moves.target.as_ref().is_none_or(|target| target.block != to_block) {
            self.aim(moves, to_block);
        }
        let at = &moves.source;
        let Some(target) = moves.target.as_ref().filter(|_| !self.timing.in_flight(at.block, index)) else {
            return self.move_within_unit(from, to, &moves.write(units));
        };
        let geometry = &self.media.array().geometry;
        let (read_ns, _) = geometry.page_times_ns(at.pool, at.array.read_mode, index);
        let (_, program_ns) = geometry.page_times_ns(target.pool, target.array.store_mode, to_index);
        let transfer_ns = moves.bus.transfer_ns(units * moves.mu_bytes);
        let then = MoveTarget {
            kind: OpKind::Program,
            block: to_block,
            page: to_index as u16,
            array_ns: program_ns,
            in_ns: moves.bus.program_command_ns + transfer_ns,
        };
        let spec = OpSpec {
            plane_in_die: target.in_die,
            page: index as u16,
            array_ns: read_ns,
            in_ns: moves.bus.read_command_ns,
            out_ns: moves.bus.read_data_ns + transfer_ns,
            then: Some(then),
            ..OpSpec::new(OpKind::Read, moves.job.cause, moves.job.class, at.block, target.unit)
        };
        moves.pages += 1;
        moves.units += u64::from(units);
        moves.read_ns += u64::from(spec.array_ns) + u64::from(spec.in_ns) + u64::from(spec.out_ns);
        moves.program_ns += u64::from(then.array_ns) + u64::from(then.in_ns);
        self.timing.emit(spec, &[])
    }

    /// Goes on with another block to be programmed, unless its pages may be stored in another way.
    #[cold]
    fn aim(&mut self, moves: &mut Moves, block: BlockId) {
        self.count_moves(moves);
        let target = self.place(self.geometry().page(block, 0));
        assert!(target.unit == moves.source.unit, "Invariant: the pages of a plane are of one unit");
        let plain = !self.array().block(block).is_two_layer();
        let copied = self.copyback_ns_to(moves.source.block, &target).is_some();
        moves.target = (plain && !copied).then_some(target);
    }

    /// Counts the moves that are not counted yet, also those that went by.
    pub(in crate::ftl) fn count_moves(&mut self, moves: &mut Moves) {
        let Some(target) = moves.target.as_ref().filter(|_| moves.pages > 0) else { return };
        let (cause, at) = (moves.job.cause, &moves.source);
        let page_bytes = u64::from(self.media.array().geometry.pools[target.pool].page_bytes);
        let reads = self.counters.at(at.pool, OpKind::Read, at.array.read_mode, cause);
        reads.count += moves.pages;
        reads.pages += moves.pages;
        reads.bytes += moves.units * u64::from(moves.mu_bytes);
        reads.time_ns += std::mem::take(&mut moves.read_ns);
        let programs = self.counters.at(target.pool, OpKind::Program, target.array.store_mode, cause);
        programs.count += moves.pages;
        programs.pages += moves.pages;
        programs.bytes += moves.pages * page_bytes;
        programs.time_ns += std::mem::take(&mut moves.program_ns);
        programs.slots += std::mem::take(&mut moves.units);
        self.series.current().program_pages[cause as usize] += std::mem::take(&mut moves.pages);
    }
}

impl Moves {
    /// The same as a program of its own.
    fn write(&self, units: u32) -> PageWrite {
        self.job.write(units, self.mu_bytes)
    }
}
