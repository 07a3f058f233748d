//! Runs: the moves out of a block into another one, emitted as one operation.
//!
//! A run stands in its unit's queue, and in the order of the block programmed, for all its moves that
//! have not started: they are neighbours there, since they were emitted one after the other and nothing
//! comes between them. Each becomes an operation of its own when its turn comes, and what is left of the
//! run becomes its last move. So all happens as if each had been emitted alone, and the run's number
//! stands for the last of them. Where planes fold together each is emitted alone.

use super::engine::Timing;
use super::ids::OpId;
use super::op_table::{Op, FOLLOWS, MOVES, QUEUED};
use super::spec::{MoveTarget, OpSpec};

/// One move of a run.
#[derive(Clone, Copy, Debug)]
pub struct PageMove {
    /// Page read.
    pub from: u16,
    /// Page programmed.
    pub to: u16,
    /// Array time of the read, ns.
    pub read_ns: u32,
    /// Array time of the program, ns.
    pub program_ns: u32,
    /// Time of the data on the channel, each way, ns.
    pub transfer_ns: u32,
}

/// The moves of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    moves: Vec<PageMove>,
    /// When each ends, counted from the begin of the first, where they follow each other, ns.
    ends_ns: Vec<u64>,
    /// The first that has not started.
    next: usize,
}

impl Run {
    /// The moves that have not started.
    #[inline(always)]
    pub(super) fn left(&self) -> &[PageMove] {
        &self.moves[self.next..]
    }

    /// The end of the moves before those that are left, ns.
    #[inline(always)]
    fn begin_ns(&self) -> u64 {
        self.next.checked_sub(1).map_or(0, |before| self.ends_ns[before])
    }

    /// Time on array and channel of the first `count` that are left, ns.
    #[inline(always)]
    pub(super) fn service_ns(&self, count: usize) -> u64 {
        match count {
            0 => 0,
            _ => self.ends_ns[self.next + count - 1] - self.begin_ns(),
        }
    }

    /// How many of those that are left end when `is_over`, asked with a time from the begin of the first
    /// of them, ns.
    pub(super) fn ended(&self, is_over: impl Fn(u64) -> bool) -> usize {
        let begin_ns = self.begin_ns();
        self.ends_ns[self.next..].partition_point(|&end_ns| is_over(end_ns - begin_ns))
    }

    /// Channel time of the first `count` that are left; `op` is the last of the run, ns.
    pub(super) fn bus_ns(&self, count: usize, op: &Op, then: MoveTarget) -> u64 {
        let transfers_ns: u64 = self.left()[..count].iter().map(|page| u64::from(page.transfer_ns)).sum();
        let (read_ns, program_ns) = self.command_ns(op, then);
        2 * transfers_ns + count as u64 * (read_ns + program_ns)
    }

    /// Time of the commands of a move's read and program, ns.
    fn command_ns(&self, op: &Op, then: MoveTarget) -> (u64, u64) {
        let transfer_ns = u64::from(self.moves[self.moves.len() - 1].transfer_ns);
        (op.bus_ns() - transfer_ns, u64::from(then.in_ns) - transfer_ns)
    }

    /// Time of the read of the move behind `count` of those that are left, and time that its program's
    /// data and command are on the channel, ns.
    pub(super) fn read_and_transfer_ns(&self, count: usize, op: &Op, then: MoveTarget) -> (u64, u64) {
        let page = &self.left()[count];
        let (read_ns, program_ns) = self.command_ns(op, then);
        let transfer_ns = u64::from(page.transfer_ns);
        (read_ns + u64::from(page.read_ns) + transfer_ns, program_ns + transfer_ns)
    }

    /// Leaves `count` moves behind; returns the page that the last of them programs.
    pub(super) fn pass(&mut self, count: usize) -> u16 {
        self.next += count;
        self.moves[self.next - 1].to
    }
}

impl PageMove {
    /// Time on array and channel, apart from that of the commands, ns.
    fn service_ns(&self) -> u64 {
        u64::from(self.read_ns) + u64::from(self.program_ns) + 2 * u64::from(self.transfer_ns)
    }

    /// This move, where `other` is one of the same run with the times of `then`.
    fn target(&self, other: &PageMove, then: MoveTarget) -> MoveTarget {
        let in_ns = then.in_ns - other.transfer_ns + self.transfer_ns;
        MoveTarget { page: self.to, array_ns: self.program_ns, in_ns, ..then }
    }
}

impl Timing {
    /// Emits `moves`, one after the other, of which `last` is the last one: the read of a page whose data
    /// the same unit then programs. Returns the operation that stands for it. No read may wait for one of
    /// the others: what is in flight must be read from the controller.
    pub fn emit_moves(&mut self, last: OpSpec, moves: &[PageMove]) -> OpId {
        let (Some(then), [others @ .., end]) = (last.then, moves) else {
            unreachable!("Invariant: moves, each a read with its program");
        };
        if self.folds(last.unit, last.cause) {
            return self.emit_each(last, then, moves);
        }
        self.serial += others.len() as u64;
        let id = self.submit(last, 0);
        if others.is_empty() {
            return id;
        }
        let unit = last.unit as usize;
        let command_ns = last.in_ns + (last.out_ns - end.transfer_ns) + (then.in_ns - end.transfer_ns);
        self.units[unit].outstanding += others.len() as u32;
        self.blocks[last.block.index()].reads += others.len() as u32;
        // A run stands in its queue from the start.
        if self.units[unit].pending == id {
            self.link_pending(last.unit);
        }
        let index = self.runs.take();
        let run = &mut self.runs[index as usize];
        run.next = 0;
        run.moves.clear();
        run.moves.extend_from_slice(moves);
        run.ends_ns.clear();
        run.ends_ns.extend(moves.iter().scan(0, |end_ns, page| {
            *end_ns += page.service_ns() + u64::from(command_ns);
            Some(*end_ns)
        }));
        self.units[unit].load_ns += run.ends_ns[others.len() - 1];
        let (op, more) = self.ops.both_mut(id);
        op.mark_run();
        more.run = index;
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

    /// Takes a queued operation off its queue, of a run its first move.
    #[inline(always)]
    pub(super) fn take(&mut self, id: OpId) -> OpId {
        if self.ops[id].is_run() {
            return self.take_move(id);
        }
        self.unlink(id);
        id
    }

    /// Takes the first move of a run, which is not its last, as an operation of its own.
    pub(super) fn take_move(&mut self, id: OpId) -> OpId {
        let index = self.ops.more(id).run;
        let run = &mut self.runs[index as usize];
        let (first, end) = (run.moves[run.next], run.moves[run.moves.len() - 1]);
        run.next += 1;
        let left = run.left().len();
        let taken = self.insert_before(id, left as u64, &first, &end);
        if left == 1 {
            self.end_run(id);
        }
        taken
    }

    /// A new operation for `first`, which comes `ahead` moves before `end`, the last one, of run `id`: in the
    /// block's order it is right before the run.
    #[inline(always)]
    fn insert_before(&mut self, id: OpId, ahead: u64, first: &PageMove, end: &PageMove) -> OpId {
        let (op, more) = self.ops.both_mut(id);
        let follows = op.has(FOLLOWS);
        let (then, prev) = (more.then, more.block_prev);
        let record = Op {
            serial: op.serial - ahead,
            array_ns: first.read_ns,
            out_ns: op.out_ns - end.transfer_ns + first.transfer_ns,
            next: OpId::NONE,
            block_next: id,
            wakes: OpId::NONE,
            page: first.from,
            pages: 1,
            flags: op.flags & (FOLLOWS | MOVES | QUEUED),
            ..*op
        };
        op.set(FOLLOWS);
        let taken = self.ops.insert(record);
        self.ops.more_mut(id).block_prev = taken;
        let more = self.ops.more_mut(taken);
        more.then = first.target(end, then);
        if follows {
            more.block_prev = prev;
            self.ops[prev].block_next = taken;
        }
        taken
    }

    /// What is left of a run is its last move.
    pub(super) fn end_run(&mut self, id: OpId) {
        let (op, more) = self.ops.both_mut(id);
        op.pages = 1;
        self.runs.remove(more.run);
    }

    /// How many moves queued operation `id`, a run, stands for.
    pub(super) fn moves_left(&self, id: OpId) -> u32 {
        self.runs[self.ops.more(id).run as usize].left().len() as u32
    }

    /// The first page and the number of pages that run `id` programs.
    pub(super) fn programs_of_run(&self, id: OpId) -> (u32, u32) {
        let left = self.runs[self.ops.more(id).run as usize].left();
        (u32::from(left[0].to), left.len() as u32)
    }

    /// Takes the first of the next `window` moves of run `id` that reads `page`, if there is one.
    pub(super) fn take_read_of(&mut self, id: OpId, page: u16, window: u32) -> OpId {
        let left = self.runs[self.ops.more(id).run as usize].left();
        let place = left.iter().take(window as usize).position(|move_| move_.from == page);
        let Some(place) = place else { return OpId::NONE };
        if place > 0 {
            self.split_run(id, place);
        }
        self.take(id)
    }

    /// Makes a run of its own of the first `count` moves of run `id`, right before it.
    #[cold]
    fn split_run(&mut self, id: OpId, count: usize) {
        let run = &mut self.runs[self.ops.more(id).run as usize];
        let (end, ahead) = (run.moves[run.moves.len() - 1], run.left().len() - count);
        let (next, split) = (run.next, run.next + count);
        let (moves, ends_ns) = (run.moves[..split].to_vec(), run.ends_ns[..split].to_vec());
        run.next = split;
        let front = self.insert_before(id, ahead as u64, &moves[split - 1], &end);
        if ahead == 1 {
            self.end_run(id);
        }
        if count > 1 {
            let index = self.runs.insert(Run { moves, ends_ns, next });
            let (op, more) = self.ops.both_mut(front);
            op.mark_run();
            more.run = index;
        }
        self.link_part(front, id);
    }
}
