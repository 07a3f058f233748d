//! The moves of a run, and their times.

use super::super::spec::MoveTarget;
use super::op::Op;

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
