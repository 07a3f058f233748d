//! Stretches: moves of a run that a unit does one after the other, with one event at the end of the last.
//!
//! A stretch begins where nothing but these moves can start in the unit until something new is queued
//! there. What is over of it is booked at its end, or when something is queued or raised in the unit:
//! then the move at work becomes an operation of its own, and all goes on as without stretches. What is
//! asked in between is answered as if each move had been booked at its end.

use super::engine::Timing;
use super::ops::{Op, PageMove, FOLLOWS, QUEUED};
use super::queues::MATE_WINDOW;
use super::spec::OpId;
use super::unit::{OneGo, Unit, UnitPhase};
use crate::base::op::{Class, OpKind};
use crate::base::BlockId;

/// The move that a unit is at within a stretch.
pub(super) struct AtWork {
    /// How many before it are over, and the time they took, ns.
    pub(super) over: u32,
    pub(super) over_ns: u64,
    /// When its read and its program's transfer end, ns.
    pub(super) read_end_ns: u64,
    pub(super) in_end_ns: u64,
    pub(super) read_ns: u64,
    /// Array time of its read, ns.
    pub(super) array_ns: u32,
}

impl Unit {
    /// Whether a command of `class` may take along what is queued.
    #[inline(always)]
    fn takes_along(&self, class: Class) -> bool {
        class.is_host() && self.queues.takes_along()
    }
}

impl Timing {
    /// How many of the next moves of run `id`, the first of its queue, nothing could come between now; a
    /// stretch is of two at least.
    #[inline]
    pub(super) fn moves_in_one_go(&self, unit: u32, id: OpId) -> Option<usize> {
        let (u, op) = (&self.units[unit as usize], &self.ops[id]);
        let more_urgent = u.queues.has_before(op.class);
        let undisturbed = !more_urgent
            && u.one_go == OneGo::Stretch
            && u.suspended.is_none()
            && u.first.is_none()
            && !op.has(FOLLOWS)
            // The unit is not about to be looked at again.
            && self.ready.len() <= 1;
        undisturbed.then(|| self.moves_without_mate(unit, id)).filter(|&count| count >= 2)
    }

    /// Begins a stretch with the next `count` moves of run `id`, the first of its queue.
    #[inline]
    pub(super) fn begin_stretch(&mut self, unit: u32, id: OpId, count: usize) {
        let ns = self.ops.run_of(id).service_ns(count);
        let end_ns = self.clock.now_ns() + ns;
        let u = &mut self.units[unit as usize];
        (u.phase, u.current, u.started_ns, u.stretch) =
            (UnitPhase::Stretch, id, self.clock.now_ns(), count as u32);
        self.stretching += 1;
        self.push_unit_event(unit, end_ns);
    }

    /// How many of the next moves of run `id`, the first of its queue, would take nothing along: neither
    /// their reads nor their programs. What only might be taken counts.
    fn moves_without_mate(&self, unit: u32, id: OpId) -> usize {
        let Op { class, plane_in_die, next, .. } = self.ops[id];
        let left = self.ops.run_of(id).left();
        let u = &self.units[unit as usize];
        if !u.takes_along(class) || u.queues.is_all_on(class as usize, plane_in_die) {
            return left.len();
        }
        // As long as so many moves of the run are left, no command looks behind them.
        let window = MATE_WINDOW as usize;
        let (mut count, mut passed, mut other) = (left.len(), 0, next);
        while !other.is_none() && passed < window {
            let op = &self.ops[other];
            if op.plane_in_die != plane_in_die {
                let first = (left.len() + passed).saturating_sub(window).min(count);
                let mate = left[first..count].iter().position(|page| self.may_mate(page, other));
                count = mate.map_or(count, |place| first + place);
            }
            passed += if op.is_run() { self.ops.run_of(other).left().len() } else { 1 };
            other = op.next;
        }
        count
    }

    /// Whether a move might take `other`, on another plane, along.
    fn may_mate(&self, page: &PageMove, other: OpId) -> bool {
        let op = &self.ops[other];
        match op.kind {
            OpKind::Read if op.is_run() => {
                let reads = self.ops.run_of(other).left().iter().take(MATE_WINDOW as usize);
                reads.into_iter().any(|read| read.from == page.from)
            }
            OpKind::Read => op.page == page.from,
            OpKind::Erase => false,
            OpKind::Program | OpKind::Reprogram | OpKind::CopyBack => op.page == page.to,
        }
    }

    /// The last move of a stretch ends.
    pub(super) fn end_stretch(&mut self, unit: u32) {
        let u = &self.units[unit as usize];
        let (id, count) = (u.current, u.stretch as usize);
        if count == self.ops.run_of(id).left().len() {
            // The last one is the run's own operation.
            self.book_moves(unit, count - 1);
            self.take_last(unit, id);
            let bus_ns = self.ops[id].bus_ns() + u64::from(self.ops.more(id).then.in_ns);
            self.leave_stretch(unit);
            let channel = self.units[unit as usize].channel as usize;
            self.channels[channel].busy_ns += bus_ns;
            self.turn_into_program(id);
            return self.complete(unit);
        }
        self.book_moves(unit, count);
        if self.ops.run_of(id).left().len() == 1 {
            self.ops.end_run(id);
        }
        self.leave_stretch(unit);
        let u = &mut self.units[unit as usize];
        (u.phase, u.current) = (UnitPhase::Idle, OpId::NONE);
        self.ready.push(unit);
    }

    #[inline(always)]
    fn leave_stretch(&mut self, unit: u32) {
        self.stretching -= 1;
        self.units[unit as usize].stretch = 0;
    }

    /// Books what is over of a stretch, if `unit` is in one, and lets the move at work go on by itself.
    #[inline(always)]
    pub(super) fn settle(&mut self, unit: u32) {
        if self.units[unit as usize].phase == UnitPhase::Stretch {
            self.part_stretch(unit);
        }
    }

    #[inline(never)]
    fn part_stretch(&mut self, unit: u32) {
        let over = self.moves_over(unit);
        self.book_moves(unit, over);
        self.leave_stretch(unit);
        let u = &self.units[unit as usize];
        let (mut id, start_ns) = (u.current, u.started_ns);
        if self.ops.run_of(id).left().len() == 1 {
            self.take_last(unit, id);
        } else {
            id = self.ops.take_move(id);
        }
        let op = &mut self.ops[id];
        op.next = OpId::NONE;
        op.clear(QUEUED);
        let class = op.class;
        let u = &self.units[unit as usize];
        if u.takes_along(class) && !u.queues.head(class as usize).is_none() {
            self.run_pair(unit, id, start_ns);
        } else {
            self.run_move(unit, id, self.ops.more(id).then, start_ns);
        }
    }

    /// Takes the last move of a run, the first of its queue, off it.
    fn take_last(&mut self, unit: u32, id: OpId) {
        self.ops.end_run(id);
        self.unlink_head(unit, self.ops[id].class as usize, id);
        let op = &mut self.ops[id];
        op.next = OpId::NONE;
        op.clear(QUEUED);
    }

    /// How many moves of the stretch that `unit` is in are over, by the events that have come until now.
    fn moves_over(&self, unit: u32) -> usize {
        let u = &self.units[unit as usize];
        self.ops.run_of(u.current).ended(|ns| self.clock.is_past(unit, u.started_ns + ns))
    }

    /// Books the first `count` moves of a stretch as each would have been at its end.
    fn book_moves(&mut self, unit: u32, count: usize) {
        if count == 0 {
            return;
        }
        let id = self.units[unit as usize].current;
        let (ns, bus_ns, to) = self.ops.pass_moves(id, count);
        let op = &self.ops[id];
        let u = &mut self.units[unit as usize];
        u.busy_ns[op.cause as usize] += ns;
        u.started_ns += ns;
        u.outstanding -= count as u32;
        u.load_ns -= ns;
        u.stretch -= count as u32;
        if op.class.is_host() {
            u.host_ns = u.host_ns.max(u.started_ns);
            self.host_ns = self.host_ns.max(u.started_ns);
        }
        self.channels[u.channel as usize].busy_ns += bus_ns;
        let (from, generation, into) = (op.block, op.generation, self.ops.more(id).then.block);
        self.ops.blocks.end_reads(from, count as u32);
        self.ops.blocks.end_program(into, generation, to + 1);
    }

    #[inline(always)]
    pub(super) fn at_work(&self, unit: u32) -> Option<AtWork> {
        (self.units[unit as usize].phase == UnitPhase::Stretch).then(|| self.move_at_work(unit))
    }

    #[cold]
    fn move_at_work(&self, unit: u32) -> AtWork {
        let u = &self.units[unit as usize];
        let (op, then) = (&self.ops[u.current], self.ops.more(u.current).then);
        let (run, over) = (self.ops.run_of(u.current), self.moves_over(unit));
        let over_ns = run.service_ns(over);
        let (read_ns, in_ns) = run.read_and_transfer_ns(over, op, then);
        let read_end_ns = u.started_ns + over_ns + read_ns;
        let (in_end_ns, array_ns) = (read_end_ns + in_ns, run.left()[over].read_ns);
        AtWork { over: over as u32, over_ns, read_end_ns, in_end_ns, read_ns, array_ns }
    }

    /// Whether a stretch has programmed `page` of `block` by now, without its being booked.
    #[cold]
    pub(super) fn is_over(&self, block: BlockId, page: u32) -> bool {
        let last = self.ops.blocks.last(block);
        if last.is_none() {
            return false;
        }
        // What follows a run in its block is of the same unit.
        let unit = self.ops[last].unit;
        let u = &self.units[unit as usize];
        if u.phase != UnitPhase::Stretch || self.ops.more(u.current).then.block != block {
            return false;
        }
        let (op, over) = (&self.ops[u.current], self.moves_over(unit));
        let done = &self.ops.run_of(u.current).left()[..over];
        op.generation == self.ops.blocks.generation(block)
            && done.last().is_some_and(|last| page <= u32::from(last.to))
    }

    /// When the host last used any unit, ns.
    pub(super) fn last_host_ns(&self) -> u64 {
        if self.stretching == 0 {
            return self.host_ns;
        }
        let in_stretch = |unit: &u32| self.units[*unit as usize].phase == UnitPhase::Stretch;
        let ends = (0..self.units.len() as u32).filter(in_stretch).map(|unit| {
            let (u, at) = (&self.units[unit as usize], self.move_at_work(unit));
            let counts = at.over > 0 && self.ops[u.current].class.is_host();
            if counts {
                u.started_ns + at.over_ns
            } else {
                0
            }
        });
        ends.fold(self.host_ns, u64::max)
    }
}
