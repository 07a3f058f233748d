//! When flash operations happen: units, channels, priorities, dependencies.
//!
//! State changes first; the FTL then emits operations here, and this room decides only their
//! time. Four orders hold: (a) operations of one block run in emission order; (b) an erase waits
//! for the block's earlier reads and for the programs of what was moved out of it, or superseded
//! there without power-loss protection; (c) an operation inherits the highest class of anything that waits for it; (d) a read returns the
//! version current at its emission (`in_flight` tells the FTL what is not yet programmed).

mod attribution;
mod block_clock;
#[cfg(test)]
mod block_clock_tests;
mod channel;
mod coming;
#[cfg(test)]
mod coming_tests;
mod complete;
mod disk;
mod emit;
pub mod event;
mod folds;
#[cfg(test)]
mod folds_tests;
mod halves;
mod idle;
mod ids;
mod mates;
mod move_run;
#[cfg(test)]
mod move_run_tests;
mod op_table;
mod own;
mod pair;
mod parked;
mod pick;
mod queue;
mod requests;
mod run;
mod spec;
mod state;
mod stretch;
#[cfg(test)]
mod stretch_tests;
mod suspend;
#[cfg(test)]
mod twins;
mod unit;
mod window;
#[cfg(test)]
mod window_tests;

pub use attribution::{
    WaitTime, DISK_POSITIONING, DISK_TRANSFER, WAIT_CHANNEL, WAIT_KINDS, WAIT_ORDER, WAIT_SOURCE,
    WAIT_SPIN_UP, WAIT_SUSPENDED,
};
pub use disk::DiskOp;
pub use ids::{OpId, RequestId};
pub use move_run::PageMove;
pub use requests::{RequestPath, Waiter};
pub use spec::{MoveTarget, OpSpec};
pub use state::ClockState;

use crate::base::op::CLASSES;
use crate::base::room::Room;
use crate::base::slab::Slab;
use crate::hw::config::{BusConfig, IdleRule, IdleScope, PlaneParallelism};
use crate::hw::geometry::Geometry;
use attribution::{Path, Snapshot};
use block_clock::{BlockClock, DoneAhead};
use channel::Channel;
use disk::DiskUnit;
use event::{Event, EventKind, EventQueue};
use folds::Folds;
use move_run::Run;
use op_table::OpTable;
use own::Own;
use parked::Parked;
use std::collections::{BTreeMap, TryReserveError};
use unit::{OneGo, Phase, Unit};
use window::Window;

/// The timing engine.
#[derive(Clone)]
pub struct Timing {
    now_ns: u64,
    queue: EventQueue,
    units: Vec<Unit>,
    channels: Vec<Channel>,
    ops: OpTable,
    /// Lists of operations: further ones an operation wakes, and those it waits for.
    op_links: Slab<(OpId, u32)>,
    /// Sources of operations, each with its serial, by which it is told from a later one.
    source_links: Slab<(OpId, u64, u32)>,
    serial: u64,
    /// Moves of the runs in flight.
    runs: Slab<Run>,
    more_waiters: Slab<(Waiter, u32)>,
    /// Notices asked for and not given yet.
    notices: u32,
    /// What units had done when operations were queued.
    snapshots: Slab<Snapshot>,
    /// Paths of operations and requests that waited.
    paths: Slab<Path>,
    requests: Slab<RequestPath>,
    /// What operations of one request do on one unit.
    accounts: Slab<Own>,
    blocks: Box<[BlockClock]>,
    done_ahead: DoneAhead,
    /// The parked front of each queue, by unit and class.
    parked: Vec<Parked>,
    /// The fronts of the queues of the host's classes, two for each unit.
    windows: Vec<Window>,
    /// What folds and is queued, by unit.
    folds: Vec<Folds>,
    /// Parked erases that wait for nothing but their block's reads.
    parked_erases: BTreeMap<u32, OpId>,
    /// Units that may be able to start something.
    ready: Vec<u32>,
    /// Room for the operations that are raised, kept from one time to the next.
    raising: Vec<OpId>,
    raised: Vec<(u64, OpId)>,
    /// What is complete, and who has to hear of it.
    finished: Vec<Waiter>,
    /// Units whose idle threshold has passed.
    idle_due: Vec<u32>,
    idle: IdleRule,
    /// The run ends: nothing is taken for idle work.
    ending: bool,
    /// When the host last used any unit, ns.
    host_ns: u64,
    /// When the last operation ended, ns.
    ended_ns: u64,
    starvation_ns: u64,
    /// The fronts of long queues are laid out to be searched; the plain way is the tests' oracle.
    lays_out: bool,
    /// Units in a stretch.
    stretching: u32,
    /// Units before this one have no more events at the present time.
    passed: u32,
    /// The disk, if there is one.
    disk: Option<Box<DiskUnit>>,
    /// Its unit (`u32::MAX`: there is none).
    disk_unit: u32,
}

impl Timing {
    /// Bytes of the tables with an entry per block.
    pub fn block_bytes(geometry: &Geometry) -> u64 {
        (geometry.block_numbers() * size_of::<BlockClock>()) as u64
    }

    /// An idle engine at time 0 for `geometry`.
    pub fn new(geometry: &Geometry, starvation_ns: u64) -> Self {
        let mut timing = Self {
            now_ns: 0,
            queue: EventQueue::default(),
            units: Vec::new(),
            channels: Vec::new(),
            ops: OpTable::new(),
            op_links: Slab::new((OpId::NONE, 0)),
            source_links: Slab::new((OpId::NONE, 0, 0)),
            serial: 0,
            runs: Slab::new(Run::default()),
            more_waiters: Slab::new((Waiter::Request(RequestId::NONE), 0)),
            notices: 0,
            snapshots: Slab::new(Snapshot::default()),
            paths: Slab::new(Path::default()),
            requests: Slab::new(RequestPath::default()),
            accounts: Slab::new(Own::default()),
            blocks: bytemuck::zeroed_slice_box(geometry.block_numbers()),
            done_ahead: DoneAhead::new(geometry.block_numbers(), geometry.page_bits),
            parked: Vec::new(),
            windows: Vec::new(),
            folds: Vec::new(),
            parked_erases: BTreeMap::new(),
            ready: Vec::new(),
            raising: Vec::new(),
            raised: Vec::new(),
            finished: Vec::new(),
            idle_due: Vec::new(),
            idle: IdleRule { threshold_ns: 0, scope: IdleScope::Plane },
            ending: false,
            host_ns: 0,
            ended_ns: 0,
            starvation_ns,
            lays_out: true,
            stretching: 0,
            passed: 0,
            disk: None,
            disk_unit: u32::MAX,
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
    fn plan_moves(&mut self) {
        for unit in &mut self.units {
            let alone = self.channels[unit.channel as usize].units.len() == 1;
            unit.plan_moves(alone, self.starvation_ns);
        }
    }

    /// Has each unit do no more than that of moves in one go: the plain ways are the tests' oracles.
    fn limit_moves(&mut self, most: OneGo) {
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
        let parallelism = match pool.config.plane_parallelism {
            PlaneParallelism::MultiPlane if pool.config.planes == 1 => PlaneParallelism::Serial,
            other => other,
        };
        self.parked.extend((0..CLASSES).map(|_| Parked::default()));
        self.add_windows();
        self.folds.push(Folds::new(pool.config.planes));
        let first_plane = plane - u32::from(place.in_die);
        self.units.push(Unit::new(place.channel, bit, first_plane, parallelism, pool.config.suspend));
    }

    /// Makes room for more requests at a time, or says that there is none.
    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.ops.make_room()?;
        self.queue.make_room()?;
        self.op_links.make_room()?;
        self.source_links.make_room()?;
        self.runs.make_room()?;
        self.more_waiters.make_room()?;
        self.snapshots.make_room()?;
        self.paths.make_room()?;
        self.requests.make_room()?;
        self.accounts.make_room()
    }

    /// When the last operation of any unit ended, ns.
    pub fn ended_ns(&self) -> u64 {
        self.ended_ns
    }

    /// The present time, ns.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Moves the clock to `at_ns`, up to which no event is pending.
    #[inline]
    pub fn set_now(&mut self, at_ns: u64) {
        assert!(at_ns >= self.now_ns && self.queue.next_ns() > at_ns, "Invariant: time goes on");
        self.passed = u32::MAX;
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
        let queued =
            self.units.iter().flat_map(|u| u.head.iter().copied().chain([u.pending, u.current, u.suspended]));
        // What is in no queue waits for another operation, or to be staged to its end.
        let waiting = self.blocks.iter().map(|block| OpId(block.last));
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
    fn channel(&self, unit: u32) -> &Channel {
        &self.channels[self.units[unit as usize].channel as usize]
    }

    /// How long what is on the channel of `unit` still holds it, ns.
    #[inline]
    pub fn channel_wait_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        let until_ns = match self.at_work(unit) {
            Some(at) if at.is_pair && !self.is_past(unit, at.read_end_ns) => at.read_end_ns,
            Some(at) if at.is_pair => at.in_end_ns,
            None if self.is_reading_pair(unit) => u.read_end_ns,
            _ => self.busy_until_ns(u.channel as usize),
        };
        until_ns.saturating_sub(self.now_ns)
    }

    /// Whether nothing runs or waits in `unit`: what rests in the controller does neither.
    pub fn is_idle(&self, unit: u32) -> bool {
        self.units[unit as usize].is_idle()
    }

    /// Operations emitted to `unit` and not complete: its load.
    #[inline(always)]
    pub fn load(&self, unit: u32) -> u32 {
        let over = self.at_work(unit).map_or(0, |at| at.over);
        self.units[unit as usize].outstanding - over
    }

    /// Service time of what was emitted to `unit` and is not complete, ns: an estimate of how long a
    /// new operation would wait there, channel and priorities apart.
    #[inline(always)]
    pub fn load_ns(&self, unit: u32) -> u64 {
        let u = &self.units[unit as usize];
        if u.load_ns == 0 {
            return 0;
        }
        if let Some(at) = self.at_work(unit) {
            let has_read = at.is_pair && self.is_past(unit, at.read_end_ns);
            return u.load_ns - at.over_ns - if has_read { at.read_ns } else { 0 };
        }
        if u.phase == Phase::Pair && !self.is_reading_pair(unit) {
            return u.load_ns - self.ops[u.current].service_ns();
        }
        u.load_ns
    }

    /// The same of all units on `channel`, ns.
    #[inline]
    pub fn channel_load_ns(&self, channel: usize) -> u64 {
        self.channels[channel].units.iter().map(|&unit| self.load_ns(unit)).sum()
    }

    /// The emission number of an operation in flight, by which it is told from a later one.
    #[inline]
    pub fn serial(&self, id: OpId) -> u64 {
        self.ops[id].serial
    }

    /// Whether the operation emitted as `id` with `serial` is not complete.
    #[inline]
    pub fn is_in_flight(&self, id: OpId, serial: u64) -> bool {
        self.ops[id].serial == serial
    }

    /// Handles every half of a move as an event of its own: the oracle for the short cut.
    pub fn split_all_moves(&mut self) {
        self.limit_moves(OneGo::Never);
        self.lays_out = false;
        self.plan_reads(false);
    }
}
