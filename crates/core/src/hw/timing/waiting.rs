//! What operations wait for in their unit, told when they start from what it had done when they were queued.

use super::engine::Timing;
use super::ids::OpId;
use super::requests::{Snapshot, Waited, WAIT_CHANNEL, WAIT_SPIN_UP};

impl Timing {
    /// Whether nothing is kept of what operations and requests waited for.
    pub fn has_no_paths(&self) -> bool {
        self.requests.has_no_paths()
    }

    /// Notes how much of the times of `id`, a read just emitted, is for repeating it, if a request waits for it.
    pub fn note_retry(&mut self, id: OpId, array_ns: u32, bus_ns: u32) {
        if array_ns + bus_ns > 0 && !self.ops[id].request.is_none() {
            self.requests.note_retry(&mut self.ops, id, array_ns, bus_ns);
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
        self.ops.more_mut(id).before = self.requests.keep_snapshot(Snapshot { busy_ns, wished_ns, own });
    }

    /// Another operation than the one that found the unit idle starts first, after `channel_ns` of
    /// waiting for the channel: what the unit had done until then is what it had done by then.
    #[cold]
    pub(super) fn snapshot_first(&mut self, first: OpId, channel_ns: u64) {
        self.snapshot(first);
        let before = self.ops.more(first).before;
        self.requests.snapshot_mut(before).wished_ns -= channel_ns;
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
            self.requests.forget_snapshot(before);
        }
    }

    fn book_waited(&mut self, id: OpId, channel_ns: u64, before: u32) {
        let unit = self.ops[id].unit;
        // What the disk takes its time for before it serves is to be awake.
        let channel = if unit == self.disk_unit { WAIT_SPIN_UP } else { WAIT_CHANNEL };
        let ns = self.clock.now_ns() - self.ops[id].queued_ns;
        let waited = Waited { before, ns, channel_ns, channel };
        self.requests.book_waited(&mut self.ops, &self.units[unit as usize], id, waited);
    }
}
