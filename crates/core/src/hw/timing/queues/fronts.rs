//! The front of a long queue laid out side by side, where multi-plane commands look for what to take along.
//!
//! A search of the queue itself goes from one operation to the next, each of which has long left the caches
//! where many wait. The front is laid out once a search has seen as many as it may; what joins or leaves the
//! queue there does so in both. It holds no runs: with one among the first, the queue itself is searched.

use super::super::ops::Ops;
use super::super::spec::OpId;
use super::lists::Queues;
use crate::base::op::Class;

impl Queues {
    /// Whether the front of a queue is laid out in a window.
    #[inline(always)]
    pub fn has_window(&self, class: usize) -> bool {
        self.laid_out >> class & 1 == 1
    }

    #[cfg(test)]
    pub fn laid_out(&self, class: usize) -> &[OpId] {
        self.windows[class - Class::HostRead as usize].ids()
    }

    fn set_window(&mut self, class: usize, is_laid_out: bool) {
        self.laid_out = self.laid_out & !(1 << class) | u8::from(is_laid_out) << class;
    }

    /// Lays no fronts out: the tests' oracle.
    pub fn search_plainly(&mut self) {
        self.lays_out = false;
    }

    /// The window of a class of the host: only its operations take others along.
    #[inline(always)]
    fn window(&mut self, class: usize) -> &mut FrontWindow {
        debug_assert!(Class::HostWrite as usize == Class::HostRead as usize + 1);
        &mut self.windows[class - Class::HostRead as usize]
    }

    /// The operations on `page` among the first of a queue that is laid out, in their order; none where
    /// it no longer is.
    pub(super) fn in_window(&mut self, ops: &Ops, class: usize, page: u16) -> Option<[OpId; SIZE]> {
        if !self.fill_window(ops, class) {
            return None;
        }
        let window = self.window(class);
        let mut found = window.find(page);
        let mut ids = [OpId::NONE; SIZE];
        for id in &mut ids {
            if found == 0 {
                break;
            }
            *id = window.ids[found.trailing_zeros() as usize];
            found &= found - 1;
        }
        Some(ids)
    }

    /// Lays the front of a queue out; false where there is a run or nothing in it.
    pub(super) fn fill_window(&mut self, ops: &Ops, class: usize) -> bool {
        let queue_head = self.head(class);
        let window = &mut self.windows[class - Class::HostRead as usize];
        let mut next = match window.len {
            0 => queue_head,
            len => ops[window.ids[len - 1]].next,
        };
        while window.len < SIZE && !next.is_none() {
            let op = &ops[next];
            if op.is_run() {
                window.len = 0;
                break;
            }
            (window.ids[window.len], window.pages[window.len]) = (next, op.page);
            window.len += 1;
            next = op.next;
        }
        if !next.is_none() {
            // The next search goes one further.
            ops.prefetch(next);
        }
        let filled = window.len > 0;
        self.set_window(class, filled);
        filled
    }

    /// The first operation of a queue that is laid out leaves it.
    #[inline(always)]
    pub(super) fn unlinked_first(&mut self, class: usize) {
        let window = self.window(class);
        window.remove(0);
        if window.len == 0 {
            self.set_window(class, false);
        }
    }

    /// `id` leaves a queue that is laid out.
    pub(super) fn unlinked_in_window(&mut self, class: usize, id: OpId) {
        let window = self.window(class);
        if let Some(place) = window.place(id) {
            window.remove(place);
        }
        if window.len == 0 {
            self.set_window(class, false);
        }
    }

    /// Something was put before `next` into a queue that is laid out.
    #[cold]
    pub(super) fn linked_in_window(&mut self, class: usize, next: OpId) {
        let window = self.window(class);
        if let Some(place) = window.place(next) {
            window.len = place;
        }
        if window.len == 0 {
            self.set_window(class, false);
        }
    }
}

/// How far a multi-plane command looks along its class for operations to take along.
pub const MATE_WINDOW: u32 = 16;

/// Operations of a window.
pub(super) const SIZE: usize = MATE_WINDOW as usize;

/// The first operations of a queue, in its order, and their pages.
#[derive(Clone, Default)]
pub struct FrontWindow {
    pub(super) pages: [u16; SIZE],
    pub(super) ids: [OpId; SIZE],
    pub(super) len: usize,
}

impl FrontWindow {
    /// One bit for each operation on `page`.
    #[inline(always)]
    pub(super) fn find(&self, page: u16) -> u32 {
        let places = self.pages.iter().enumerate();
        let found = places.fold(0, |found, (i, &p)| found | u32::from(p == page) << i);
        found & ((1 << self.len) - 1)
    }

    /// The operations.
    #[cfg(test)]
    pub(super) fn ids(&self) -> &[OpId] {
        &self.ids[..self.len]
    }

    pub(super) fn place(&self, id: OpId) -> Option<usize> {
        self.ids[..self.len].iter().position(|&other| other == id)
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.ids.copy_within(place + 1.., place);
        self.pages.copy_within(place + 1.., place);
        self.len -= 1;
    }
}
