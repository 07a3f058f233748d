//! A scheme's whole world: the media, the clock, the counters and the verbs that join them.

mod cache;
mod cells;
mod disk;
mod driver;
mod erases;
mod fold;
mod hold;
mod look_up;
mod moves;
mod place;
mod program;
mod read;
mod stage;
mod state;
mod supersede;
mod upkeep;

pub use disk::DiskOps;
pub use driver::{Driver, IoState};
pub(super) use erases::Programs;
pub use look_up::LookUp;
pub(super) use moves::Moves;
pub use state::IoPolicy;

use crate::base::op::Class;
use crate::base::rng::RngStream;
use crate::base::{BlockId, Mu, PlaneId, Ppn, Slot};
use crate::ftl::cache_use::CacheUse;
use crate::ftl::disk_traffic::DiskTraffic;
use crate::ftl::early_writes::EarlyWrites;
use crate::ftl::hold::HoldBuffer;
use crate::ftl::media::Media;
use crate::ftl::moved_data::MovedOut;
use crate::ftl::op_log::{LoggedDiskOp, LoggedOp};
use crate::ftl::oracle::{DataHints, Oracle};
use crate::ftl::piece::Piece;
use crate::ftl::translation::MapCache;
use crate::ftl::upkeep::Upkeep;
use crate::ftl::wakeup::Wakeup;
use crate::hw::array::FlashArray;
use crate::hw::config::IdleRule;
use crate::hw::geometry::Geometry;
use crate::hw::timing::event::EventKind;
use crate::hw::timing::{OpId, PageMove, RequestId, Timing};
use crate::metrics::counters::OpCounters;
use crate::metrics::series::Series;
use cells::CellReads;
use std::collections::VecDeque;
use supersede::Superseded;

/// Media, clock, counters.
#[derive(Clone)]
pub struct Io {
    media: Media,
    timing: Timing,
    /// Operations by cause.
    counters: OpCounters,
    /// Figures over time.
    series: Series,
    /// The run's seed.
    seed: u64,
    /// The random stream that all schemes draw from.
    rng: RngStream,
    policy: IoPolicy,
    /// State changes only: nothing is timed or counted (before time 0).
    clockless: bool,
    /// Room for a job's programs, kept from one job to the next.
    scratch: Vec<OpId>,
    /// Room for the pages of a block that move, by index and mapping units.
    moved_pages: Vec<(u16, u16)>,
    /// Room for the same as the clock wants it.
    run: Vec<PageMove>,
    /// Pages programmed without the clock.
    clockless_programs: u64,
    /// Operations in the order of their emission, if they are kept.
    ops: Option<Vec<LoggedOp>>,
    /// Operations of the disk in the order of their emission, if they are kept.
    disk_ops: Option<Vec<LoggedDiskOp>>,
    /// What is on its way from the disk or to it.
    traffic: DiskTraffic,
    /// Room for what an operation of the disk waits for.
    disk_sources: Vec<OpId>,
    /// When the scheme wants to be woken, ns (`u64::MAX`: not at all).
    wake_ns: u64,
    /// When the host last wrote into the DRAM buffer, ns; 0 without one.
    written_ns: u64,
    /// Acknowledged data on their way to the flash.
    early: EarlyWrites,
    /// Requests that wait for room for what they wrote, with the units that there may be.
    crowded: VecDeque<(RequestId, u32)>,
    /// Erases wait for what was moved out of their block.
    moved: MovedOut,
    /// What the page that is being stored takes the place of.
    superseded: Superseded,
    /// The mapping cache, unless all of the map is in DRAM.
    map: Option<Box<MapCache>>,
    /// What the SLC cache takes.
    cache: CacheUse,
    /// What reading cells that err needs, where they do.
    cells: Option<Box<CellReads>>,
    /// Whether blocks retire.
    retires: bool,
    /// What separated stores are told of the data, if one asks.
    told: Option<Box<DataHints>>,
    /// Blocks that move because of their cells, where they do.
    upkeep: Option<Box<Upkeep>>,
}

impl Io {
    /// A world at time 0.
    fn new(media: Media, timing: Timing, seed: u64, policy: IoPolicy) -> Self {
        Self {
            counters: OpCounters::new(media.array().geometry.pools.len()),
            media,
            timing,
            series: Series::default(),
            seed,
            rng: RngStream::new(seed, "scheme"),
            policy,
            clockless: false,
            scratch: Vec::new(),
            moved_pages: Vec::new(),
            run: Vec::new(),
            clockless_programs: 0,
            ops: None,
            disk_ops: None,
            traffic: DiskTraffic::default(),
            disk_sources: Vec::new(),
            wake_ns: u64::MAX,
            written_ns: 0,
            early: EarlyWrites::default(),
            crowded: VecDeque::new(),
            moved: MovedOut::new(),
            superseded: Superseded::new(),
            map: None,
            cache: CacheUse::default(),
            cells: None,
            retires: false,
            told: None,
            upkeep: None,
        }
    }

    #[inline(always)]
    pub fn array(&self) -> &FlashArray {
        self.media.array()
    }

    /// The device's shape.
    #[inline(always)]
    pub fn geometry(&self) -> &Geometry {
        &self.media.array().geometry
    }

    /// The pages of `block` that are programmed.
    #[inline]
    pub fn written_pages(&self, block: BlockId) -> impl Iterator<Item = Ppn> + use<> {
        let first = self.geometry().page(block, 0).0;
        (first..first + self.array().block(block).write_ptr()).map(Ppn)
    }

    /// The pieces that wait to be packed.
    #[inline(always)]
    pub fn held(&self) -> &HoldBuffer {
        self.media.held()
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

    /// The most mapping units that ever held data in flash.
    pub fn mapped_peak(&self) -> u64 {
        self.media.mapped_peak()
    }

    /// Asks the processor to fetch the map entries of the live slots of page `index` of the block whose
    /// tags begin at `first_tag`.
    #[inline(always)]
    pub fn prefetch_owners(&self, first_tag: usize, index: u32) {
        self.media.prefetch_owners(first_tag, index);
    }

    /// Operations by cause.
    pub fn counters(&self) -> &OpCounters {
        &self.counters
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

    /// Does `work`, without timing or counting it where `free`.
    pub(in crate::ftl) fn clockless_if<T>(&mut self, free: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.clockless;
        self.clockless = before || free;
        let done = work(self);
        self.clockless = before;
        done
    }

    /// Whether nothing runs or waits where `plane` is: what rests in the controller does neither.
    pub fn is_idle(&self, plane: PlaneId) -> bool {
        self.timing.is_idle(self.media.array().geometry.planes[plane.index()].unit)
    }

    /// Operations emitted to `unit` and not complete.
    #[inline(always)]
    pub fn queued_ops(&self, unit: u32) -> u32 {
        self.timing.load(unit)
    }

    /// The number by which an operation in flight is told from a later one.
    #[inline]
    pub fn serial(&self, op: OpId) -> u64 {
        self.timing.serial(op)
    }

    /// Whether the operation emitted as `op` with `serial` is not complete.
    #[inline]
    pub fn is_in_flight(&self, op: OpId, serial: u64) -> bool {
        self.timing.is_in_flight(op, serial)
    }

    /// How long the channel of `unit` stays taken by what it transfers, ns.
    #[inline(always)]
    pub fn channel_wait_ns(&self, unit: u32) -> u64 {
        self.timing.channel_wait_ns(unit)
    }

    /// Service time of what was emitted to `unit` and is not complete, ns.
    #[inline]
    pub fn queued_ns(&self, unit: u32) -> u64 {
        self.timing.load_ns(unit)
    }

    /// Service time of what was emitted to the units on `channel` and is not complete, ns.
    #[inline]
    pub fn channel_load_ns(&self, channel: usize) -> u64 {
        self.timing.channel_load_ns(channel)
    }

    /// When the scheme's idle work may start.
    pub fn idle_rule(&self) -> IdleRule {
        self.timing.idle_rule()
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
        let place = self.media.array().geometry.planes[plane.index()];
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
                let geometry = &self.media.array().geometry;
                let plane = geometry.plane_of(geometry.block_of(geometry.page_of(slot)));
                self.mark_idle_work(plane);
            }
        }
    }

    /// Has the scheme asked for idle work in every plane.
    pub fn mark_all_idle_work(&mut self) {
        for plane in 0..self.media.array().geometry.planes.len() {
            self.mark_idle_work(PlaneId(plane as u32));
        }
    }

    /// Asks for `Scheme::stage_due` in `plane` at `at_ns`.
    pub(super) fn wake_stage(&mut self, plane: PlaneId, at_ns: u64) {
        self.timing.schedule(at_ns, EventKind::DeviceLast, Wakeup::StageDue(plane).number());
    }

    /// Notes that the host writes into the DRAM buffer: what is staged of it may yet be filled.
    pub fn note_written(&mut self) {
        self.written_ns = self.now_ns();
    }

    /// When the host last wrote into the DRAM buffer, ns; 0 without one.
    pub fn written_ns(&self) -> u64 {
        self.written_ns
    }

    /// When what was staged at `since_ns` is padded, unless the host writes into the buffer until then, ns.
    pub fn pads_at_ns(&self, since_ns: u64) -> u64 {
        since_ns.max(self.written_ns) + self.policy.stage_timeout_ns
    }

    /// When data die, if stores are told.
    pub(super) fn oracle(&self) -> Option<&Oracle> {
        self.told.as_ref()?.oracle.as_ref()
    }

    /// Has the hint of every logical page's last write be kept.
    pub(super) fn keep_hints(&mut self) {
        let pages = (self.mus() / self.policy.mus_per_page) as usize;
        self.told.get_or_insert_default().hints = vec![0; pages];
    }

    /// The hint of the last write of `page`, where hints are kept.
    pub(super) fn hint(&self, page: u32) -> u8 {
        self.told.as_ref().map_or(0, |told| told.hints[page as usize])
    }

    /// A random stream of the run that is the scheme's own, by its name.
    pub fn stream(&self, name: &str) -> RngStream {
        RngStream::new(self.seed, name)
    }

    /// A number from 0 to `bound` - 1 out of the random stream that all schemes draw from.
    pub(super) fn draw_below(&mut self, bound: u32) -> u32 {
        self.rng.below(bound)
    }

    /// Asks for `Scheme::timer` at `at_ns`, or earlier if that was asked for already.
    pub fn wake_at(&mut self, at_ns: u64) {
        if at_ns < self.wake_ns {
            self.wake_ns = at_ns;
            self.timing.schedule(at_ns, EventKind::DeviceLast, Wakeup::Timer.number());
        }
    }
}
