//! What a request's own operations do on one unit, for those of its others that wait there meanwhile.
//!
//! Waiting behind an operation of one's own request is that operation's work: array, transfer, the way of
//! the disk's head. An account is kept only where a request has several operations on a unit.

use super::super::ops::Ops;
use super::super::spec::{OpId, RequestId};
use super::table::Requests;
use super::waits::{Own, WorkParts, DISK_POSITIONING, DISK_TRANSFER, RETRY, WAIT_CHANNEL};
use crate::base::op::CAUSES;

impl Requests {
    /// Notes that `request` has an operation on `unit`, for which it is held if that `counts`: from the second
    /// one on a unit on there is an account.
    #[inline(always)]
    pub fn note_operation(&mut self, request: RequestId, unit: u32, counts: bool) {
        if self.table[request.index()].join(unit, counts) {
            self.open_account(request, unit);
        }
    }

    #[inline(never)]
    fn open_account(&mut self, request: RequestId, unit: u32) {
        if self.account(request, unit) == 0 {
            let next = self.table[request.index()].accounts;
            let account = self.accounts.insert(Own { unit, next, ..Own::default() });
            self.table[request.index()].accounts = account;
        }
    }

    /// The account of `request` on `unit`; 0 if there is none.
    pub fn account(&self, request: RequestId, unit: u32) -> u32 {
        let mut account = self.table[request.index()].accounts;
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

    /// Adds the work of a command that ends, or pauses, on `unit` to the account of `request`, if it has one.
    pub fn add_own(&mut self, request: RequestId, unit: u32, at_ns: u64, cause: usize, parts_ns: &WorkParts) {
        let account = self.account(request, unit);
        if account != 0 {
            let account = &mut self.accounts[account as usize];
            if account.counted_ns.replace(at_ns) != Some(at_ns) {
                account.add(cause, parts_ns);
            }
        }
    }

    /// A copy of an account beside a snapshot, with what the command at work, of this cause, has done if it is the
    /// request's.
    pub fn copy_account(&mut self, account: u32, at_work: Option<(usize, WorkParts)>) -> u32 {
        let mut own = self.accounts[account as usize];
        if let Some((cause, parts_ns)) = at_work {
            own.add(cause, &parts_ns);
        }
        self.accounts.insert(own)
    }

    /// Books on the path of `id` what its request's own operations did on its unit since `before`, at most
    /// `left_ns`, which becomes less; hands back for how long each cause was busy with it.
    #[inline(never)]
    pub(super) fn book_own(
        &mut self,
        ops: &mut Ops,
        id: OpId,
        before: u32,
        left_ns: &mut u64,
    ) -> [u64; CAUSES] {
        let account = self.account(ops[id].request, ops[id].unit);
        let (now, before) = (self.accounts[account as usize], self.accounts[before as usize]);
        let mut parts_ns = WorkParts::default();
        for (part, ns) in parts_ns.iter_mut().enumerate() {
            *ns = now.parts_ns[part].saturating_sub(before.parts_ns[part]).min(*left_ns);
            *left_ns -= *ns;
        }
        let [array_ns, bus_ns, channel_ns, positioning_ns, transfer_ns, retry_ns] = parts_ns;
        let path = self.path_mut(ops, id);
        path.array_ns += array_ns as i64;
        path.bus_ns += bus_ns as i64;
        path.wait[WAIT_CHANNEL] += channel_ns;
        path.wait[DISK_POSITIONING] += positioning_ns;
        path.wait[DISK_TRANSFER] += transfer_ns;
        path.wait[RETRY] += retry_ns;
        std::array::from_fn(|cause| now.busy_ns[cause].saturating_sub(before.busy_ns[cause]))
    }
}
