//! What a request's own operations do on one unit, for those of its others that wait there meanwhile.
//!
//! Waiting behind an operation of one's own request is that operation's work: array, transfer, the way of
//! the disk's head. An account is kept only where a request has several operations on a unit.

use super::attribution::{DISK_POSITIONING, DISK_TRANSFER, WAIT_CHANNEL};
use super::engine::Timing;
use super::ids::{OpId, RequestId};
use super::unit::Phase;
use crate::base::op::{OpKind, CAUSES};

/// Time for which a unit was at work, ns: in the array, on the channel, waiting for the channel, on the
/// way of the disk's head and platter, and in the disk's transfer.
type Parts = [u64; 5];

/// What the operations of one request have done so far on one unit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    unit: u32,
    /// The request's account of another unit (0: none).
    next: u32,
    /// When the command counted last had ended, ns: several of its operations may be the request's.
    counted_ns: Option<u64>,
    /// Time at work by the cause under which the unit books it, ns.
    busy_ns: [u64; CAUSES],
    parts_ns: Parts,
}

impl Timing {
    /// Notes that `request` has an operation on `unit`: from the second one on there is an account.
    #[inline(always)]
    pub(super) fn note_unit(&mut self, request: RequestId, unit: u32) {
        if self.requests[request.index()].visit(unit) {
            self.open_account(request, unit);
        }
    }

    #[inline(never)]
    fn open_account(&mut self, request: RequestId, unit: u32) {
        if self.account(request, unit) == 0 {
            let next = self.requests[request.index()].accounts;
            let account = self.accounts.insert(Own { unit, next, ..Own::default() });
            self.requests[request.index()].accounts = account;
        }
    }

    /// The account of `request` on `unit`; 0 if there is none.
    fn account(&self, request: RequestId, unit: u32) -> u32 {
        let mut account = self.requests[request.index()].accounts;
        while account != 0 && self.accounts[account as usize].unit != unit {
            account = self.accounts[account as usize].next;
        }
        account
    }

    /// Closes the accounts of a finished request.
    #[inline(never)]
    pub(super) fn close_accounts(&mut self, mut account: u32) {
        while account != 0 {
            let next = self.accounts[account as usize].next;
            self.accounts.remove(account);
            account = next;
        }
    }

    /// Adds the work of the command that ends, or pauses, in `unit` to the accounts of its requests.
    #[inline(never)]
    pub(super) fn count_own(&mut self, unit: u32) {
        let (mut mate, parts_ns) = (self.units[unit as usize].current, self.parts_now(unit));
        while !mate.is_none() {
            let account = self.account(self.ops[mate].request, unit);
            if account != 0 {
                let account = &mut self.accounts[account as usize];
                if account.counted_ns.replace(self.clock.now_ns()) != Some(self.clock.now_ns()) {
                    let cause = self.ops[self.units[unit as usize].current].cause;
                    account.add(cause as usize, &parts_ns);
                }
            }
            mate = self.ops[mate].next;
        }
    }

    /// What the operations of the request of `id` have done by now on its unit, the part that is over of
    /// the one at work included: a record beside a snapshot (0: they have no account).
    pub(super) fn own_until_now(&mut self, id: OpId) -> u32 {
        let (request, unit) = (self.ops[id].request, self.ops[id].unit);
        let account = self.account(request, unit);
        if account == 0 {
            return 0;
        }
        let mut own = self.accounts[account as usize];
        let current = self.units[unit as usize].current;
        let mut mate = current;
        while !mate.is_none() && self.ops[mate].request != request {
            mate = self.ops[mate].next;
        }
        if !mate.is_none() {
            own.add(self.ops[current].cause as usize, &self.parts_now(unit));
        }
        self.accounts.insert(own)
    }

    /// Books on the path of `id` what its request's own operations did on its unit since `before`, at most
    /// `left_ns`, which becomes less; hands back for how long each cause was busy with it.
    #[inline(never)]
    pub(super) fn book_own(&mut self, id: OpId, before: u32, left_ns: &mut u64) -> [u64; CAUSES] {
        let account = self.account(self.ops[id].request, self.ops[id].unit);
        let (now, before) = (self.accounts[account as usize], self.accounts[before as usize]);
        let mut parts_ns = Parts::default();
        for (part, ns) in parts_ns.iter_mut().enumerate() {
            *ns = now.parts_ns[part].saturating_sub(before.parts_ns[part]).min(*left_ns);
            *left_ns -= *ns;
        }
        let [array_ns, bus_ns, channel_ns, positioning_ns, transfer_ns] = parts_ns;
        let path = self.path_mut(id);
        path.array_ns += array_ns;
        path.bus_ns += bus_ns;
        path.wait[WAIT_CHANNEL] += channel_ns;
        path.wait[DISK_POSITIONING] += positioning_ns;
        path.wait[DISK_TRANSFER] += transfer_ns;
        std::array::from_fn(|cause| now.busy_ns[cause].saturating_sub(before.busy_ns[cause]))
    }

    /// The parts of what the command at work in `unit` has done since it started, or went on.
    fn parts_now(&self, unit: u32) -> Parts {
        let u = &self.units[unit as usize];
        let over_ns = self.clock.now_ns() - u.started_ns;
        if u.phase == Phase::Disk {
            let transfer_ns = self.clock.now_ns().saturating_sub(u.read_end_ns);
            return [0, 0, 0, over_ns - transfer_ns, transfer_ns];
        }
        let (in_ns, array_ns, out_ns) = self.command_times(unit, u.current);
        let is_read = self.ops[u.current].kind == OpKind::Read;
        // What goes on after a pause has its data.
        let pauses = u32::from(u.phase == Phase::Suspending);
        let goes_on = !is_read && u.suspends > pauses;
        let in_ns = if goes_on { 0 } else { u64::from(in_ns).min(over_ns) };
        if !is_read {
            return [over_ns - in_ns, in_ns, 0, 0, 0];
        }
        let crosses = matches!(u.phase, Phase::Out | Phase::Read);
        let out_ns =
            if crosses { u64::from(out_ns).saturating_sub(u.until_ns - self.clock.now_ns()) } else { 0 };
        let array_ns = u64::from(array_ns).min(over_ns - in_ns - out_ns);
        [array_ns, in_ns + out_ns, over_ns - in_ns - array_ns - out_ns, 0, 0]
    }
}

impl Own {
    fn add(&mut self, cause: usize, parts_ns: &Parts) {
        self.busy_ns[cause] += parts_ns.iter().sum::<u64>();
        for (sum_ns, ns) in self.parts_ns.iter_mut().zip(parts_ns) {
            *sum_ns += ns;
        }
    }
}
