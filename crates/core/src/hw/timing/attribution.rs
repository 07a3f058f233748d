//! Where the time of requests goes: what their operations waited for, and behind what.
//!
//! An operation has a path only once there is more to tell of it than its own times.

use super::engine::Timing;
use super::ids::OpId;
use super::ops::PATH;
use crate::base::op::CAUSES;

/// Waiting for the channel.
pub const WAIT_CHANNEL: usize = CAUSES;
/// Waiting in an idle unit for an earlier operation of the block, which itself waits.
pub const WAIT_ORDER: usize = CAUSES + 1;
/// Waiting for the reads or the program that an operation's data come from.
pub const WAIT_SOURCE: usize = CAUSES + 2;
/// Being suspended.
pub const WAIT_SUSPENDED: usize = CAUSES + 3;
/// Waiting for the disk to be awake.
pub const WAIT_SPIN_UP: usize = CAUSES + 4;
/// Being served by the disk: the way of head and platter. As much of it as there is follows only from
/// the moment it starts, so that it is booked beside the waiting.
pub const DISK_POSITIONING: usize = CAUSES + 5;
/// Being served by the disk: the transfer.
pub const DISK_TRANSFER: usize = CAUSES + 6;
/// Kinds of waiting: behind each cause, and those above.
pub const WAIT_KINDS: usize = CAUSES + 7;

/// Waiting time by what occupied the resource, and service by the disk, ns.
pub type WaitTime = [u64; WAIT_KINDS];

/// What a unit had done at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Snapshot {
    /// Busy by cause, ns.
    busy_ns: [u64; CAUSES],
    /// Waiting for the channel, ns.
    wished_ns: u64,
    /// For operations of the request of the one that waits (index into the accounts, 0 = it has no account).
    own: u32,
}

/// What came before the own times of an operation that a request waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path {
    /// Array time, ns.
    pub(super) array_ns: u64,
    /// Channel time, ns.
    pub(super) bus_ns: u64,
    pub(super) wait: WaitTime,
}

impl Timing {
    /// Whether nothing is kept of what operations and requests waited for.
    pub fn has_no_paths(&self) -> bool {
        self.paths.is_empty() && self.snapshots.is_empty() && self.accounts.is_empty()
    }

    /// The waiting on path `index`.
    #[inline]
    pub(super) fn wait_on(&self, index: u32) -> &WaitTime {
        &self.paths[index as usize].wait
    }

    /// The path of an operation, to add to.
    pub(super) fn path_mut(&mut self, id: OpId) -> &mut Path {
        let (op, more) = self.ops.both_mut(id);
        if !op.has(PATH) {
            op.set(PATH);
            more.path = self.paths.insert(Path::default());
        }
        &mut self.paths[more.path as usize]
    }

    /// Books waiting of `id` for `kind`, one of the kinds above, if a request waits for it.
    #[inline(always)]
    pub(super) fn add_wait(&mut self, id: OpId, kind: usize, ns: u64) {
        if ns > 0 && !self.ops[id].request.is_none() {
            self.path_mut(id).wait[kind] += ns;
        }
    }

    /// Books what `id` takes longer because the command takes other operations along.
    pub(super) fn add_company(&mut self, id: OpId, array_ns: u64, bus_ns: u64) {
        if array_ns + bus_ns > 0 && !self.ops[id].request.is_none() {
            let path = self.path_mut(id);
            path.array_ns += array_ns;
            path.bus_ns += bus_ns;
        }
    }

    /// Remembers what the unit had done when `id` was queued, to tell later what it waited for.
    pub(super) fn snapshot(&mut self, id: OpId) {
        let own = self.own_until_now(id);
        let unit = &self.units[self.ops[id].unit as usize];
        let (mut busy_ns, mut wished_ns) = (unit.busy_ns, unit.wished_ns);
        if !unit.current.is_none() {
            // The part of the running operation that is over is not waited for.
            let cause = self.ops[unit.current].cause as usize;
            busy_ns[cause] += self.clock.now_ns() - unit.started_ns;
        }
        if unit.wishes {
            wished_ns += self.clock.now_ns() - unit.wish_ns;
        }
        debug_assert!(self.ops.more(id).before == 0, "Invariant: one snapshot for an operation");
        self.ops.more_mut(id).before = self.snapshots.insert(Snapshot { busy_ns, wished_ns, own });
    }

    /// Another operation than the one that found the unit idle starts first, after `channel_ns` of
    /// waiting for the channel: what the unit had done until then is what it had done by then.
    #[cold]
    pub(super) fn snapshot_first(&mut self, first: OpId, channel_ns: u64) {
        self.snapshot(first);
        let before = self.ops.more(first).before as usize;
        self.snapshots[before].wished_ns -= channel_ns;
    }

    /// Books the time `id`, which was queued, waited before it starts now, if a request waits for it;
    /// `channel_ns` of it for the channel if it found the unit idle.
    #[inline(always)]
    pub(super) fn book_wait(&mut self, id: OpId, channel_ns: u64) {
        if self.ops[id].request.is_none() {
            return;
        }
        let before = std::mem::take(&mut self.ops.more_mut(id).before);
        if self.ops[id].queued_ns != self.clock.now_ns() {
            self.book_waited(id, channel_ns, before);
        }
        if before != 0 {
            self.forget_snapshot(before);
        }
    }

    #[inline(always)]
    fn forget_snapshot(&mut self, before: u32) {
        let own = self.snapshots[before as usize].own;
        if own != 0 {
            self.accounts.remove(own);
        }
        self.snapshots.remove(before);
    }

    fn book_waited(&mut self, id: OpId, channel_ns: u64, before: u32) {
        self.path_mut(id);
        let mut left_ns = self.clock.now_ns() - self.ops[id].queued_ns;
        let own_ns = match before != 0 && self.has_accounts(self.ops[id].request) {
            true => self.book_own(id, self.snapshots[before as usize].own, &mut left_ns),
            false => [0; CAUSES],
        };
        let op = &self.ops[id];
        let unit = &self.units[op.unit as usize];
        // What the disk takes its time for before it serves is to be awake.
        let channel = if op.unit == self.disk_unit { WAIT_SPIN_UP } else { WAIT_CHANNEL };
        let path = &mut self.paths[self.ops.more(id).path as usize];
        let mut channel_ns = channel_ns;
        if before != 0 {
            let before = &self.snapshots[before as usize];
            let causes = unit.busy_ns.iter().zip(&before.busy_ns).zip(own_ns).zip(&mut path.wait);
            for (((busy_ns, before_ns), own_ns), wait_ns) in causes {
                let ns = busy_ns.saturating_sub(before_ns + own_ns).min(left_ns);
                *wait_ns += ns;
                left_ns -= ns;
            }
            channel_ns = unit.wished_ns.saturating_sub(before.wished_ns);
        }
        let ns = channel_ns.min(left_ns);
        path.wait[channel] += ns;
        path.wait[WAIT_ORDER] += left_ns - ns;
    }

    /// Array and channel time on the path that ends with `id`, its own included, ns.
    #[inline(always)]
    pub(super) fn path_times(&self, id: OpId) -> (u64, u64) {
        let op = &self.ops[id];
        let own = (u64::from(op.array_ns), op.bus_ns());
        if !op.has(PATH) {
            return own;
        }
        let path = &self.paths[self.ops.more(id).path as usize];
        (own.0 + path.array_ns, own.1 + path.bus_ns)
    }

    /// Hands the path of a finished read on to the operation of the same request that waited for it.
    pub(super) fn pass_path(&mut self, from: OpId, to: OpId) {
        let (array_ns, bus_ns) = self.path_times(from);
        let wait = match self.ops[from].has(PATH) {
            true => *self.wait_on(self.ops.more(from).path),
            false => [0; WAIT_KINDS],
        };
        *self.path_mut(to) = Path { array_ns, bus_ns, wait };
        // The path explains everything until now.
        self.ops[to].queued_ns = self.clock.now_ns();
    }
}
