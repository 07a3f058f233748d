//! Pairs: moves of the host's class in a die that runs multi-plane commands. Read and program are two
//! commands, each of which looks for others to take along. Where the read found none and the program
//! would find none, both are one event, unless something is queued before the read ends.

use super::engine::Timing;
use super::ids::OpId;
use super::ops::{FOLLOWS, MOVES, QUEUED};
use super::unit::{OneGo, Phase};

impl Timing {
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
        u.phase = Phase::Pair;
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
        matches!(u.phase, Phase::Move | Phase::Pair) && !self.clock.is_past(unit, u.read_end_ns)
    }

    /// Something was queued during a pair: in its read it may change what the program takes along.
    pub(super) fn part_pair(&mut self, unit: u32) {
        if self.is_reading(unit) {
            self.pause(unit);
        }
    }
}
