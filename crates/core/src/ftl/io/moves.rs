//! The page moves of a job that empties a block: what is the same for all of them is looked up once,
//! and they are counted together. Copy-backs are moves inside the chip.

use super::place::PagePlace;
use super::{Io, Programs};
use crate::base::op::OpKind;
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::ftl::media::SLOTS_MAX;
use crate::ftl::piece::{Job, PageWrite};
use crate::hw::config::BusConfig;
use crate::hw::timing::{MoveTarget, OpId, OpSpec, PageMove};

/// Moves out of one plain block within a unit, as reads whose data the unit then programs.
pub(in crate::ftl) struct Moves {
    job: Job,
    source: PagePlace,
    /// The page of the block from which on the next that lives is looked for.
    next: u32,
    bus: BusConfig,
    mu_bytes: u32,
    /// Time that so many mapping units are on the bus, ns.
    transfer_ns: [u32; SLOTS_MAX + 1],
    /// The first page of the block that is being programmed, if each page is programmed there this way.
    target: Option<PagePlace>,
    /// Moves that are not counted yet, of so many mapping units.
    pages: u64,
    units: u64,
    read_ns: u64,
    program_ns: u64,
}

impl Io {
    /// The moves out of `block` into pages of `plane` that are programmed one by one; none where each
    /// may be done in another way: see `move_within_unit`.
    pub(in crate::ftl) fn begin_moves(&mut self, block: BlockId, plane: PlaneId, job: Job) -> Option<Moves> {
        let geometry = self.geometry();
        let same_unit =
            geometry.planes[plane.index()].unit == geometry.planes[geometry.plane_of(block).index()].unit;
        let plain = !self.array().block(block).is_two_layer();
        // Operations that are kept are kept one by one; a transfer is as long in as out.
        let one_by_one = (self.ops.is_some() || self.policy.reads_whole_pages) && !self.clockless;
        if !same_unit || !plain || one_by_one {
            return None;
        }
        // Pages that take steps to read are read one by one, each in its own time.
        if self.has_cells() && !self.clockless && !self.reads_quietly(block, self.array().live_pages(block)) {
            return None;
        }
        let geometry = self.geometry();
        let source = self.place(geometry.page(block, 0));
        let bus = *self.timing.bus(source.unit);
        let mu_bytes = geometry.mu_bytes;
        let mut transfer_ns = [0; SLOTS_MAX + 1];
        for (units, ns) in (0..=1 << geometry.slot_bits).zip(&mut transfer_ns) {
            *ns = bus.transfer_ns(units * mu_bytes);
        }
        let (pages, units, read_ns, program_ns) = (0, 0, 0, 0);
        let (next, target) = (0, None);
        Some(Moves {
            job,
            source,
            next,
            bus,
            mu_bytes,
            transfer_ns,
            target,
            pages,
            units,
            read_ns,
            program_ns,
        })
    }

    /// Moves the next `count` pages of the block that hold something live to `to` and the pages behind
    /// it, and adds what programs them to `programs`.
    #[inline(always)]
    pub(in crate::ftl) fn move_pages(
        &mut self,
        moves: &mut Moves,
        to: Ppn,
        count: u32,
        programs: &mut Programs,
    ) {
        let to_block = self.geometry().block_of(to);
        if moves.target.as_ref().is_none_or(|target| target.block != to_block) {
            self.aim(moves, to_block);
        }
        let source = moves.source.block;
        // What is still to be programmed is not read.
        let pages = self.array().block(source).write_ptr();
        if moves.target.is_none() || !(self.clockless || self.timing.all_done(source, pages)) {
            return self.move_one_by_one(moves, to, count, programs);
        }
        let mut moved = std::mem::take(&mut self.moved_pages);
        moved.clear();
        moves.next = self.media.remap_pages(source, moves.next, to, count, &mut moved);
        if self.clockless {
            let first = self.geometry().page_in_block(to);
            self.timing.set_done_from(to_block, first, first + count);
            self.clockless_programs += u64::from(count);
        } else {
            let program = self.emit_moves(moves, to, &moved);
            programs.add(to_block, program);
            if self.map.is_some() {
                (to.0..to.0 + count).for_each(|page| self.look_up_moved(Ppn(page), moves.job.class));
            }
        }
        self.moved_pages = moved;
    }

    /// Emits the moves of pages, `moved` by index and mapping units, to `to` and the pages behind it;
    /// returns the last.
    #[inline(always)]
    fn emit_moves(&mut self, moves: &mut Moves, to: Ppn, moved: &[(u16, u16)]) -> OpId {
        let Some(target) = moves.target.as_ref() else { return OpId::NONE };
        let at = &moves.source;
        let geometry = &self.media.array().geometry;
        let first = geometry.page_in_block(to);
        let bus = &moves.bus;
        let mut run = std::mem::take(&mut self.run);
        run.clear();
        let (mut all_units, mut read_sum_ns, mut program_sum_ns) = (0, 0, 0);
        let reads_ns = geometry.times_ns_of_pages(at.pool, at.array.read_mode);
        let programs_ns = &geometry.times_ns_of_pages(target.pool, target.array.store_mode)[first as usize..];
        run.extend(moved.iter().zip(first..).zip(programs_ns).map(
            |((&(from, units), to), &(_, program_ns))| {
                let (read_ns, _) = reads_ns[usize::from(from)];
                let transfer_ns = moves.transfer_ns[usize::from(units)];
                all_units += u64::from(units);
                read_sum_ns += u64::from(read_ns) + u64::from(transfer_ns);
                program_sum_ns += u64::from(program_ns) + u64::from(transfer_ns);
                PageMove { from, to: to as u16, read_ns, program_ns, transfer_ns }
            },
        ));
        // Afterwards, as few programs vary: the loop above calls nothing.
        if geometry.programs_vary() {
            let (pool, mode) = (target.pool, target.array.store_mode);
            for page in &mut run {
                let usual_ns = page.program_ns;
                page.program_ns = geometry.varied_ns(pool, mode, target.block, page.to.into(), usual_ns);
                program_sum_ns = program_sum_ns - u64::from(usual_ns) + u64::from(page.program_ns);
            }
        }
        let count = moved.len() as u64;
        if self.cells.is_some() {
            self.count_quiet_reads(at, moves.job.cause, count as u32);
        }
        moves.units += all_units;
        moves.read_ns += read_sum_ns + count * u64::from(bus.read_command_ns + bus.read_data_ns);
        moves.program_ns += program_sum_ns + count * u64::from(bus.program_command_ns);
        moves.pages += count;
        let spec = |page: &PageMove| OpSpec {
            mode: Some(at.array.read_mode),
            plane_in_die: target.in_die,
            page: page.from,
            array_ns: page.read_ns,
            in_ns: bus.read_command_ns,
            out_ns: bus.read_data_ns + page.transfer_ns,
            then: Some(MoveTarget {
                kind: OpKind::Program,
                mode: target.array.store_mode,
                block: target.block,
                page: page.to,
                array_ns: page.program_ns,
                in_ns: bus.program_command_ns + page.transfer_ns,
            }),
            ..OpSpec::new(OpKind::Read, moves.job.cause, moves.job.class, at.block, target.unit)
        };
        let mut last = OpId::NONE;
        if self.policy.inflight_from_buffer {
            last = self.timing.emit_moves(spec(&run[run.len() - 1]), &run);
        } else {
            // A read may wait for any of them.
            for page in &run {
                last = self.timing.emit(spec(page), &[]);
            }
        }
        self.run = run;
        last
    }

    /// Emits the moves page by page, for those that may be stored in another way or are still in flight.
    #[cold]
    fn move_one_by_one(&mut self, moves: &mut Moves, to: Ppn, count: u32, programs: &mut Programs) {
        for page in to.0..to.0 + count {
            let index = self.array().next_live(moves.source.block, moves.next);
            let (from, to) = (self.geometry().page(moves.source.block, index), Ppn(page));
            let units = self.media.remap_page(from, to);
            let program = self.move_within_unit(from, to, &moves.job.write(units, moves.mu_bytes));
            programs.add(self.geometry().block_of(to), program);
            moves.next = index + 1;
        }
    }

    /// Goes on with another block to be programmed, unless its pages may be stored in another way.
    #[cold]
    fn aim(&mut self, moves: &mut Moves, block: BlockId) {
        self.count_moves(moves);
        let target = self.place(self.geometry().page(block, 0));
        assert!(target.unit == moves.source.unit, "Invariant: the pages of a plane are of one unit");
        let plain = !self.array().block(block).is_two_layer();
        let copied = !self.clockless && self.copyback_ns_to(moves.source.block, &target).is_some();
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
    /// The block that is emptied.
    pub(in crate::ftl) fn block(&self) -> BlockId {
        self.source.block
    }
}

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
    pub(super) fn copyback_ns_to(&self, block: BlockId, target: &PagePlace) -> Option<u32> {
        // Every page that moves asks, and most chips have none.
        let (geometry, mode) = (self.geometry(), target.array.store_mode);
        geometry.copyback_ns(target.pool, mode)?;
        let ns = self.copyback_ns(block, geometry.plane_of(target.block), mode)?;
        (!self.media.array().block(target.block).is_two_layer()).then_some(ns)
    }

    /// Emits the copy-back that stores `target` in `array_ns`. What is copied is programmed in time.
    #[inline(never)]
    pub(super) fn copy_back(&mut self, mut target: PagePlace, array_ns: u32, write: &PageWrite) -> OpId {
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
