//! Starting: what a unit that is looked at begins with, alone or with what its command takes along.

use super::channel::Channel;
use super::choice::Next;
use super::engine::Timing;
use super::ops::{Op, FOLLOWS, MOVES, QUEUED};
use super::read_plans::plan;
use super::spec::OpId;
use super::unit::{OneGo, Unit, UnitPhase};
use crate::base::op::{Cause, Class, OpKind};

/// The bit of waiting host reads in a unit's mask.
const HOST_READS: u8 = 1 << Class::HostRead as u8;

impl Timing {
    /// Has a unit begin with something, if it can.
    #[inline(always)]
    pub(super) fn try_start(&mut self, unit: u32) {
        if self.units[unit as usize].phase != UnitPhase::Idle {
            return self.disturb(unit);
        }
        if !self.units[unit as usize].pending.is_none() {
            if self.start_pending(unit) {
                return;
            }
            self.link_pending(unit);
        }
        let u = &self.units[unit as usize];
        if u.wishes {
            return;
        }
        let mask = u.queues.mask();
        if mask == 0 || (!u.suspended.is_none() && mask & HOST_READS == 0) {
            if !u.suspended.is_none() {
                self.resume(unit);
            }
            return;
        }
        let channel = u.channel as usize;
        if unit == self.disk_unit {
            self.wake_disk(channel);
        }
        self.settle_channel(channel);
        if self.channels[channel].open(self.clock.now_ns()) {
            self.begin_next(unit, 0);
        } else {
            self.wish(unit);
        }
    }

    /// Something was queued in a unit at work: what it does may have to give way.
    #[inline(always)]
    fn disturb(&mut self, unit: u32) {
        self.settle(unit);
        let u = &self.units[unit as usize];
        match u.phase {
            UnitPhase::Array if u.queues.mask() & HOST_READS != 0 && u.suspended.is_none() => {
                self.try_suspend(unit)
            }
            UnitPhase::Move => self.try_split(unit),
            UnitPhase::Pair => self.part_pair(unit),
            _ => {}
        }
    }

    /// Puts a unit that wants to start something on its channel's list.
    #[inline(always)]
    fn wish(&mut self, unit: u32) {
        let u = &mut self.units[unit as usize];
        let channel = u.channel as usize;
        let c = &mut self.channels[channel];
        c.wishes[(u.bit / 64) as usize] |= 1 << (u.bit % 64);
        c.wish_count += 1;
        u.wishes = true;
        u.wish_ns = self.clock.now_ns();
        self.arm_channel(channel);
    }

    /// Begins with what a unit that found its channel open should do, `channel_wait_ns` after it asked for it;
    /// whether that needs the channel.
    #[inline(always)]
    pub(super) fn begin_next(&mut self, unit: u32, channel_wait_ns: u64) -> bool {
        match self.pick(unit) {
            Next::Op(id) => self.start(unit, id, channel_wait_ns),
            Next::Stretch(id, count) => self.begin_stretch(unit, id, count),
            Next::Nothing => {
                if !self.units[unit as usize].suspended.is_none() {
                    self.resume(unit);
                }
                return false;
            }
        }
        true
    }

    /// Starts the operation at hand of a unit in the moment of its emission, if the channel is open: it
    /// has waited for nothing, and nothing is there to be taken along.
    #[inline(always)]
    fn start_pending(&mut self, unit: u32) -> bool {
        let now_ns = self.clock.now_ns();
        let mut u = &mut self.units[unit as usize];
        let channel = u.channel as usize;
        let mut c = &mut self.channels[channel];
        if c.coming_ns <= now_ns {
            self.settle_coming(channel);
            (u, c) = (&mut self.units[unit as usize], &mut self.channels[channel]);
        }
        let id = u.pending;
        let op = &self.ops[id];
        if op.queued_ns != now_ns || !c.open(now_ns) {
            return false;
        }
        (u.pending, u.first) = (OpId::NONE, OpId::NONE);
        if op.has(MOVES) && !op.has(FOLLOWS) && u.one_go >= OneGo::Move && !u.queues.folds(op.cause) {
            self.run_move(unit, id, self.ops.more(id).then, self.clock.now_ns());
            return true;
        }
        let (out_ns, alone) = (op.out_ns, c.coming == 0);
        let mut end_ns = occupy(u, c, now_ns, id, (op.in_ns, op.array_ns, out_ns));
        if !alone {
            end_ns = self.begin_beside(unit, out_ns);
        }
        self.clock.push_unit(end_ns, unit);
        true
    }

    /// Starts an operation that was taken off the unit's queue, with what it takes along.
    #[inline(always)]
    fn start(&mut self, unit: u32, id: OpId, channel_wait_ns: u64) {
        let u = &mut self.units[unit as usize];
        let first = std::mem::take(&mut u.first);
        if !first.is_none() && first != id {
            self.snapshot_first(first, channel_wait_ns);
        }
        if unit == self.disk_unit {
            return self.start_disk(unit, id, channel_wait_ns);
        }
        let u = &self.units[unit as usize];
        let Op { class, cause, .. } = self.ops[id];
        if self.may_take_along(unit, &self.ops[id]) && !u.queues.head(class as usize).is_none() {
            return self.start_with_mates(unit, id, channel_wait_ns);
        }
        let moves_whole = u.one_go >= OneGo::Move;
        let op = &mut self.ops[id];
        op.next = OpId::NONE;
        op.clear(QUEUED);
        let (in_ns, array_ns, out_ns) = (op.in_ns, op.array_ns, op.out_ns);
        let can_move = moves_whole && op.has(MOVES) && !op.has(FOLLOWS);
        let can_move = can_move && !self.units[unit as usize].queues.folds(cause);
        self.book_wait(id, channel_wait_ns);
        if can_move {
            return self.run_move(unit, id, self.ops.more(id).then, self.clock.now_ns());
        }
        self.run_command(unit, id, (in_ns, array_ns, out_ns));
    }

    /// Whether the command of `op` may take along what else its class has queued. Cleaning works on one plane
    /// at a time: its page offsets hardly ever match across planes.
    #[inline(always)]
    pub(super) fn may_take_along(&self, unit: u32, op: &Op) -> bool {
        self.units[unit as usize].queues.takes_along() && (op.class.is_host() || op.cause == Cause::Migration)
    }

    // Out of line, as what it keeps at hand would be a burden to what starts alone.
    #[inline(never)]
    fn start_with_mates(&mut self, unit: u32, id: OpId, channel_wait_ns: u64) {
        self.units[unit as usize].queues.take_mates(&mut self.ops, id);
        if self.is_pair(unit, id) {
            return self.run_pair(unit, id, self.clock.now_ns());
        }
        let (in_ns, array_ns, out_ns) = self.command_times(unit, id);
        let bus_ns = u64::from(in_ns) + u64::from(out_ns);
        let mut mate = id;
        while !mate.is_none() {
            self.book_wait(mate, channel_wait_ns);
            let op = &mut self.ops[mate];
            op.clear(QUEUED);
            let next = op.next;
            let more_array_ns = u64::from(array_ns - op.array_ns);
            let more_bus_ns = bus_ns - op.bus_ns();
            self.requests.add_company(&mut self.ops, mate, more_array_ns, more_bus_ns);
            mate = next;
        }
        self.run_command(unit, id, (in_ns, array_ns, out_ns));
    }

    #[inline(always)]
    fn run_command(&mut self, unit: u32, id: OpId, times_ns: (u32, u32, u32)) {
        let u = &mut self.units[unit as usize];
        let c = &mut self.channels[u.channel as usize];
        let alone = c.coming == 0;
        let mut end_ns = occupy(u, c, self.clock.now_ns(), id, times_ns);
        if !alone {
            end_ns = self.begin_beside(unit, times_ns.2);
        }
        self.clock.push_unit(end_ns, unit);
    }

    /// Channel, array and data-out time of a command with all it takes along, ns.
    #[inline(always)]
    pub(super) fn command_times(&self, unit: u32, id: OpId) -> (u32, u32, u32) {
        let first = &self.ops[id];
        if first.next.is_none() {
            return (first.in_ns, first.array_ns, first.out_ns);
        }
        let bus = &self.channel(unit).bus;
        let (command_ns, extra_ns) = match first.kind {
            OpKind::Read => (bus.read_command_ns, bus.extra_plane_read_ns),
            OpKind::Program | OpKind::Reprogram => (bus.program_command_ns, bus.extra_plane_program_ns),
            OpKind::Erase => (bus.erase_command_ns, bus.extra_plane_erase_ns),
            OpKind::CopyBack => (0, 0),
        };
        let (mut in_ns, mut array_ns, mut out_ns) = (command_ns, 0, 0);
        let mut mate = id;
        while !mate.is_none() {
            let op = &self.ops[mate];
            in_ns += op.in_ns - command_ns + if mate == id { 0 } else { extra_ns };
            array_ns = array_ns.max(op.array_ns);
            out_ns += op.out_ns;
            mate = op.next;
        }
        (in_ns, array_ns, out_ns)
    }
}

/// Lets a unit and its channel begin with a command of these times before, in and after the array
/// phase; when its first phase ends, ns.
#[inline(always)]
fn occupy(u: &mut Unit, c: &mut Channel, now_ns: u64, id: OpId, times_ns: (u32, u32, u32)) -> u64 {
    let (in_ns, array_ns, out_ns) = times_ns;
    u.current = id;
    u.started_ns = now_ns;
    if u.suspended.is_none() {
        u.suspends = 0;
    }
    u.phase = UnitPhase::Array;
    c.hold(now_ns, in_ns);
    u.until_ns = now_ns + u64::from(in_ns) + u64::from(array_ns);
    if out_ns > 0 {
        if c.alone {
            // Nobody else is on the channel: the transfer follows at once, in one event.
            u.phase = UnitPhase::Out;
            u.read_end_ns = u.until_ns;
            u.until_ns += u64::from(out_ns);
            c.busy_ns += u64::from(out_ns);
        } else if c.plans && c.coming == 0 && u.until_ns > now_ns {
            plan(u, c, out_ns);
        }
    }
    u.until_ns
}
