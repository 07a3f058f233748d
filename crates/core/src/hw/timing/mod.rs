//! When flash operations happen: units, channels, priorities, dependencies.
//!
//! State changes first; the FTL then emits operations here, and this room decides only their
//! time. Four orders hold: (a) operations of one block run in emission order; (b) an erase waits
//! for the block's earlier reads and for the programs of what was moved out of it; (c) an
//! operation inherits the highest class of anything that waits for it; (d) a read returns the
//! version current at its emission (`in_flight` tells the FTL what is not yet programmed).

mod between;
mod emit;
pub mod event;
mod host;
pub mod op_table;
mod parked;
mod queue;
mod run;
mod spec;
mod state;
mod unit;

pub use host::{
    Gap, InFlight, WaitTime, Waiter, GAPS, WAIT_CHANNEL, WAIT_KINDS, WAIT_ORDER, WAIT_SOURCE, WAIT_SUSPENDED,
};
pub use spec::{MoveTarget, OpSpec};
pub use state::ClockState;

use crate::base::op::{Cause, Class, OpKind, CAUSES, CLASSES};
use crate::base::slab::Slab;
use crate::base::BlockId;
use crate::hw::config::{BusConfig, IdleRule, IdleScope, PlaneParallelism};
use crate::hw::geometry::Geometry;
use bytemuck::Zeroable;
use event::{Event, EventKind, EventQueue};
use op_table::{Op, OpId, RequestId};
use parked::Parked;
use std::collections::BTreeMap;
use unit::{Channel, Unit};

/// What the clock knows of a block.
#[derive(Clone, Copy, Default, Zeroable)]
#[repr(C)]
struct BlockClock {
    /// The block's last program or erase in flight.
    last: u32,
    /// Reads queued or running: no more than there are numbers for operations.
    reads: u32,
    /// Erases emitted: programs from before the last one no longer count as done pages.
    generation: u32,
    /// Pages of the present generation whose program is complete.
    done: u16,
    /// An erase that waits for nothing but the reads is parked.
    erase_parked: bool,
    _pad: u8,
}

/// The timing engine.
pub struct Timing {
    now_ns: u64,
    queue: EventQueue,
    units: Vec<Unit>,
    /// Service time of each unit's operations in flight, ns.
    load_ns: Vec<u64>,
    channels: Vec<Channel>,
    ops: Slab<Op>,
    /// Lists of operations: further ones an operation wakes, and those it waits for.
    op_links: Slab<(OpId, u32)>,
    /// Sources of operations, each with its serial, by which it is told from a later one.
    source_links: Slab<(OpId, u64, u32)>,
    serial: u64,
    more_waiters: Slab<(Waiter, u32)>,
    /// Notices asked for and not given yet.
    notices: u32,
    waits: Slab<WaitTime>,
    snapshots: Slab<host::Snapshot>,
    requests: Slab<InFlight>,
    blocks: Box<[BlockClock]>,
    /// The parked front of each queue, by unit and class.
    parked: Vec<Parked>,
    /// Parked erases that wait for nothing but their block's reads.
    parked_erases: BTreeMap<u32, OpId>,
    /// Units that may be able to start something.
    ready: Vec<u32>,
    /// What is complete, and who has to hear of it.
    finished: Vec<Waiter>,
    /// Units whose idle threshold has passed.
    idle_due: Vec<u32>,
    idle: IdleRule,
    /// The run ends: nothing is taken for idle work.
    ending: bool,
    /// When the host last used any unit, ns.
    host_ns: u64,
    starvation_ns: u64,
    /// Moves run as one event where nothing can come between; the plain way is the tests' oracle.
    whole_moves: bool,
}

impl Timing {
    /// Bytes of the tables with an entry per block.
    pub fn block_bytes(geometry: &Geometry) -> u64 {
        (geometry.block_numbers() * size_of::<BlockClock>()) as u64
    }

    /// An idle engine at time 0 for `geometry`.
    pub fn new(geometry: &Geometry, starvation_ns: u64) -> Self {
        let blank = OpSpec::new(OpKind::Read, Cause::Host, Class::HostRead, BlockId(0), 0);
        let mut timing = Self {
            now_ns: 0,
            queue: EventQueue::default(),
            units: Vec::new(),
            load_ns: Vec::new(),
            channels: Vec::new(),
            ops: Slab::new(Op::new(blank, 0, 0, 0)),
            op_links: Slab::new((OpId::NONE, 0)),
            source_links: Slab::new((OpId::NONE, 0, 0)),
            serial: 0,
            more_waiters: Slab::new((Waiter::Request(RequestId::NONE), 0)),
            notices: 0,
            waits: Slab::new([0; WAIT_KINDS]),
            snapshots: Slab::new([0; CAUSES + 1]),
            requests: Slab::new(InFlight::default()),
            blocks: bytemuck::zeroed_slice_box(geometry.block_numbers()),
            parked: Vec::new(),
            parked_erases: BTreeMap::new(),
            ready: Vec::new(),
            finished: Vec::new(),
            idle_due: Vec::new(),
            idle: IdleRule { threshold_ns: 0, scope: IdleScope::Plane },
            ending: false,
            host_ns: 0,
            starvation_ns,
            whole_moves: true,
        };
        for pool in &geometry.pools {
            for _ in 0..pool.config.channels {
                timing.channels.push(Channel::new(pool.config.bus));
            }
        }
        for (index, plane) in geometry.planes.iter().enumerate() {
            if plane.unit as usize == timing.units.len() {
                timing.add_unit(geometry, index as u32);
            }
        }
        timing
    }

    fn add_unit(&mut self, geometry: &Geometry, plane: u32) {
        let place = geometry.planes[plane as usize];
        let pool = &geometry.pools[place.pool as usize];
        let channel = &mut self.channels[place.channel as usize];
        let bit = channel.units.len() as u32;
        channel.units.push(place.unit);
        channel.wishes.resize(bit as usize / 64 + 1, 0);
        channel.last_bit = bit;
        let parallelism = match pool.config.plane_parallelism {
            PlaneParallelism::MultiPlane if pool.config.planes == 1 => PlaneParallelism::Serial,
            other => other,
        };
        self.load_ns.push(0);
        self.parked.extend((0..CLASSES).map(|_| Parked::default()));
        let first_plane = plane - u32::from(place.in_die);
        self.units.push(Unit::new(place.channel, bit, first_plane, parallelism, pool.config.suspend));
    }

    /// The present time, ns.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Moves the clock to `at_ns`, before which no event is pending.
    #[inline]
    pub fn set_now(&mut self, at_ns: u64) {
        debug_assert!(at_ns >= self.now_ns && self.queue.next_ns() >= at_ns);
        self.now_ns = at_ns;
    }

    /// When the next event happens, ns (`u64::MAX`: never).
    #[inline(always)]
    pub fn next_ns(&self) -> u64 {
        self.queue.next_ns()
    }

    /// Asks for an event of `kind` for `index` at `at_ns`.
    pub fn schedule(&mut self, at_ns: u64, kind: EventKind, index: u32) {
        self.queue.push(Event { at_ns, kind, index });
    }

    /// Operations emitted and not complete.
    pub fn ops_in_flight(&self) -> usize {
        self.ops.len()
    }

    /// The first operations that never ended, for a broken invariant's message.
    pub fn describe_stuck(&self) -> String {
        let queued = self.units.iter().flat_map(|u| u.head.iter().copied().chain([u.current, u.suspended]));
        // What is in no queue waits for another operation, or to be staged to its end.
        let waiting = self.blocks.iter().map(|block| OpId(block.last));
        let ops = queued.chain(waiting).filter(|id| !id.is_none()).take(4);
        ops.map(|id| format!("{id:?} {:?}", self.ops[id.index()])).collect::<Vec<_>>().join("; ")
    }

    /// Command and transfer times of the channel of `unit`.
    #[inline(always)]
    pub fn bus(&self, unit: u32) -> &BusConfig {
        &self.channel(unit).bus
    }

    #[inline(always)]
    fn channel(&self, unit: u32) -> &Channel {
        &self.channels[self.units[unit as usize].channel as usize]
    }

    /// How long what is on the channel of `unit` still holds it, ns.
    #[inline]
    pub fn channel_wait_ns(&self, unit: u32) -> u64 {
        self.channel(unit).busy_until_ns.saturating_sub(self.now_ns)
    }

    /// Operations emitted to `unit` and not complete: its load.
    #[inline(always)]
    pub fn load(&self, unit: u32) -> u32 {
        self.units[unit as usize].outstanding
    }

    /// Service time of what was emitted to `unit` and is not complete, ns: an estimate of how long a
    /// new operation would wait there, channel and priorities apart.
    #[inline(always)]
    pub fn load_ns(&self, unit: u32) -> u64 {
        self.load_ns[unit as usize]
    }

    /// The same of all units on `channel`, ns.
    pub fn channel_load_ns(&self, channel: usize) -> u64 {
        self.channels[channel].units.iter().map(|&unit| self.load_ns(unit)).sum()
    }

    /// The emission number of an operation in flight, by which it is told from a later one.
    #[inline]
    pub fn serial(&self, id: OpId) -> u64 {
        self.ops[id.index()].serial
    }

    /// Whether the operation emitted as `id` with `serial` is not complete.
    #[inline]
    pub fn is_in_flight(&self, id: OpId, serial: u64) -> bool {
        self.ops[id.index()].serial == serial
    }

    /// Whether page `page` of `block` is programmed in state but not yet in time.
    #[inline(always)]
    pub fn in_flight(&self, block: BlockId, page: u32) -> bool {
        page >= u32::from(self.blocks[block.index()].done)
    }

    /// The program in flight that covers `page` of `block`, if any.
    pub fn program_of(&self, block: BlockId, page: u32) -> OpId {
        let mut id = OpId(self.blocks[block.index()].last);
        while !id.is_none() {
            let op = &self.ops[id.index()];
            if op.spec.programs().is_some_and(|(first, pages)| (first..first + pages).contains(&page)) {
                return id;
            }
            id = op.block_prev;
        }
        id
    }

    /// Records pages programmed without the clock.
    #[inline(always)]
    pub fn set_done(&mut self, block: BlockId, pages: u32) {
        self.blocks[block.index()].done = pages as u16;
    }

    /// Records that `block` was erased without the clock: what of its former life is still to be
    /// programmed says nothing of the next.
    pub fn set_erased(&mut self, block: BlockId) {
        let clock = &mut self.blocks[block.index()];
        clock.done = 0;
        clock.generation += 1;
    }

    /// Sets when idle work may start.
    pub fn set_idle_rule(&mut self, rule: IdleRule) {
        self.idle = rule;
    }

    /// When idle work of `unit` may start if the host stays away, ns.
    fn idle_from_ns(&self, unit: u32) -> u64 {
        let last_ns = match self.idle.scope {
            IdleScope::Plane => self.units[unit as usize].host_ns,
            // A request or a write of acknowledged data in flight keeps the device busy: it cannot be idle long enough before this.
            IdleScope::Device if !self.requests.is_empty() || self.notices > 0 => self.now_ns,
            IdleScope::Device => self.host_ns,
        };
        last_ns + self.idle.threshold_ns
    }

    /// Handles every half of a move as an event of its own: the oracle for the short cut.
    pub fn split_all_moves(&mut self) {
        self.whole_moves = false;
    }

    /// Marks a plane as having idle work, or not.
    pub fn mark_idle_work(&mut self, unit: u32, plane_in_die: u8, has: bool) {
        let u = &mut self.units[unit as usize];
        let bit = 1u16 << plane_in_die;
        if has && !self.ending {
            u.idle_planes |= bit;
            self.arm_idle(unit);
        } else {
            u.idle_planes &= !bit;
        }
    }

    fn arm_idle(&mut self, unit: u32) {
        let u = &mut self.units[unit as usize];
        if u.idle_planes != 0 && u.is_idle() && !u.idle_armed {
            u.idle_armed = true;
            let at_ns = self.now_ns.max(self.idle_from_ns(unit));
            self.schedule(at_ns, EventKind::Idle, unit);
        }
    }

    /// The run ends, or has ended: all idle work is forgotten, and there is no more until then.
    pub fn set_ending(&mut self, ending: bool) {
        self.ending = ending;
        // Idle time counts from here, as it does for a device that a snapshot brings back.
        self.host_ns = self.now_ns;
        for unit in &mut self.units {
            (unit.idle_planes, unit.host_ns) = (0, self.now_ns);
        }
    }

    /// The first plane of the die of `unit`, and those with idle work (bit per plane in the die).
    pub fn idle_planes(&self, unit: u32) -> (u32, u16) {
        let u = &self.units[unit as usize];
        (u.first_plane, u.idle_planes)
    }

    /// Units whose idle work is due, handed over.
    pub fn take_idle_due(&mut self) -> Option<u32> {
        self.idle_due.pop()
    }
}
