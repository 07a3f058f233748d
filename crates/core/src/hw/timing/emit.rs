//! Emission, and what operations wait for.

use super::ids::OpId;
use super::op_table::Op;
use super::spec::OpSpec;
use super::Timing;
use crate::base::op::{Class, OpKind};
use crate::base::Gap;

impl Timing {
    /// Emits an operation that waits for those of `after`.
    #[inline(always)]
    pub fn emit(&mut self, spec: OpSpec, after: &[OpId]) -> OpId {
        let id = self.submit(spec, after.len() as u32);
        for &first in after {
            self.wake(first, id);
        }
        id
    }

    /// Emits a program that waits for those of `after` and for `release`; until then it rests, and
    /// requests may join it, which wait for `gap` meanwhile.
    pub fn emit_joint(&mut self, spec: OpSpec, gap: Gap, after: &[OpId]) -> OpId {
        let id = self.submit(spec, after.len() as u32 + 1);
        for &first in after {
            self.wake(first, id);
        }
        let op = &mut self.ops[id.index()];
        (op.joint, op.gap) = (true, gap);
        self.set_resting(id, true);
        id
    }

    /// Lets a joint operation go: no request joins it any more, and its path starts.
    pub fn release(&mut self, id: OpId) {
        self.set_resting(id, false);
        self.ops[id.index()].queued_ns = self.now_ns;
        self.fulfil(id);
    }

    /// Makes `id`, a joint operation not yet released, wait for `first` as well.
    pub fn add_source(&mut self, id: OpId, first: OpId) {
        assert!(!id.is_none() && !self.ops[id.index()].queued, "Invariant: what runs waits for nothing");
        self.ops[id.index()].deps += 1;
        self.wake(first, id);
    }

    /// Pages programmed by `id`.
    pub fn pages(&self, id: OpId) -> u32 {
        u32::from(self.ops[id.index()].spec.pages)
    }

    /// Adds a page to what `id`, a joint operation not yet released, programs.
    pub fn add_page(&mut self, id: OpId) {
        self.ops[id.index()].spec.pages += 1;
    }

    /// Lengthens the transfer of `id`, a joint operation not yet released, by data of `class`.
    pub fn add_transfer(&mut self, id: OpId, class: Class, ns: u32) {
        let spec = &mut self.ops[id.index()].spec;
        spec.class = spec.class.min(class);
        spec.in_ns += ns;
        self.load_ns[spec.unit as usize] += u64::from(ns);
    }

    /// Takes an operation in that waits for `deps` others and holds; with none it is queued.
    #[inline(always)]
    pub(super) fn submit(&mut self, spec: OpSpec, deps: u32) -> OpId {
        // 0 stands for an operation that is complete.
        self.serial += 1;
        let id = OpId(self.ops.take());
        // Inlined, the specification is never made but in the record.
        self.ops[id.index()] = Op::new(spec, self.serial, self.now_ns, deps);
        self.enter(id);
        id
    }

    #[inline(always)]
    fn enter(&mut self, id: OpId) {
        let op = &self.ops[id.index()];
        let OpSpec { unit, kind, block, class, counts, request, then, .. } = op.spec;
        let deps = op.deps;
        self.load_ns[unit as usize] += op.spec.service_ns();
        self.units[unit as usize].outstanding += 1;
        if counts {
            self.hold_request(request);
        }
        if let Some(target) = then {
            self.chain_in_block(id, target.block, class);
        } else if kind != OpKind::Read {
            self.chain_in_block(id, block, class);
        }
        if deps == 0 {
            self.enqueue(id);
        }
    }

    /// Makes the end of `first` one of those that `then` has counted in its `deps`.
    #[inline]
    pub(super) fn wake(&mut self, first: OpId, then: OpId) {
        debug_assert!(!first.is_none() && !then.is_none());
        let op = &mut self.ops[first.index()];
        if op.wakes.is_none() {
            op.wakes = then;
        } else {
            let link = self.op_links.insert((then, op.more_wakes));
            self.ops[first.index()].more_wakes = link;
        }
        let serial = self.ops[first.index()].serial;
        let link = self.source_links.insert((first, serial, self.ops[then.index()].sources));
        self.ops[then.index()].sources = link;
    }

    /// One thing less that `id` waits for; the last one queues it.
    #[inline(always)]
    pub(super) fn fulfil(&mut self, id: OpId) {
        debug_assert!(!id.is_none());
        let op = &mut self.ops[id.index()];
        op.deps -= 1;
        if op.deps == 0 {
            self.enqueue(id);
        }
    }

    /// Says whether `id` waits for nothing but its release: its unit is idle meanwhile. It need not
    /// be released, as pages of a wordline may never come unless idle work brings them.
    pub(super) fn set_resting(&mut self, id: OpId, resting: bool) {
        let op = &mut self.ops[id.index()];
        let before = std::mem::replace(&mut op.resting, resting);
        let unit = &mut self.units[op.spec.unit as usize];
        unit.resting = unit.resting + u32::from(resting) - u32::from(before);
    }

    /// Order (c): raises an operation and everything it waits for to at least `class`. Those that
    /// are queued join the new class in the order of their emission.
    pub fn raise(&mut self, id: OpId, class: Class) {
        let mut work = std::mem::take(&mut self.raising);
        let mut queued = std::mem::take(&mut self.raised);
        work.push(id);
        while let Some(id) = work.pop() {
            let op = &self.ops[id.index()];
            if op.spec.class <= class {
                continue;
            }
            if op.queued {
                queued.push((op.serial, id));
            }
            if !op.block_prev.is_none() {
                work.push(op.block_prev);
            }
            if op.deps > 0 {
                self.add_waited_for(id, &mut work);
            }
            if op.queued {
                self.unlink(id);
            }
            let op = &mut self.ops[id.index()];
            op.queued = false;
            op.spec.class = class;
        }
        queued.sort_unstable_by_key(|&(serial, _)| serial);
        for (_, id) in queued.drain(..) {
            self.ops[id.index()].queued = true;
            self.link(id);
            self.ready.push(self.ops[id.index()].spec.unit);
        }
        (self.raising, self.raised) = (work, queued);
    }

    /// Adds the operations in flight that `id` waits for.
    fn add_waited_for(&self, id: OpId, work: &mut Vec<OpId>) {
        let mut link = self.ops[id.index()].sources;
        while link != 0 {
            let (source, serial, next) = self.source_links[link as usize];
            // A source may be complete and its number in use again.
            if self.is_in_flight(source, serial) {
                work.push(source);
            }
            link = next;
        }
    }

    #[inline(always)]
    pub(super) fn forget_sources(&mut self, id: OpId) {
        let mut link = std::mem::take(&mut self.ops[id.index()].sources);
        while link != 0 {
            let (_, _, next) = self.source_links[link as usize];
            self.source_links.remove(link);
            link = next;
        }
    }
}
