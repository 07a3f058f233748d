//! What operations wait for, and in which order those of a block come.

use super::super::spec::OpId;
use super::op::{FOLLOWS, HELD};
use super::table::Ops;
use crate::base::op::OpKind;
use crate::base::BlockId;

impl Ops {
    /// Whether the operation emitted as `id` with `serial` is not complete.
    #[inline]
    pub fn is_in_flight(&self, id: OpId, serial: u64) -> bool {
        self[id].serial == serial
    }

    /// Makes the end of `first` one of those that `then` has counted in its `deps`.
    #[inline]
    pub fn wake(&mut self, first: OpId, then: OpId) {
        debug_assert!(!first.is_none() && !then.is_none());
        let further = if self[first].wakes.is_none() {
            self[first].wakes = then;
            0
        } else {
            self.links.insert((then, self.more(first).wakes))
        };
        self.more_mut(first).wakes = further;
        let link = (first, self[first].serial, self.more(then).sources);
        self.more_mut(then).sources = self.sources.insert(link);
    }

    /// The operation of a link, which is given back, and the link behind it.
    #[inline(always)]
    pub fn take_link(&mut self, link: u32) -> (OpId, u32) {
        let taken = self.links[link as usize];
        self.links.remove(link);
        taken
    }

    /// One thing less that `id` waits for; whether it was the last.
    #[inline(always)]
    pub fn fulfil(&mut self, id: OpId) -> bool {
        debug_assert!(!id.is_none());
        let (op, more) = self.both_mut(id);
        more.deps -= 1;
        if more.deps > 0 {
            return false;
        }
        op.clear(HELD);
        self.forget_sources(id);
        true
    }

    /// Adds the operations in flight that `id` waits for.
    pub fn add_waited_for(&self, id: OpId, work: &mut Vec<OpId>) {
        let mut link = self.more(id).sources;
        while link != 0 {
            let (source, serial, next) = self.sources[link as usize];
            // A source may be complete and its number in use again.
            if self.is_in_flight(source, serial) {
                work.push(source);
            }
            link = next;
        }
    }

    #[inline(always)]
    fn forget_sources(&mut self, id: OpId) {
        let mut link = std::mem::take(&mut self.more_mut(id).sources);
        while link != 0 {
            let (_, _, next) = self.sources[link as usize];
            self.sources.remove(link);
            link = next;
        }
    }

    /// Order (a): `id` follows `prev` in its block.
    pub fn follow(&mut self, id: OpId, prev: OpId) {
        self.more_mut(id).block_prev = prev;
        self[prev].block_next = id;
    }

    /// The program in flight that covers `page` of `block`, if any; of a run, where there are no stretches.
    pub fn program_of(&self, block: BlockId, page: u32) -> OpId {
        let mut id = self.blocks.last(block);
        while !id.is_none() {
            if self.programs(id).is_some_and(|(first, pages)| (first..first + pages).contains(&page)) {
                return id;
            }
            id = self.block_prev(id);
        }
        id
    }

    /// The first page and the number of pages that `id` programs, now or after its read.
    #[inline]
    fn programs(&self, id: OpId) -> Option<(u32, u32)> {
        let op = &self[id];
        if op.is_run() {
            return Some(self.programs_of_run(id));
        }
        match self.then(id) {
            _ if op.kind.stores() => Some((u32::from(op.page), u32::from(op.pages))),
            Some(target) => Some((u32::from(target.page), 1)),
            None => None,
        }
    }

    /// Whether nothing keeps a queued operation from starting: the orders (a) and (b).
    #[inline(always)]
    pub fn startable(&self, id: OpId) -> bool {
        let op = &self[id];
        match op.kind {
            OpKind::Read => true,
            OpKind::Program | OpKind::Reprogram | OpKind::CopyBack => !op.has(FOLLOWS),
            OpKind::Erase => !op.has(FOLLOWS) && !self.blocks.is_read(op.block),
        }
    }
}
