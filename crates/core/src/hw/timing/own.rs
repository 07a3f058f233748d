//! The work of a request's own operations: what the command of a unit has done by now.

use super::engine::Timing;
use super::ids::OpId;
use super::requests::Parts;
use super::unit::Phase;
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
    fn parts_now(&self, unit: u32) -> Parts {
        let u = &self.units[unit as usize];
        let over_ns = self.clock.now_ns() - u.started_ns;
        if u.phase == Phase::Disk {
            let transfer_ns = self.clock.now_ns().saturating_sub(u.read_end_ns);
            return [0, 0, 0, over_ns - transfer_ns, transfer_ns, 0];
        }
        let (in_ns, array_ns, out_ns) = self.command_times(unit, u.current);
        let is_read = self.ops[u.current].kind == OpKind::Read;
        // What goes on after a pause has its data.
        let pauses = u32::from(u.phase == Phase::Suspending);
        let goes_on = !is_read && u.suspends > pauses;
        let in_ns = if goes_on { 0 } else { u64::from(in_ns).min(over_ns) };
        if !is_read {
            return [over_ns - in_ns, in_ns, 0, 0, 0, 0];
        }
        let crosses = matches!(u.phase, Phase::Out | Phase::Read);
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
