//! Moves of pages as operations: emitted together, taken off a queue one by one, and run as one event where
//! nothing comes between their read and their program.

use super::engine::Timing;
use super::ops::{PageMove, FOLLOWS, MOVES, QUEUED};
use super::spec::{MoveTarget, OpId, OpSpec};
use super::unit::{OneGo, UnitPhase};

impl Timing {
    /// Emits `moves`, one after the other, of which `last` is the last one: the read of a page whose data
    /// the same unit then programs. Returns the operation that stands for it. No read may wait for one of
    /// the others: what is in flight must be read from the controller.
    pub fn emit_moves(&mut self, last: OpSpec, moves: &[PageMove]) -> OpId {
        let (Some(then), [others @ .., end]) = (last.then, moves) else {
            unreachable!("Invariant: moves, each a read with its program");
        };
        // Operations that are kept are told apart from their emission on.
        if self.logged.is_some() || self.units[last.unit as usize].queues.folds(last.cause) {
            return self.emit_each(last, then, moves);
        }
        self.ops.count_emissions(others.len() as u64);
        let id = self.submit(last, 0);
        if others.is_empty() {
            return id;
        }
        let unit = last.unit as usize;
        let command_ns = last.in_ns + (last.out_ns - end.transfer_ns) + (then.in_ns - end.transfer_ns);
        self.units[unit].outstanding += others.len() as u32;
        self.ops.blocks.begin_reads(last.block, others.len() as u32);
        // A run stands in its queue from the start.
        if self.units[unit].pending == id {
            self.link_pending(last.unit);
        }
        self.units[unit].load_ns += self.ops.begin_run(id, moves, command_ns);
        // The unit is looked at again after it has started one, which then may have to pause.
        self.ready.push(last.unit);
        id
    }

    /// Emits `moves`, of which `last` is the last one, each as an operation of its own; returns the last.
    #[cold]
    fn emit_each(&mut self, last: OpSpec, then: MoveTarget, moves: &[PageMove]) -> OpId {
        let end = moves[moves.len() - 1];
        let spec = |page: &PageMove| OpSpec {
            page: page.from,
            array_ns: page.read_ns,
            out_ns: last.out_ns - end.transfer_ns + page.transfer_ns,
            then: Some(page.target(&end, then)),
            ..last
        };
        moves.iter().fold(OpId::NONE, |_, page| self.emit(spec(page), &[]))
    }
}

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
        u.phase = UnitPhase::Move;
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
        u.phase = UnitPhase::Out;
        let (read_end_ns, channel) = (u.read_end_ns, u.channel as usize);
        u.read_end_ns -= u64::from(read.out_ns);
        self.channels[channel].busy_ns -= program_in_ns;
        self.channels[channel].busy_until_ns = u.started_ns + u64::from(read.in_ns);
        self.push_unit_event(unit, read_end_ns);
    }
}

impl Timing {
    // Pairs are moves of the host's class in a die that runs multi-plane commands. Read and program are two
    // commands, each of which looks for others to take along. Where the read found none and the program
    // would find none, both are one event, unless something is queued before the read ends.

    /// Whether `id`, taken off the queue with all that its read takes along, runs as a pair if nothing comes.
    pub(super) fn is_pair(&self, unit: u32, id: OpId) -> bool {
        let (op, u) = (&self.ops[id], &self.units[unit as usize]);
        let alone = op.next.is_none() && !u.queues.folds(op.cause);
        if !op.has(MOVES) || op.has(FOLLOWS) || !alone || u.one_go < OneGo::Pair {
            return false;
        }
        let then = self.ops.more(id).then;
        let more_urgent = u.queues.has_before(op.class);
        // Nothing else may want the unit between the two.
        let undisturbed = !more_urgent && u.suspended.is_none();
        undisturbed && op.service_ns() > 0 && then.array_ns > 0 && !u.queues.has_mate(&self.ops, id, then)
    }

    /// Runs a move that starts at `start_ns` as a pair.
    pub(super) fn run_pair(&mut self, unit: u32, id: OpId, start_ns: u64) {
        let then = self.ops.more(id).then;
        let op = &mut self.ops[id];
        op.clear(QUEUED);
        let bus_ns = op.bus_ns() + u64::from(then.in_ns);
        let u = &mut self.units[unit as usize];
        (u.current, u.started_ns, u.suspends) = (id, start_ns, 0);
        u.phase = UnitPhase::Pair;
        u.read_end_ns = start_ns + op.service_ns();
        let end_ns = u.read_end_ns + u64::from(then.in_ns) + u64::from(then.array_ns);
        self.channels[u.channel as usize].busy_ns += bus_ns;
        self.push_unit_event(unit, end_ns);
    }

    /// Whether `unit` is at the read of a move or a pair; at the very end of it, whether the events of before
    /// have not come to it.
    #[inline(always)]
    pub(super) fn is_reading(&self, unit: u32) -> bool {
        let u = &self.units[unit as usize];
        matches!(u.phase, UnitPhase::Move | UnitPhase::Pair) && !self.clock.is_past(unit, u.read_end_ns)
    }

    /// Something was queued during a pair: in its read it may change what the program takes along.
    pub(super) fn part_pair(&mut self, unit: u32) {
        if self.is_reading(unit) {
            self.pause(unit);
        }
    }
}
