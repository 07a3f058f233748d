//! A unit (plane or die): what it is doing and what waits for it.

use super::queues::Queues;
use super::spec::OpId;
use crate::base::op::CAUSES;
use crate::hw::config::SuspendConfig;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitPhase {
    Idle,
    /// Command and array phase of the current operation.
    Array,
    /// Read data are ready and wait for the channel.
    WaitOut,
    /// Read data cross the channel.
    Out,
    /// Array phase and transfer of a read whose data are coming: see `coming`.
    Read,
    /// Reading and then programming a moved page, in one go unless something more urgent comes.
    Move,
    /// Reading and programming as two commands of a die that could take others along, with none to take.
    Pair,
    /// Moving the pages of a run one after the other: see `stretch`.
    Stretch,
    /// Suspending the current operation.
    Suspending,
    /// Serving an operation of the disk, from the seek to the end of the transfer.
    Disk,
}

/// How much of the moves of pages a unit can do in one go, with one event: what of them nothing can come
/// between is known from the start. Each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OneGo {
    /// Nothing: others share its channel, its programs can be suspended, or what waited long goes first.
    Never,
    /// The read and the program of a page, unless something more urgent is queued before the read ends.
    Move,
    /// A read and its program where each could take others along and there are none.
    Pair,
    /// The moves of a run, one after the other.
    Stretch,
}

/// The idle event of a unit that has none.
pub(super) const NOT_ARMED: u64 = u64::MAX;

/// A unit: runs one array operation at a time.
#[derive(Clone)]
pub(super) struct Unit {
    pub(super) phase: UnitPhase,
    /// The operation at work; with multi-plane commands the first of a chain.
    pub(super) current: OpId,
    /// When the current operation started, ns.
    pub(super) started_ns: u64,
    /// When the present phase ends, ns.
    pub(super) until_ns: u64,
    /// When the read half of a move ends, or the array phase of a read whose data are coming or follow at once, or
    /// the disk's head and platter are in place, ns.
    pub(super) read_end_ns: u64,
    /// When an event comes that was for data that came, until something got in their way, ns
    /// (`u64::MAX`: never).
    pub(super) void_ns: u64,
    /// How much of moves it does as one event.
    pub(super) one_go: OneGo,
    /// How many moves the stretch is of; those that are booked are out of it.
    pub(super) stretch: u32,
    /// An operation that may start and found the unit free: it is in no queue unless something comes
    /// between it and its start.
    pub(super) pending: OpId,
    pub(super) queues: Queues,
    /// The unit is on its channel's waiting list.
    pub(super) wishes: bool,
    /// Since when it is, ns.
    pub(super) wish_ns: u64,
    /// How long it was so far, ns.
    pub(super) wished_ns: u64,
    /// The operation of a request that found the unit idle: no snapshot tells what it waits for.
    pub(super) first: OpId,
    /// Operations emitted to this unit and not complete.
    pub(super) outstanding: u32,
    /// Their service time, ns.
    pub(super) load_ns: u64,
    /// Those of them that rest: staged for nobody who waits, until their wordline is full.
    pub(super) resting: u32,
    /// A suspended operation and its remaining time.
    pub(super) suspended: OpId,
    /// When the suspension began, ns.
    pub(super) suspended_ns: u64,
    /// Array time left of the suspended operation, ns.
    pub(super) suspended_left_ns: u64,
    /// How often the suspended or current operation was suspended.
    pub(super) suspends: u32,
    pub(super) busy_ns: [u64; CAUSES],
    /// Planes of this unit with idle work (bit per plane in the die).
    pub(super) idle_planes: u16,
    /// When the pending idle event comes, ns, if there is one.
    pub(super) idle_event_ns: u64,
    /// When the host last used the unit, ns.
    pub(super) host_ns: u64,
    pub(super) channel: u32,
    /// Bit of the unit within its channel.
    pub(super) bit: u32,
    /// First plane of the die that the unit is or belongs to.
    pub(super) first_plane: u32,
    /// Suspension rules.
    pub(super) suspend: SuspendConfig,
}

impl Unit {
    /// An idle unit.
    pub(super) fn new(
        channel: u32,
        bit: u32,
        first_plane: u32,
        queues: Queues,
        suspend: SuspendConfig,
    ) -> Self {
        Self {
            phase: UnitPhase::Idle,
            current: OpId::NONE,
            started_ns: 0,
            until_ns: 0,
            read_end_ns: 0,
            void_ns: u64::MAX,
            one_go: OneGo::Never,
            stretch: 0,
            pending: OpId::NONE,
            queues,
            wishes: false,
            wish_ns: 0,
            wished_ns: 0,
            first: OpId::NONE,
            outstanding: 0,
            load_ns: 0,
            resting: 0,
            suspended: OpId::NONE,
            suspended_ns: 0,
            suspended_left_ns: 0,
            suspends: 0,
            busy_ns: [0; CAUSES],
            idle_planes: 0,
            idle_event_ns: NOT_ARMED,
            host_ns: 0,
            channel,
            bit,
            first_plane,
            suspend,
        }
    }

    /// What the unit can do in one go where it is `alone` on its channel.
    pub(super) fn plan_moves(&mut self, alone: bool, starvation_ns: u64) {
        // What is served for its age may come between the halves of a move.
        let in_one = alone && !self.suspend.program && starvation_ns == 0;
        self.one_go = if in_one { OneGo::Stretch } else { OneGo::Never };
    }

    /// Whether nothing runs, waits or is suspended here that has been queued.
    #[inline(always)]
    pub(super) fn is_free(&self) -> bool {
        self.phase == UnitPhase::Idle
            && self.queues.mask() == 0
            && self.suspended.is_none()
            && self.pending.is_none()
    }

    /// Whether nothing runs or waits here. What rests in the controller does neither.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.outstanding == self.resting
    }
}
