//! A scheme's whole world: the media, the clock, the counters and the verbs that join them.

use super::hold::HoldBuffer;
use super::media::Media;
use super::moved::MovedOut;
use super::op_log::LoggedOp;
use super::page_reads::PageReads;
use super::piece::{PageWrite, Piece};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::rng::RngStream;
use crate::base::{BlockId, CellMode, Mu, PlaneId, Ppn, Slot};
use crate::hw::array::FlashArray;
use crate::hw::config::IdleRule;
use crate::hw::geometry::Geometry;
use crate::hw::timing::event::EventKind;
use crate::hw::timing::op_table::{MoveTarget, Op, OpId, RequestId};
use crate::hw::timing::{Gap, Timing};
use crate::metrics::counters::OpCounters;
use crate::metrics::series::Series;

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
    /// Operations in the order of their emission, if they are kept.
    pub ops: Option<Vec<LoggedOp>>,
    /// When the scheme wants to be woken, ns (`u64::MAX`: not at all).
    pub wake_ns: u64,
    /// Acknowledged mapping units that have left the hold buffer and are being programmed.
    pub merging_units: u32,
    /// The pages they are in.
    pub merges: u32,
    /// Flushes that had to wait so far: tells what was acknowledged before the next one.
    pub flushes: u32,
    /// Erases wait for what was moved out of their block.
    pub(super) moved: MovedOut,
    /// Room for a job's page reads, kept from one job to the next.
    pub(super) page_reads: PageReads,
}

/// Where a page lies, by the numbers that the verbs need.
pub(super) struct Place {
    pub(super) block: BlockId,
    pub(super) index: u32,
    pub(super) pool: usize,
    pub(super) unit: u32,
    pub(super) in_die: u8,
    array: ArrayTimes,
}

/// What reading and storing a page means to the array.
struct ArrayTimes {
    read_ns: u32,
    read_mode: CellMode,
    store: OpKind,
    store_ns: u32,
    store_mode: CellMode,
}

/// Array and channel times of an operation, ns.
pub(super) struct Times {
    pub(super) array_ns: u32,
    pub(super) in_ns: u32,
    pub(super) out_ns: u32,
}

impl Io {
    /// A world at time 0.
    pub fn new(media: Media, timing: Timing, rng: RngStream, policy: IoPolicy) -> Self {
        Self {
            counters: OpCounters::new(media.array.geometry.pools.len()),
            media,
            timing,
            series: Series::default(),
            rng,
            policy,
            clockless: false,
            scratch: Vec::new(),
            clockless_programs: 0,
            ops: None,
            wake_ns: u64::MAX,
            merging_units: 0,
            merges: 0,
            flushes: 0,
            moved: MovedOut::new(),
            page_reads: PageReads::default(),
        }
    }

    /// The flash array, to look at.
    #[inline(always)]
    pub fn array(&self) -> &FlashArray {
        &self.media.array
    }

    /// The device's shape.
    #[inline(always)]
    pub fn geometry(&self) -> &Geometry {
        &self.media.array.geometry
    }

    /// The pieces that wait to be packed.
    #[inline(always)]
    pub fn held(&self) -> &HoldBuffer {
        &self.media.hold
    }

    /// Map and array, to look at.
    #[inline(always)]
    pub fn media(&self) -> &Media {
        &self.media
    }

    /// Where a mapping unit is stored.
    #[inline(always)]
    pub fn lookup(&self, mu: Mu) -> Option<Slot> {
        self.media.lookup(mu)
    }

    /// Mapping units of the device.
    #[inline(always)]
    pub fn mus(&self) -> u32 {
        self.media.mus()
    }

    /// Mapping units that hold data in flash.
    #[inline(always)]
    pub fn mapped(&self) -> u64 {
        self.media.mapped()
    }

    /// Asks the processor to fetch the map entries of a page's live slots.
    #[inline(always)]
    pub fn prefetch_owners(&self, page: Ppn) {
        self.media.prefetch_owners(page);
    }

    /// The device's fixed choices.
    #[inline(always)]
    pub fn policy(&self) -> &IoPolicy {
        &self.policy
    }

    /// The present time, ns.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        self.timing.now_ns()
    }

    /// Whether only state changes: nothing is timed or counted (before time 0).
    #[inline(always)]
    pub fn clockless(&self) -> bool {
        self.clockless
    }

    /// Service time of what was emitted to `unit` and is not complete, ns.
    #[inline]
    pub fn queued_ns(&self, unit: u32) -> u64 {
        self.timing.load_ns(unit)
    }

    /// The same of all units on `channel`, ns.
    pub fn channel_load_ns(&self, channel: usize) -> u64 {
        self.timing.channel_load_ns(channel)
    }

    /// Sets when the scheme's idle work may start.
    pub fn set_idle_rule(&mut self, rule: IdleRule) {
        self.timing.set_idle_rule(rule);
    }

    /// Makes `request` wait for the staged program `op`, which becomes as urgent as a host's write.
    pub fn await_staged(&mut self, op: OpId, request: RequestId) {
        self.timing.join_request(op, request);
        self.timing.raise(op, Class::HostWrite);
    }

    /// Has the scheme asked for idle work in `plane` once it is idle.
    #[inline]
    pub fn mark_idle_work(&mut self, plane: PlaneId) {
        let place = self.media.array.geometry.planes[plane.index()];
        self.timing.mark_idle_work(place.unit, place.in_die, true);
    }

    /// Has the scheme asked for idle work in the planes that hold what `piece` overwrites: blocks with
    /// dead pages may be work.
    #[inline]
    pub fn mark_overwritten(&mut self, piece: &Piece) {
        let first = piece.page * self.policy.mus_per_page;
        let mut rest = piece.mask;
        while rest != 0 {
            let old = self.media.lookup(Mu(first + rest.trailing_zeros()));
            rest &= rest - 1;
            if let Some(slot) = old {
                let geometry = &self.media.array.geometry;
                let plane = geometry.plane_of(geometry.block_of(geometry.page_of(slot)));
                self.mark_idle_work(plane);
            }
        }
    }

    /// Has the scheme asked for idle work in every plane.
    pub fn mark_all_idle_work(&mut self) {
        for plane in 0..self.media.array.geometry.planes.len() {
            self.mark_idle_work(PlaneId(plane as u32));
        }
    }

    /// Asks for `Scheme::timer` at `at_ns`, or earlier if that was asked for already.
    pub fn wake_at(&mut self, at_ns: u64) {
        if at_ns < self.wake_ns {
            self.wake_ns = at_ns;
            self.timing.schedule(at_ns, EventKind::Timer, 0);
        }
    }

    #[inline(always)]
    pub(super) fn place(&self, page: Ppn) -> Place {
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        let plane = &geometry.planes[geometry.plane_of(block).index()];
        let (pool, index) = (plane.pool as usize, geometry.page_in_block(page));
        let record = self.media.array.block(block);
        let array = if record.is_two_layer() {
            self.two_layer_times(pool, index, record.write_ptr())
        } else {
            let mode = record.mode();
            let (read_ns, store_ns) = geometry.page_times_ns(pool, mode, index);
            ArrayTimes { read_ns, read_mode: mode, store: OpKind::Program, store_ns, store_mode: mode }
        };
        Place { block, index, pool, unit: plane.unit, in_die: plane.in_die, array }
    }

    /// Times of page `index` of a two-layer block that holds `programmed` pages: a wordline with
    /// one bit is read as SLC.
    #[inline]
    fn two_layer_times(&self, pool: usize, index: u32, programmed: u32) -> ArrayTimes {
        let layout = self.media.array.geometry.pools[pool].two_layer();
        let (slc, dense) = (CellMode::Slc, layout.mode);
        let step = layout.step(index);
        let (read_ns, read_mode) = match programmed > u32::from(step.second) {
            true => (step.dense_read_ns, dense),
            false => (step.slc_read_ns, slc),
        };
        let (store, store_mode) = match step.bit {
            0 => (OpKind::Program, slc),
            _ => (OpKind::Reprogram, dense),
        };
        ArrayTimes { read_ns, read_mode, store, store_ns: step.program_ns, store_mode }
    }

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
        let at = self.place(page);
        let in_flight = self.timing.in_flight(at.block, at.index);
        if in_flight && (self.policy.inflight_from_buffer || self.is_staged(page)) {
            return OpId::NONE;
        }
        let times = self.read_times(&at, bytes);
        self.count_read(&at, cause, bytes, &times);
        let id = self.timing.begin(OpKind::Read, cause, class, at.block, at.unit);
        let op = self.timing.op_mut(id);
        op.plane_in_die = at.in_die;
        op.page = at.index as u16;
        op.array_ns = times.array_ns;
        op.in_ns = times.in_ns;
        op.out_ns = times.out_ns;
        op.request = request;
        op.counts = counts;
        op.deps = u32::from(in_flight);
        self.timing.submit(id);
        if in_flight {
            let program = self.timing.program_of(at.block, at.index);
            self.timing.raise(program, class);
            self.timing.wake(program, id);
        }
        id
    }

    #[inline(always)]
    fn read_times(&self, at: &Place, bytes: u32) -> Times {
        let bus = self.timing.bus(at.unit);
        Times {
            array_ns: at.array.read_ns,
            in_ns: bus.read_command_ns,
            out_ns: bus.read_data_ns + bus.transfer_ns(bytes),
        }
    }

    #[inline(always)]
    pub(super) fn program_times(&self, at: &Place, bytes: u32) -> Times {
        let bus = self.timing.bus(at.unit);
        Times {
            array_ns: at.array.store_ns,
            in_ns: bus.program_command_ns + bus.transfer_ns(bytes),
            out_ns: 0,
        }
    }

    /// Emits the program of `page`, one page of a per-page mode, after `sources`.
    #[inline]
    pub fn program(&mut self, page: Ppn, write: &PageWrite, sources: &[OpId]) -> OpId {
        if self.clockless {
            self.program_clockless(page);
            return OpId::NONE;
        }
        let at = self.place(page);
        let times = self.program_times(&at, write.bytes);
        self.count_program(&at, write, 1, times.in_ns + times.array_ns);
        let id = self.timing.begin(at.array.store, write.cause, write.class, at.block, at.unit);
        let op = self.timing.op_mut(id);
        op.plane_in_die = at.in_die;
        op.page = at.index as u16;
        op.array_ns = times.array_ns;
        op.in_ns = times.in_ns;
        op.request = write.request;
        op.counts = !write.request.is_none();
        op.deps = sources.len() as u32;
        self.timing.submit(id);
        for &source in sources {
            self.timing.wake(source, id);
        }
        id
    }

    /// Emits the program of `page`, one page of a per-page mode, that several requests may join and
    /// sources precede: it is held once until `timing.release`.
    pub fn program_joint(&mut self, page: Ppn, write: &PageWrite) -> OpId {
        if self.clockless {
            self.program_clockless(page);
            return OpId::NONE;
        }
        let at = self.place(page);
        let times = self.program_times(&at, write.bytes);
        self.count_program(&at, write, 1, times.in_ns + times.array_ns);
        let id = self.timing.begin(OpKind::Program, write.cause, write.class, at.block, at.unit);
        let op = self.timing.op_mut(id);
        op.plane_in_die = at.in_die;
        op.page = at.index as u16;
        op.array_ns = times.array_ns;
        op.in_ns = times.in_ns;
        op.shared = true;
        op.gap = Gap::Merge;
        op.deps = 1;
        self.timing.submit(id)
    }

    /// Moves `bytes` from one page to another of the same unit: a read whose data the unit then
    /// programs; `OpId::NONE` without the clock.
    #[inline]
    pub fn move_page(&mut self, from: Ppn, to: Ppn, write: &PageWrite) -> OpId {
        if self.clockless {
            self.program_clockless(to);
            return OpId::NONE;
        }
        let source = self.place(from);
        if self.timing.in_flight(source.block, source.index) {
            let read = self.read(from, write.bytes, write.cause, write.class, RequestId::NONE, false);
            return self.program(to, write, if read.is_none() { &[] } else { std::slice::from_ref(&read) });
        }
        let target = self.place(to);
        let reads = self.read_times(&source, write.bytes);
        self.count_read(&source, write.cause, write.bytes, &reads);
        let programs = self.program_times(&target, write.bytes);
        self.count_program(&target, write, 1, programs.in_ns + programs.array_ns);
        let id = self.timing.begin(OpKind::Read, write.cause, write.class, source.block, target.unit);
        let op = self.timing.op_mut(id);
        op.plane_in_die = target.in_die;
        op.page = source.index as u16;
        op.array_ns = reads.array_ns;
        op.in_ns = reads.in_ns;
        op.out_ns = reads.out_ns;
        op.then = Some(MoveTarget {
            kind: target.array.store,
            block: target.block,
            page: target.index as u16,
            array_ns: programs.array_ns,
            in_ns: programs.in_ns,
        });
        self.timing.submit(id)
    }

    #[cold]
    fn log(&mut self, kind: OpKind, mode: CellMode, cause: Cause, at: &Place) {
        let (at_ns, page) = (self.timing.now_ns(), self.media.array.geometry.page(at.block, at.index));
        if let Some(ops) = self.ops.as_mut() {
            ops.push(LoggedOp { at_ns, kind, mode, cause, page });
        }
    }

    #[inline]
    fn count_read(&mut self, at: &Place, cause: Cause, bytes: u32, times: &Times) {
        if self.ops.is_some() {
            self.log(OpKind::Read, at.array.read_mode, cause, at);
        }
        let count = self.counters.at(at.pool, OpKind::Read, at.array.read_mode, cause);
        count.count += 1;
        count.pages += 1;
        count.bytes += u64::from(bytes);
        count.time_ns += u64::from(times.array_ns) + u64::from(times.in_ns) + u64::from(times.out_ns);
    }

    pub(super) fn program_clockless(&mut self, page: Ppn) {
        let geometry = &self.media.array.geometry;
        let block = geometry.block_of(page);
        self.timing.set_done(block, geometry.page_in_block(page) + 1);
        self.clockless_programs += 1;
    }

    #[inline]
    pub(super) fn count_program(&mut self, at: &Place, write: &PageWrite, operations: u64, time_ns: u32) {
        let page_bytes = self.media.array.geometry.pools[at.pool].page_bytes;
        if self.ops.is_some() {
            self.log(at.array.store, at.array.store_mode, write.cause, at);
        }
        let (kind, mode) = (at.array.store, at.array.store_mode);
        let count = self.counters.at(at.pool, kind, mode, write.cause);
        count.count += operations;
        count.pages += 1;
        count.bytes += u64::from(page_bytes);
        count.time_ns += u64::from(time_ns);
        count.slots += u64::from(write.fresh_slots);
        let old = write.slots - write.fresh_slots;
        if old > 0 {
            self.counters.at(at.pool, kind, mode, Cause::Rmw).slots += u64::from(old);
        }
        self.series.current().program_pages[write.cause as usize] += 1;
    }

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
