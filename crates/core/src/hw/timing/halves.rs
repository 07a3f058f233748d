//! The halves of a page move: its read and its program, run as one or, where something more urgent is
//! queued meanwhile, one after the other.

use super::engine::Timing;
use super::ids::OpId;
use super::ops::MOVES;
use super::spec::MoveTarget;
use super::unit::Phase;

impl Timing {
    /// The read half of a move is done: the operation is now the program of its target.
    #[inline(always)]
    pub(super) fn turn_into_program(&mut self, id: OpId) {
        let now_ns = self.clock.now_ns();
        let Some(target) = self.ops.then(id) else { return };
        let op = &mut self.ops[id];
        op.clear(MOVES);
        self.units[op.unit as usize].load_ns -= op.service_ns();
        let (block, unit) = (op.block, op.unit);
        op.kind = target.kind;
        op.block = target.block;
        op.page = target.page;
        op.array_ns = target.array_ns;
        op.in_ns = target.in_ns;
        op.out_ns = 0;
        op.queued_ns = now_ns;
        if self.ops.blocks.end_read(block) {
            self.units[unit as usize].queues.wake_erase(&mut self.ops, block);
        }
    }

    /// Runs both halves of a move that starts at `start_ns` as one, where the channel has no other unit.
    #[inline(always)]
    pub(super) fn run_move(&mut self, unit: u32, id: OpId, target: MoveTarget, start_ns: u64) {
        let op = &self.ops[id];
        let read_ns = op.service_ns();
        let bus_ns = op.bus_ns() + u64::from(target.in_ns);
        let u = &mut self.units[unit as usize];
        u.current = id;
        u.started_ns = start_ns;
        u.phase = Phase::Move;
        u.read_end_ns = start_ns + read_ns;
        let end_ns = u.read_end_ns + u64::from(target.in_ns) + u64::from(target.array_ns);
        self.channels[u.channel as usize].busy_ns += bus_ns;
        self.push_unit_event(unit, end_ns);
    }

    /// Something was queued during a move: if it is more urgent, or the program may take it along, the move
    /// pauses after its read.
    pub(super) fn try_split(&mut self, unit: u32) {
        let u = &self.units[unit as usize];
        let op = &self.ops[u.current];
        let matters = u.queues.has_before(op.class) || self.may_take_along(unit, op);
        if matters && self.is_reading(unit) {
            self.pause(unit);
        }
    }

    /// Transfer time of the program of the move at work, ns.
    pub(super) fn program_in_ns(&self, unit: u32) -> u64 {
        let target = self.ops.then(self.units[unit as usize].current);
        target.map_or(0, |target| target.in_ns.into())
    }

    /// The move at work is to be only its read.
    #[inline]
    pub(super) fn pause(&mut self, unit: u32) {
        let program_in_ns = self.program_in_ns(unit);
        let u = &mut self.units[unit as usize];
        let read = &self.ops[u.current];
        u.phase = Phase::Out;
        let (read_end_ns, channel) = (u.read_end_ns, u.channel as usize);
        u.read_end_ns -= u64::from(read.out_ns);
        self.channels[channel].busy_ns -= program_in_ns;
        self.channels[channel].busy_until_ns = u.started_ns + u64::from(read.in_ns);
        self.push_unit_event(unit, read_end_ns);
    }
}
