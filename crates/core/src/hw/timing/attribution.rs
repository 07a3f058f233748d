//! Where the time of operations goes: what a request's own have done by now, and what they waited for.

use super::engine::Timing;
use super::requests::{Snapshot, Waited, WorkParts, WAIT_CHANNEL, WAIT_SPIN_UP};
use super::spec::OpId;
use super::unit::UnitPhase;
use crate::base::op::OpKind;

impl Timing {
    /// Adds the work of the command that ends, or pauses, in `unit` to the accounts of its requests.
    #[inline(never)]
    pub(super) fn count_own(&mut self, unit: u32) {
        let (mut mate, parts_ns) = (self.units[unit as usize].current, self.parts_now(unit));
        let (cause, now_ns) = (self.ops[mate].cause as usize, self.clock.now_ns());
        while !mate.is_none() {
            self.requests.add_own(self.ops[mate].request, unit, now_ns, cause, &parts_ns);
            mate = self.ops[mate].next;
        }
    }

    /// What the operations of the request of `id` have done by now on its unit, the part that is over of
    /// the one at work included: a record beside a snapshot (0: they have no account).
    pub(super) fn own_until_now(&mut self, id: OpId) -> u32 {
        let (request, unit) = (self.ops[id].request, self.ops[id].unit);
        let account = self.requests.account(request, unit);
        if account == 0 {
            return 0;
        }
        let current = self.units[unit as usize].current;
        let mut mate = current;
        while !mate.is_none() && self.ops[mate].request != request {
            mate = self.ops[mate].next;
        }
        let is_own = !mate.is_none();
        let at_work = is_own.then(|| (self.ops[current].cause as usize, self.parts_now(unit)));
        self.requests.copy_account(account, at_work)
    }

    /// The parts of what the command at work in `unit` has done since it started, or went on.
    fn parts_now(&self, unit: u32) -> WorkParts {
        let u = &self.units[unit as usize];
        let over_ns = self.clock.now_ns() - u.started_ns;
        if u.phase == UnitPhase::Disk {
            let transfer_ns = self.clock.now_ns().saturating_sub(u.read_end_ns);
            return [0, 0, 0, over_ns - transfer_ns, transfer_ns, 0];
        }
        let (in_ns, array_ns, out_ns) = self.command_times(unit, u.current);
        let is_read = self.ops[u.current].kind == OpKind::Read;
        // What goes on after a pause has its data.
        let pauses = u32::from(u.phase == UnitPhase::Suspending);
        let goes_on = !is_read && u.suspends > pauses;
        let in_ns = if goes_on { 0 } else { u64::from(in_ns).min(over_ns) };
        if !is_read {
            return [over_ns - in_ns, in_ns, 0, 0, 0, 0];
        }
        let crosses = matches!(u.phase, UnitPhase::Out | UnitPhase::Read);
        let out_ns =
            if crosses { u64::from(out_ns).saturating_sub(u.until_ns - self.clock.now_ns()) } else { 0 };
        let array_ns = u64::from(array_ns).min(over_ns - in_ns - out_ns);
        let channel_ns = over_ns - in_ns - array_ns - out_ns;
        if !self.requests.repeats() {
            return [array_ns, in_ns + out_ns, channel_ns, 0, 0, 0];
        }
        // What is done once comes first.
        let (once_array_ns, once_out_ns) = self.times_once(u.current);
        let (array_once_ns, out_once_ns) = (array_ns.min(once_array_ns), out_ns.min(once_out_ns));
        let retry_ns = array_ns - array_once_ns + out_ns - out_once_ns;
        [array_once_ns, in_ns + out_once_ns, channel_ns, 0, 0, retry_ns]
    }

    /// Array and data-out time of the command that begins with `id`, without repetitions, ns.
    fn times_once(&self, id: OpId) -> (u64, u64) {
        let (mut array_ns, mut out_ns, mut mate) = (0, 0, id);
        while !mate.is_none() {
            let (op, retry_ns) = (&self.ops[mate], self.requests.own_retry_ns(&self.ops, mate));
            array_ns = array_ns.max(u64::from(op.array_ns - retry_ns.0));
            out_ns += u64::from(op.out_ns - retry_ns.1);
            mate = op.next;
        }
        (array_ns, out_ns)
    }
}

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
