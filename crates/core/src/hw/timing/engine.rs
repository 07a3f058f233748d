//! The timing engine: its parts, and how they are made.

use super::channel::Channel;
use super::clock::Clock;
use super::disk::DiskUnit;
use super::event::{Event, EventKind};
use super::operation_log::OperationLog;
use super::ops::{Blocks, Ops};
use super::queues::Queues;
use super::requests::Requests;
use super::spec::OpId;
use super::unit::{OneGo, Unit};
use crate::hw::config::{BusConfig, IdleRule, IdleScope, PlaneParallelism};
use crate::hw::geometry::Geometry;
use std::collections::TryReserveError;

#[derive(Clone)]
pub struct Timing {
    pub(super) clock: Clock,
    pub(super) units: Vec<Unit>,
    pub(super) channels: Vec<Channel>,
    pub(super) ops: Ops,
    pub(super) requests: Requests,
    /// Units that may be able to start something.
    pub(super) ready: Vec<u32>,
    /// Room for the operations that are raised, kept from one time to the next.
    pub(super) raising: Vec<OpId>,
    pub(super) raised: Vec<(u64, OpId)>,
    /// Units whose idle threshold has passed.
    pub(super) idle_due: Vec<u32>,
    pub(super) idle: IdleRule,
    /// The run ends: nothing is taken for idle work.
    pub(super) ending: bool,
    /// A write found no room on the way: operations for it may wake nothing.
    pub(super) has_loose_ends: bool,
    /// When the host last used any unit, ns.
    pub(super) host_ns: u64,
    /// When the last operation ended, ns.
    pub(super) ended_ns: u64,
    pub(super) starvation_ns: u64,
    /// Units in a stretch.
    pub(super) stretching: u32,
    pub(super) disk: Option<Box<DiskUnit>>,
    /// Its unit (`u32::MAX`: there is none).
    pub(super) disk_unit: u32,
    /// Operations that are over, if anybody asked.
    pub(super) logged: Option<Box<OperationLog>>,
}

impl Timing {
    /// Bytes of the tables with an entry per block.
    pub fn block_bytes(geometry: &Geometry) -> u64 {
        Blocks::bytes(geometry)
    }

    /// An idle engine at time 0 for `geometry`.
    pub fn new(geometry: &Geometry, starvation_ns: u64) -> Self {
        let mut timing = Self {
            clock: Clock::default(),
            units: Vec::new(),
            channels: Vec::new(),
            ops: Ops::new(geometry),
            requests: Requests::new(),
            ready: Vec::new(),
            raising: Vec::new(),
            raised: Vec::new(),
            idle_due: Vec::new(),
            idle: IdleRule { threshold_ns: 0, scope: IdleScope::Plane },
            ending: false,
            has_loose_ends: false,
            host_ns: 0,
            ended_ns: 0,
            starvation_ns,
            stretching: 0,
            disk: None,
            disk_unit: u32::MAX,
            logged: None,
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
        timing.plan_reads(true);
        timing.plan_moves();
        timing
    }

    /// Has each unit do as much of moves in one go as it can.
    pub(super) fn plan_moves(&mut self) {
        for unit in &mut self.units {
            let alone = self.channels[unit.channel as usize].units.len() == 1;
            unit.plan_moves(alone, self.starvation_ns);
        }
    }

    /// Has each unit do no more than that of moves in one go: the plain ways are the tests' oracles.
    pub(super) fn limit_moves(&mut self, most: OneGo) {
        self.units.iter_mut().for_each(|unit| unit.one_go = unit.one_go.min(most));
    }

    fn add_unit(&mut self, geometry: &Geometry, plane: u32) {
        let place = geometry.planes[plane as usize];
        let pool = &geometry.pools[place.pool as usize];
        let channel = &mut self.channels[place.channel as usize];
        let bit = channel.units.len() as u32;
        channel.units.push(place.unit);
        channel.wishes.resize(bit as usize / 64 + 1, 0);
        channel.last_bit = bit;
        let takes_along =
            pool.config.plane_parallelism == PlaneParallelism::MultiPlane && pool.config.planes > 1;
        let queues = Queues::new(place.unit, pool.config.planes, takes_along);
        let first_plane = plane - u32::from(place.in_die);
        self.units.push(Unit::new(place.channel, bit, first_plane, queues, pool.config.suspend));
    }

    /// Makes room for more requests at a time, or says that there is none.
    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.ops.make_room()?;
        self.clock.make_room()?;
        self.requests.make_room()
    }

    /// When the last operation of any unit ended, ns.
    pub fn ended_ns(&self) -> u64 {
        self.ended_ns
    }

    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// A write found no room on the way: operations for it may wake nothing.
    pub fn allow_loose_ends(&mut self) {
        self.has_loose_ends = true;
    }

    /// Moves the clock to `at_ns`, up to which no event is pending.
    #[inline]
    pub fn set_now(&mut self, at_ns: u64) {
        self.clock.set_now(at_ns);
    }

    /// When the next event happens, ns (`u64::MAX`: never).
    #[inline(always)]
    pub fn next_ns(&self) -> u64 {
        self.clock.next_ns()
    }

    /// Asks for an event of `kind` for `index` at `at_ns`.
    pub fn schedule(&mut self, at_ns: u64, kind: EventKind, index: u32) {
        self.clock.push(Event { at_ns, kind, index });
    }

    /// Operations emitted and not complete.
    pub fn ops_in_flight(&self) -> usize {
        self.ops.len()
    }

    /// The first operations that never ended, for a broken invariant's message.
    pub fn describe_stuck(&self) -> String {
        let queued =
            self.units.iter().flat_map(|u| u.queues.heads().chain([u.pending, u.current, u.suspended]));
        // What is in no queue waits for another operation, or to be staged to its end.
        let waiting = self.ops.blocks.last_ops();
        let ops = queued.chain(waiting).filter(|id| !id.is_none()).take(4);
        ops.map(|id| format!("{id:?} {:?} {:?}", self.ops[id], self.ops.more(id)))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Command and transfer times of the channel of `unit`.
    #[inline(always)]
    pub fn bus(&self, unit: u32) -> &BusConfig {
        &self.channel(unit).bus
    }

    #[inline(always)]
    pub(super) fn channel(&self, unit: u32) -> &Channel {
        &self.channels[self.units[unit as usize].channel as usize]
    }

    /// The emission number of an operation in flight, by which it is told from a later one.
    #[inline]
    pub fn serial(&self, id: OpId) -> u64 {
        self.ops[id].serial
    }

    /// Whether the operation emitted as `id` with `serial` is not complete.
    #[inline]
    pub fn is_in_flight(&self, id: OpId, serial: u64) -> bool {
        self.ops.is_in_flight(id, serial)
    }

    /// Handles every half of a move as an event of its own: the oracle for the short cut.
    pub fn split_all_moves(&mut self) {
        self.limit_moves(OneGo::Never);
        self.units.iter_mut().for_each(|unit| unit.queues.search_plainly());
        self.plan_reads(false);
    }
}
