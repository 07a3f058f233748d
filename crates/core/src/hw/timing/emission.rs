//! Emission, and what operations wait for.

use super::engine::Timing;
use super::ops::{Op, FOLLOWS, HELD, JOINABLE, QUEUED};
use super::spec::{OpId, OpSpec, RequestId};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, Gap};

impl Timing {
    /// Emits an operation that waits for those of `after`.
    #[inline(always)]
    pub fn emit(&mut self, spec: OpSpec, after: &[OpId]) -> OpId {
        let id = self.submit(spec, after.len() as u32);
        for &first in after {
            self.ops.wake(first, id);
        }
        id
    }

    /// Emits a program that waits for those of `after` and for `release`; until then it rests, and
    /// requests may join it, which wait for `gap` meanwhile.
    pub fn emit_joinable(&mut self, spec: OpSpec, gap: Gap, after: &[OpId]) -> OpId {
        let id = self.submit(spec, after.len() as u32 + 1);
        for &first in after {
            self.ops.wake(first, id);
        }
        let (op, more) = self.ops.both_mut(id);
        op.set(JOINABLE);
        (more.resting, more.gap) = (false, gap);
        self.set_resting(id, true);
        id
    }

    /// Lets a joinable operation go: no request joins it any more, and its path starts.
    pub fn release(&mut self, id: OpId) {
        self.set_resting(id, false);
        self.ops[id].queued_ns = self.clock.now_ns();
        self.fulfil(id);
    }

    /// Makes `id`, a joinable operation not yet released, wait for `first` as well.
    pub fn add_source(&mut self, id: OpId, first: OpId) {
        assert!(!id.is_none() && self.ops[id].has(HELD), "Invariant: what runs waits for nothing");
        self.ops.more_mut(id).deps += 1;
        self.ops.wake(first, id);
    }

    /// Takes `id`, which is held, out of its request, which does not wait for it and may be over before it.
    pub fn leave_request(&mut self, id: OpId) {
        debug_assert!(self.ops[id].has(HELD), "Invariant: what is queued is booked for its request");
        self.ops[id].request = RequestId::NONE;
    }

    /// Whether `id` waits for other operations or for its release.
    #[inline]
    pub fn is_held(&self, id: OpId) -> bool {
        self.ops[id].has(HELD)
    }

    /// Whether `id` is a joinable operation that may wait for its release.
    pub fn is_joinable(&self, id: OpId) -> bool {
        self.ops[id].has(JOINABLE) && self.ops[id].has(HELD)
    }

    /// Whether an operation waits for the end of `id`.
    #[inline]
    pub fn is_awaited(&self, id: OpId) -> bool {
        !self.ops[id].wakes.is_none()
    }

    /// The block that `id` works on now.
    pub fn block_of(&self, id: OpId) -> BlockId {
        self.ops[id].block
    }

    /// What `id` is done for.
    pub fn cause(&self, id: OpId) -> Cause {
        self.ops[id].cause
    }

    /// Pages programmed by `id`.
    pub fn pages(&self, id: OpId) -> u32 {
        u32::from(self.ops[id].pages)
    }

    /// Adds a page to what `id`, a joinable operation not yet released, programs.
    pub fn add_page(&mut self, id: OpId) {
        self.ops[id].pages += 1;
    }

    /// Lengthens the transfer of `id`, a joinable operation not yet released, by data of `class`.
    pub fn add_transfer(&mut self, id: OpId, class: Class, ns: u32) {
        let op = &mut self.ops[id];
        op.class = op.class.min(class);
        op.in_ns += ns;
        self.units[op.unit as usize].load_ns += u64::from(ns);
    }

    /// Takes an operation in that waits for `deps` others and holds; with none it is queued.
    #[inline(always)]
    pub(super) fn submit(&mut self, spec: OpSpec, deps: u32) -> OpId {
        let serial = self.ops.count_emissions(1);
        let id = self.ops.next_free();
        let mut op = Op::new(&spec, serial, self.clock.now_ns());
        if deps > 0 {
            op.set(HELD);
        }
        let prev = match spec.then {
            Some(target) => self.ops.blocks.join(id, &mut op, target.block),
            None if spec.kind != OpKind::Read => self.ops.blocks.join(id, &mut op, spec.block),
            None => OpId::NONE,
        };
        self.ops.insert(id, op);
        if self.logged.is_some() {
            self.log_modes(id, &spec);
        }
        if deps > 0 {
            let more = self.ops.more_mut(id);
            (more.deps, more.sources) = (deps, 0);
        }
        if !spec.request.is_none() {
            self.requests.note_operation(spec.request, spec.unit, spec.counts);
        }
        if let Some(target) = spec.then {
            self.ops.more_mut(id).then = target;
        }
        if !prev.is_none() {
            self.follow(id, prev, spec.class);
        }
        let u = &mut self.units[spec.unit as usize];
        u.load_ns += spec.service_ns();
        u.outstanding += 1;
        if deps == 0 {
            self.place(id, &spec, prev);
        }
        id
    }

    /// Takes an operation that waits for no others to its unit, which may be free; `prev` is before it in its block.
    #[inline(always)]
    fn place(&mut self, id: OpId, spec: &OpSpec, prev: OpId) {
        let u = &mut self.units[spec.unit as usize];
        // Whether the block of an erase is being read is asked when its turn comes.
        let starts = prev.is_none() && spec.kind != OpKind::Erase;
        if starts && u.is_free() {
            u.pending = id;
            if !spec.request.is_none() {
                u.first = id;
            }
            if spec.kind == OpKind::Read {
                self.ops.blocks.begin_reads(spec.block, 1);
            }
            self.ready.push(spec.unit);
        } else {
            self.enqueue(id);
        }
    }

    /// Order (a): `id` follows `prev` in its block, and lends it its class.
    fn follow(&mut self, id: OpId, prev: OpId, class: Class) {
        self.ops.follow(id, prev);
        if self.ops[prev].class > class {
            self.raise(prev, class);
        }
    }

    /// One thing less that `id` waits for; the last one queues it.
    #[inline(always)]
    pub(super) fn fulfil(&mut self, id: OpId) {
        if self.ops.fulfil(id) {
            self.enqueue(id);
        }
    }

    /// Says whether `id` waits for nothing but its release: its unit is idle meanwhile. It need not
    /// be released, as pages of a wordline may never come unless idle work brings them.
    pub(super) fn set_resting(&mut self, id: OpId, resting: bool) {
        let (op, more) = self.ops.both_mut(id);
        let before = std::mem::replace(&mut more.resting, resting);
        let unit = &mut self.units[op.unit as usize];
        unit.resting = unit.resting + u32::from(resting) - u32::from(before);
    }

    /// Order (c): raises an operation and everything it waits for to at least `class`. Those that
    /// are queued join the new class in the order of their emission.
    pub fn raise(&mut self, id: OpId, class: Class) {
        let mut work = std::mem::take(&mut self.raising);
        let mut queued = std::mem::take(&mut self.raised);
        work.push(id);
        while let Some(id) = work.pop() {
            let op = &self.ops[id];
            if op.class <= class {
                continue;
            }
            let unit = op.unit;
            self.settle(unit);
            if self.units[unit as usize].pending == id {
                self.link_pending(unit);
            }
            let op = &self.ops[id];
            if op.has(FOLLOWS) {
                work.push(self.ops.more(id).block_prev);
            }
            if op.has(HELD) {
                self.ops.add_waited_for(id, &mut work);
            }
            if op.has(QUEUED) {
                queued.push((op.serial, id));
                self.unlink(id);
            }
            let op = &mut self.ops[id];
            op.clear(QUEUED);
            op.class = class;
        }
        self.link_raised(&mut queued);
        (self.raising, self.raised) = (work, queued);
    }

    /// Queues operations that were raised in the order of their serials.
    fn link_raised(&mut self, queued: &mut Vec<(u64, OpId)>) {
        queued.sort_unstable_by_key(|&(serial, _)| serial);
        for (_, id) in queued.drain(..) {
            self.ops[id].set(QUEUED);
            self.link(id);
            let unit = self.ops[id].unit;
            self.ready.push(unit);
            if self.ops[id].is_run() {
                // As after the emission of several.
                self.ready.push(unit);
            }
        }
    }
}
