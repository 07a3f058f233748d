//! A scheme's whole world: the media, the clock, the counters and the verbs that join them.

use super::media::Media;
use crate::base::rng::RngStream;
use crate::base::{BlockId, Ppn};
use crate::hw::op::{Cause, Class, OpKind};
use crate::hw::timing::op_table::{MoveTarget, Op, OpId, RequestId};
use crate::hw::timing::Timing;
use crate::metrics::counters::OpCounters;
use crate::metrics::series::Series;

/// The part of a host request that lies in one logical page.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The request it belongs to.
    pub request: RequestId,
    /// Logical page.
    pub page: u32,
    /// Mapping units of the page that are touched (bit per unit).
    pub mask: u32,
    /// Those of them that are only partly covered.
    pub partial: u32,
    /// Exact bytes.
    pub bytes: u32,
    /// Host, or flush when the DRAM buffer writes back.
    pub cause: Cause,
}

/// Why a page is programmed.
#[derive(Clone, Copy, Debug)]
pub struct PageWrite {
    /// Bytes that cross the channel.
    pub bytes: u32,
    /// Mapping units with new data; the page's other live units are counted as read-modify-write.
    pub fresh_slots: u32,
    /// All live mapping units of the page.
    pub slots: u32,
    /// Cause.
    pub cause: Cause,
    /// Priority.
    pub class: Class,
    /// The request that waits for it.
    pub request: RequestId,
}

/// Fixed choices of the device that the verbs follow.
#[derive(Clone, Copy, Debug)]
pub struct IoPolicy {
    /// A read-modify-write transfers and reads whole pages.
    pub rmw_whole_page: bool,
    /// Pages still being programmed are served from the controller.
    pub inflight_from_buffer: bool,
    /// Erases need not wait for staged pages.
    pub plp: bool,
    /// How long staged host pages wait before the wordline is padded, ns.
    pub stage_timeout_ns: u64,
    /// Mapping units per logical page.
    pub mus_per_page: u32,
}

/// Media, clock, counters.
pub struct Io {
    /// State.
    pub media: Media,
    /// Time.
    pub timing: Timing,
    /// Operations by cause.
    pub counters: OpCounters,
    /// Figures over time.
    pub series: Series,
    /// The scheme's random stream.
    pub rng: RngStream,
    /// Fixed choices.
    pub policy: IoPolicy,
    /// State changes only: nothing is timed or counted (before time 0).
    pub clockless: bool,
    /// Room for a cleaning job's programs, kept from one job to the next.
    pub scratch: Vec<OpId>,
    /// Pages programmed without the clock.
    pub clockless_programs: u64,
}

impl Io {
    /// Reads `bytes` of `page`; `OpId::NONE` when the data are still in the controller.
    #[inline]
    pub fn read(
        &mut self,
        page: Ppn,
        bytes: u32,
        cause: Cause,
        class: Class,
        request: RequestId,
        counts: bool,
    ) -> OpId {
        if self.clockless {
            return OpId::NONE;
        }
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        let index = geometry.page_in_block(page);
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let in_flight = self.timing.in_flight(block, index);
        if in_flight && (self.policy.inflight_from_buffer || self.is_staged(page)) {
            return OpId::NONE;
        }
        let geometry = &self.media.array.geometry;
        let mode = self.media.array.block(block).mode();
        let (array_ns, _) = geometry.page_times_ns(plane.pool as usize, mode as usize, index);
        let channel = self.timing.channel(plane.unit);
        let mut op = Op::new(OpKind::Read, cause, class, block, plane.unit);
        op.plane_in_die = plane.in_die;
        op.page = index as u16;
        op.array_ns = array_ns;
        op.in_ns = channel.bus.read_command_ns;
        op.out_ns = channel.bus.read_data_ns + channel.transfer_ns(bytes);
        op.request = request;
        op.counts = counts;
        op.deps = u16::from(in_flight);
        self.count_read(plane.pool as usize, mode as usize, cause, &op, bytes);
        let id = self.timing.emit(op);
        if in_flight {
            let program = self.timing.program_of(block, index);
            self.timing.raise(program, class);
            self.timing.wake(program, id);
        }
        id
    }

    /// Whether `page`, not yet programmed in time, is still staged: its wordline is not full, so
    /// it is read from the controller (a wordline may even hold two versions of a page).
    #[cold]
    fn is_staged(&mut self, page: Ppn) -> bool {
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        let pool = geometry.pool_of(geometry.plane_of(block));
        let wordline = pool.mode(self.media.array.block(block).mode()).pages_per_program;
        let program = self.timing.program_of(block, geometry.page_in_block(page));
        program.is_none() || u32::from(self.timing.op_mut(program).pages) < wordline
    }

    /// Emits the program of `page`, one page of a per-page mode, after `sources`.
    #[inline]
    pub fn program(&mut self, page: Ppn, write: &PageWrite, sources: &[OpId]) -> OpId {
        if self.clockless {
            self.program_clockless(page);
            return OpId::NONE;
        }
        let mut op = self.program_op(page, write);
        op.request = write.request;
        op.counts = !write.request.is_none();
        op.deps = sources.len() as u16;
        self.count_program(page, write, 1, op.in_ns + op.array_ns);
        let id = self.timing.emit(op);
        for &source in sources {
            self.timing.wake(source, id);
        }
        id
    }

    /// Moves `bytes` from one page to another of the same unit: a read whose data the unit then
    /// programs; `OpId::NONE` without the clock.
    #[inline]
    pub fn move_page(&mut self, from: Ppn, to: Ppn, write: &PageWrite) -> OpId {
        if self.clockless {
            self.program_clockless(to);
            return OpId::NONE;
        }
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(from);
        let index = geometry.page_in_block(from);
        if self.timing.in_flight(block, index) {
            let read = self.read(from, write.bytes, write.cause, write.class, RequestId::NONE, false);
            return self.program(to, write, if read.is_none() { &[] } else { std::slice::from_ref(&read) });
        }
        let mut op = self.program_op(to, write);
        let target = MoveTarget { block: op.block, page: op.page, array_ns: op.array_ns, in_ns: op.in_ns };
        self.count_program(to, write, 1, op.in_ns + op.array_ns);
        let geometry = &self.media.array.geometry;
        let pool = geometry.planes[geometry.plane_of(block).index()].pool as usize;
        let mode = self.media.array.block(block).mode() as usize;
        let channel = self.timing.channel(op.unit);
        op.kind = OpKind::Read;
        op.block = block;
        op.page = index as u16;
        op.array_ns = geometry.page_times_ns(pool, mode, index).0;
        op.in_ns = channel.bus.read_command_ns;
        op.out_ns = channel.bus.read_data_ns + channel.transfer_ns(write.bytes);
        op.then = Some(target);
        self.count_read(pool, mode, write.cause, &op, write.bytes);
        self.timing.emit(op)
    }

    #[inline]
    fn count_read(&mut self, pool: usize, mode: usize, cause: Cause, op: &Op, bytes: u32) {
        let count = self.counters.at(pool, OpKind::Read as usize, mode, cause as usize);
        count.count += 1;
        count.pages += 1;
        count.bytes += u64::from(bytes);
        count.time_ns += u64::from(op.array_ns) + u64::from(op.in_ns) + u64::from(op.out_ns);
    }

    fn program_clockless(&mut self, page: Ppn) {
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        self.timing.set_done(block, geometry.page_in_block(page) + 1);
        self.clockless_programs += 1;
    }

    fn program_op(&self, page: Ppn, write: &PageWrite) -> Op {
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        let index = geometry.page_in_block(page);
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array.block(block).mode();
        let channel = self.timing.channel(plane.unit);
        let mut op = Op::new(OpKind::Program, write.cause, write.class, block, plane.unit);
        op.plane_in_die = plane.in_die;
        op.page = index as u16;
        op.array_ns = geometry.page_times_ns(plane.pool as usize, mode as usize, index).1;
        op.in_ns = channel.bus.program_command_ns + channel.transfer_ns(write.bytes);
        op
    }

    /// Starts a one-shot program with `page` as its first page; it waits until `close_stage`.
    pub fn open_stage(&mut self, page: Ppn, write: &PageWrite) -> OpId {
        if self.clockless {
            return OpId::NONE;
        }
        let mut op = self.program_op(page, write);
        op.in_ns = 0;
        op.pages = 0;
        op.deps = 1;
        self.timing.emit(op)
    }

    /// Adds `page` to the staged one-shot program `op`, after `sources`; `last` completes the wordline.
    pub fn add_to_stage(&mut self, op: OpId, page: Ppn, write: &PageWrite, sources: &[OpId], last: bool) {
        if op.is_none() {
            return self.program_clockless(page);
        }
        if self.clockless {
            self.timing.op_mut(op).pages += 1;
            return;
        }
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array.block(block).mode();
        let resolved = geometry.pools[plane.pool as usize].mode(mode);
        // The pulse is shared equally; the last page takes the rounding rest.
        let pages = resolved.pages_per_program;
        let pulse_ns = resolved.program_ns[geometry.page_in_block(page) as usize];
        let share_ns = pulse_ns / pages + if last { pulse_ns % pages } else { 0 };
        let transfer_ns = self.timing.channel(plane.unit).transfer_ns(write.bytes);
        let command_ns = self.timing.channel(plane.unit).bus.program_command_ns;
        let staged = self.timing.op_mut(op);
        let first = staged.pages == 0;
        staged.pages += 1;
        staged.in_ns += transfer_ns + if first { command_ns } else { 0 };
        staged.class = staged.class.min(write.class);
        let bus_ns = transfer_ns + if first { command_ns } else { 0 };
        if !write.request.is_none() {
            self.timing.join_request(op, write.request);
        }
        for &source in sources {
            self.timing.add_dep(op);
            self.timing.wake(source, op);
        }
        self.count_program(page, write, u64::from(last), share_ns + bus_ns);
    }

    /// Lets a staged program go; it is queued once its sources are read.
    pub fn close_stage(&mut self, op: OpId) {
        if !op.is_none() {
            self.timing.release(op);
        }
    }

    fn count_program(&mut self, page: Ppn, write: &PageWrite, operations: u64, time_ns: u32) {
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        let pool = geometry.planes[geometry.plane_of(block).index()].pool as usize;
        let page_bytes = geometry.pools[pool].page_bytes;
        let mode = self.media.array.block(block).mode() as usize;
        let kind = OpKind::Program as usize;
        let count = self.counters.at(pool, kind, mode, write.cause as usize);
        count.count += operations;
        count.pages += 1;
        count.bytes += u64::from(page_bytes);
        count.time_ns += u64::from(time_ns);
        count.slots += u64::from(write.fresh_slots);
        let old = write.slots - write.fresh_slots;
        if old > 0 {
            self.counters.at(pool, kind, mode, Cause::Rmw as usize).slots += u64::from(old);
        }
        self.series.current().program_pages[write.cause as usize] += 1;
    }

    /// Emits the erase of `block` (state not yet erased), held once until `timing.release`.
    pub fn erase(&mut self, block: BlockId, cause: Cause, class: Class) -> OpId {
        if self.clockless {
            self.timing.set_done(block, 0);
            return OpId::NONE;
        }
        let geometry = &self.media.array.geometry;
        let plane = geometry.planes[geometry.plane_of(block).index()];
        let mode = self.media.array.block(block).mode();
        let mut op = Op::new(OpKind::Erase, cause, class, block, plane.unit);
        op.plane_in_die = plane.in_die;
        op.array_ns = geometry.pools[plane.pool as usize].mode(mode).erase_ns;
        op.in_ns = self.timing.channel(plane.unit).bus.erase_command_ns;
        op.deps = 1;
        let count =
            self.counters.at(plane.pool as usize, OpKind::Erase as usize, mode as usize, cause as usize);
        count.count += 1;
        count.time_ns += u64::from(op.array_ns) + u64::from(op.in_ns);
        self.series.current().erases += 1;
        self.timing.emit(op)
    }
}
