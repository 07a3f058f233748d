//! Which planes take the host's writes past the cache, where not all of them may at a time.

use super::Client;
use crate::base::PlaneId;
use crate::ftl::io::Io;
use crate::ftl::region::Writer;
use serde::{Deserialize, Serialize};

/// The planes that write, in turn; each until its block is full, then the next one that is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writers {
    active: Vec<PlaneId>,
    /// Which of `active` is next, from 0 on without end.
    turn: u32,
    /// Place in the order of planes from which on the next one is looked for.
    next: u32,
}

impl Writers {
    /// Whether these can be writers of `planes`, `most` at a time.
    pub fn is_sound(&self, planes: &[PlaneId], most: usize) -> bool {
        let known = |plane| planes.contains(plane);
        self.active.len() <= most
            && (self.next as usize) < planes.len()
            && self.active.iter().all(known)
            && (1..self.active.len()).all(|at| !self.active[..at].contains(&self.active[at]))
    }

    /// `plane` writes no longer: its block is full, or its cache open again.
    pub fn leave(&mut self, plane: PlaneId) {
        self.active.retain(|&active| active != plane);
    }
}

impl Client {
    /// The plane of the host's next page, for logical page `page`, where few planes write past the cache at a
    /// time.
    #[cold]
    pub(super) fn choose_writer(&mut self, page: u32, most: usize, io: &mut Io) -> PlaneId {
        let begun = self.turns.direct().filter(|&plane| self.dense.staged(plane, Writer::Host).is_some());
        if let Some(plane) = begun.filter(|&plane| self.writes_dense(plane)) {
            return plane;
        }
        let plane = self.slc.choose_plane(io, page);
        if self.is_past_cache(plane, io) {
            self.active_writer(most, io).unwrap_or(plane)
        } else {
            plane
        }
    }

    /// Whether the host's next page of `plane` goes to a dense block, decided as far as it has to be.
    fn is_past_cache(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let region = if self.writes_dense(plane) { &self.dense } else { &self.slc };
        let decided = !region.needs_block(plane, Writer::Host) || self.decide(plane, io);
        decided && self.writes_dense(plane)
    }

    /// The active plane whose turn it is; none if no plane can write past the cache.
    fn active_writer(&mut self, most: usize, io: &mut Io) -> Option<PlaneId> {
        // A plane that is asked and is not past its cache any more is none that could become active.
        for _ in 0..=2 * self.slc.planes().len() {
            while self.writers.active.len() < most && self.activate_next() {}
            let count = self.writers.active.len();
            if count == 0 {
                return None;
            }
            let plane = self.writers.active[self.writers.turn as usize % count];
            if self.is_past_cache(plane, io) {
                self.writers.turn = self.writers.turn.wrapping_add(1);
                return Some(plane);
            }
            self.writers.leave(plane);
        }
        None
    }

    /// Makes the next plane of the order active whose host writes dense blocks; false if there is none.
    fn activate_next(&mut self) -> bool {
        let planes = self.slc.planes();
        let found = (0..planes.len())
            .map(|step| (self.writers.next as usize + step) % planes.len())
            .find(|&at| self.writes_dense(planes[at]) && !self.writers.active.contains(&planes[at]));
        let Some(at) = found else {
            return false;
        };
        let (plane, next) = (planes[at], (at + 1) % planes.len());
        self.writers.active.push(plane);
        self.writers.next = next as u32;
        true
    }
}
