//! Runs: the moves out of a block into another one, emitted as one operation.
//!
//! A run stands in its unit's queue, and in the order of the block programmed, for all its moves that
//! have not started: they are neighbours there, since they were emitted one after the other and nothing
//! comes between them. Each becomes an operation of its own when its turn comes, and what is left of the
//! run becomes its last move. So all happens as if each had been emitted alone, and the run's number
//! stands for the last of them. Where planes fold together each is emitted alone.

use super::super::spec::{MoveTarget, OpId};
use super::op::{Op, FOLLOWS, MOVES, QUEUED};
use super::table::Ops;

impl Ops {
    /// Makes `id`, which was emitted with the last of `moves`, the run of them all, the commands of each of which take
    /// `command_ns`; time on array and channel of those before the last, ns.
    pub fn begin_run(&mut self, id: OpId, moves: &[PageMove], command_ns: u32) -> u64 {
        let index = self.runs.take();
        let run = &mut self.runs[index as usize];
        run.fill(moves, command_ns);
        let ns = run.service_ns(moves.len() - 1);
        let (op, more) = self.both_mut(id);
        op.mark_run();
        more.run = index;
        ns
    }

    /// The moves of run `id`.
    #[inline(always)]
    pub fn run_of(&self, id: OpId) -> &Run {
        &self.runs[self.more(id).run as usize]
    }

    /// Leaves the first `count` moves of run `id` behind: their time on array and channel, that on the channel, and
    /// the page that the last of them programs.
    #[inline(always)]
    pub fn pass_moves(&mut self, id: OpId, count: usize) -> (u64, u64, u16) {
        let (op, more, runs) = self.with_runs(id);
        let run = &mut runs[more.run as usize];
        let ns = run.service_ns(count);
        let bus_ns = run.bus_ns(count, op, more.then);
        (ns, bus_ns, run.pass(count))
    }

    /// Takes the first move of a run, which is not its last, as an operation of its own.
    pub fn take_move(&mut self, id: OpId) -> OpId {
        let index = self.more(id).run;
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
        let (op, more) = self.both_mut(id);
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
        let taken = self.next_free();
        self.insert(taken, record);
        self.more_mut(id).block_prev = taken;
        let more = self.more_mut(taken);
        more.then = first.target(end, then);
        if follows {
            more.block_prev = prev;
            self[prev].block_next = taken;
        }
        taken
    }

    /// What is left of a run is its last move.
    pub fn end_run(&mut self, id: OpId) {
        let (op, more) = self.both_mut(id);
        op.pages = 1;
        let index = more.run;
        self.runs.remove(index);
    }

    /// How many moves queued operation `id`, a run, stands for.
    pub fn moves_left(&self, id: OpId) -> u32 {
        self.run_of(id).left().len() as u32
    }

    /// The first page and the number of pages that run `id` programs.
    pub fn programs_of_run(&self, id: OpId) -> (u32, u32) {
        let left = self.run_of(id).left();
        (u32::from(left[0].to), left.len() as u32)
    }

    /// Makes a run of its own of the first `count` moves of run `id`, right before it.
    #[cold]
    pub fn split_run(&mut self, id: OpId, count: usize) -> OpId {
        let index = self.more(id).run;
        let run = &mut self.runs[index as usize];
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
            let (op, more) = self.both_mut(front);
            op.mark_run();
            more.run = index;
        }
        front
    }
}

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
pub struct Run {
    pub(super) moves: Vec<PageMove>,
    /// When each ends, counted from the begin of the first, where they follow each other, ns.
    pub(super) ends_ns: Vec<u64>,
    /// The first that has not started.
    pub(super) next: usize,
}

impl Run {
    /// The moves that have not started.
    #[inline(always)]
    pub fn left(&self) -> &[PageMove] {
        &self.moves[self.next..]
    }

    /// The end of the moves before those that are left, ns.
    #[inline(always)]
    fn begin_ns(&self) -> u64 {
        self.next.checked_sub(1).map_or(0, |before| self.ends_ns[before])
    }

    /// Time on array and channel of the first `count` that are left, ns.
    #[inline(always)]
    pub fn service_ns(&self, count: usize) -> u64 {
        match count {
            0 => 0,
            _ => self.ends_ns[self.next + count - 1] - self.begin_ns(),
        }
    }

    /// How many of those that are left end when `is_over`, asked with a time from the begin of the first
    /// of them, ns.
    pub fn ended(&self, is_over: impl Fn(u64) -> bool) -> usize {
        let begin_ns = self.begin_ns();
        self.ends_ns[self.next..].partition_point(|&end_ns| is_over(end_ns - begin_ns))
    }

    /// Channel time of the first `count` that are left; `op` is the last of the run, ns.
    pub fn bus_ns(&self, count: usize, op: &Op, then: MoveTarget) -> u64 {
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
    pub fn read_and_transfer_ns(&self, count: usize, op: &Op, then: MoveTarget) -> (u64, u64) {
        let page = &self.left()[count];
        let (read_ns, program_ns) = self.command_ns(op, then);
        let transfer_ns = u64::from(page.transfer_ns);
        (read_ns + u64::from(page.read_ns) + transfer_ns, program_ns + transfer_ns)
    }

    /// Makes it these moves, the commands of each of which take `command_ns`.
    pub(super) fn fill(&mut self, moves: &[PageMove], command_ns: u32) {
        self.next = 0;
        self.moves.clear();
        self.moves.extend_from_slice(moves);
        self.ends_ns.clear();
        self.ends_ns.extend(moves.iter().scan(0, |end_ns, page| {
            *end_ns += page.service_ns() + u64::from(command_ns);
            Some(*end_ns)
        }));
    }

    /// Leaves `count` moves behind; returns the page that the last of them programs.
    pub fn pass(&mut self, count: usize) -> u16 {
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
    pub fn target(&self, other: &PageMove, then: MoveTarget) -> MoveTarget {
        let in_ns = then.in_ns - other.transfer_ns + self.transfer_ns;
        MoveTarget { page: self.to, array_ns: self.program_ns, in_ns, ..then }
    }
}
