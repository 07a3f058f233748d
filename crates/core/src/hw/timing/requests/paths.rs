//! Where the time of requests goes: what their operations waited for, and behind what.
//!
//! An operation has a path only once there is more to tell of it than its own times.

use super::super::ops::{Ops, PATH};
use super::super::spec::OpId;
use super::super::unit::Unit;
use super::table::Requests;
use super::waits::{Path, Snapshot, WaitTime, Waited, WAIT_ORDER};
use crate::base::op::CAUSES;

impl Requests {
    /// Whether nothing is kept of what operations and requests waited for.
    pub fn has_no_paths(&self) -> bool {
        self.paths.is_empty() && self.snapshots.is_empty() && self.accounts.is_empty()
    }

    #[inline]
    pub(super) fn wait_on(&self, index: u32) -> &WaitTime {
        &self.paths[index as usize].wait
    }

    /// The path of an operation, to add to.
    pub fn path_mut(&mut self, ops: &mut Ops, id: OpId) -> &mut Path {
        let (op, more) = ops.both_mut(id);
        if !op.has(PATH) {
            op.set(PATH);
            more.path = self.paths.insert(Path::default());
        }
        &mut self.paths[more.path as usize]
    }

    /// Books waiting of `id` for `kind`, one of the kinds of waiting, if a request waits for it.
    #[inline(always)]
    pub fn add_wait(&mut self, ops: &mut Ops, id: OpId, kind: usize, ns: u64) {
        if ns > 0 && !ops[id].request.is_none() {
            self.path_mut(ops, id).wait[kind] += ns;
        }
    }

    /// Books what `id` takes longer because the command takes other operations along.
    pub fn add_company(&mut self, ops: &mut Ops, id: OpId, array_ns: u64, bus_ns: u64) {
        if array_ns + bus_ns > 0 && !ops[id].request.is_none() {
            let path = self.path_mut(ops, id);
            path.array_ns += array_ns as i64;
            path.bus_ns += bus_ns as i64;
        }
    }

    /// Remembers what a unit had done; the number by which it is asked for.
    pub fn keep_snapshot(&mut self, snapshot: Snapshot) -> u32 {
        self.snapshots.insert(snapshot)
    }

    /// What a unit had done, to correct.
    pub fn snapshot_mut(&mut self, before: u32) -> &mut Snapshot {
        &mut self.snapshots[before as usize]
    }

    /// Forgets what a unit had done.
    #[inline(always)]
    pub fn forget_snapshot(&mut self, before: u32) {
        let own = self.snapshots[before as usize].own;
        if own != 0 {
            self.accounts.remove(own);
        }
        self.snapshots.remove(before);
    }

    /// Asks for what the start of an operation will look at.
    #[inline(always)]
    pub fn prefetch(&self, before: u32, request: u32) {
        self.snapshots.prefetch(before);
        self.table.prefetch(request);
    }

    /// Books what `id` waited for until it starts now in `unit`.
    pub fn book_waited(&mut self, ops: &mut Ops, unit: &Unit, id: OpId, waited: Waited) {
        self.path_mut(ops, id);
        let Waited { before, ns: mut left_ns, mut channel_ns, channel } = waited;
        let own_ns = match before != 0 && self.has_accounts(ops[id].request) {
            true => self.book_own(ops, id, self.snapshots[before as usize].own, &mut left_ns),
            false => [0; CAUSES],
        };
        let path = &mut self.paths[ops.more(id).path as usize];
        if before != 0 {
            let before = &self.snapshots[before as usize];
            let causes = unit.busy_ns.iter().zip(&before.busy_ns).zip(own_ns).zip(&mut path.wait);
            for (((busy_ns, before_ns), own_ns), wait_ns) in causes {
                let ns = busy_ns.saturating_sub(before_ns + own_ns).min(left_ns);
                *wait_ns += ns;
                left_ns -= ns;
                if left_ns == 0 {
                    break;
                }
            }
            channel_ns = unit.wished_ns.saturating_sub(before.wished_ns);
        }
        let ns = channel_ns.min(left_ns);
        path.wait[channel] += ns;
        path.wait[WAIT_ORDER] += left_ns - ns;
    }

    /// Forgets the path of an operation that is complete.
    pub fn drop_path(&mut self, index: u32) {
        self.paths.remove(index);
    }

    /// Array and channel time on the path that ends with `id`, its own included, without repetitions, ns.
    #[inline(always)]
    pub(super) fn path_times(&self, ops: &Ops, id: OpId) -> (u64, u64) {
        let op = &ops[id];
        let own = (u64::from(op.array_ns), op.bus_ns());
        if !op.has(PATH) {
            return own;
        }
        let path = &self.paths[ops.more(id).path as usize];
        (own.0.wrapping_add_signed(path.array_ns), own.1.wrapping_add_signed(path.bus_ns))
    }

    /// Books how much of the times of `id`, a read just emitted, is for repeating it.
    pub fn note_retry(&mut self, ops: &mut Ops, id: OpId, array_ns: u32, bus_ns: u32) {
        self.repeats = true;
        self.path_mut(ops, id).repeat((array_ns, bus_ns));
    }

    /// How much of the times of `id` is for repeating its read, in the array and on the channel, ns.
    pub fn own_retry_ns(&self, ops: &Ops, id: OpId) -> (u32, u32) {
        match ops[id].has(PATH) {
            true => self.paths[ops.more(id).path as usize].own_retry_ns,
            false => (0, 0),
        }
    }

    /// Notes that `id`, which waits for nothing more, had waited for the end of `source`.
    #[inline]
    pub fn note_source(&mut self, ops: &Ops, id: OpId, source: OpId) {
        if ops[id].has(PATH) {
            self.paths[ops.more(id).path as usize].source = Some(ops[source].cause);
        }
    }

    /// Hands the path of a read that ends now on to the operation of the same request that waited for it.
    pub fn pass_path(&mut self, ops: &mut Ops, from: OpId, to: OpId, now_ns: u64) {
        if self.repeats {
            return self.pass_path_to_repeated(ops, from, to, now_ns);
        }
        self.hand_on(ops, from, to, now_ns);
    }

    /// What `to` itself repeats stays its own.
    #[cold]
    #[inline(never)]
    fn pass_path_to_repeated(&mut self, ops: &mut Ops, from: OpId, to: OpId, now_ns: u64) {
        let own_retry_ns = self.own_retry_ns(ops, to);
        self.hand_on(ops, from, to, now_ns);
        self.path_mut(ops, to).repeat(own_retry_ns);
    }

    #[inline(always)]
    fn hand_on(&mut self, ops: &mut Ops, from: OpId, to: OpId, now_ns: u64) {
        let (array_ns, bus_ns) = self.path_times(ops, from);
        let path = match ops[from].has(PATH) {
            true => self.paths[ops.more(from).path as usize],
            false => Path::default(),
        };
        *self.path_mut(ops, to) = Path { array_ns: array_ns as i64, bus_ns: bus_ns as i64, ..path };
        // The path explains everything until now.
        ops[to].queued_ns = now_ns;
    }
}
