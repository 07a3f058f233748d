//! Which planes take the host's writes past the cache, where not all of them may at a time; and lanes, in which
//! each of few planes does one operation behind the other.

use super::Client;
use crate::base::PlaneId;
use crate::ftl::config::Placement;
use crate::ftl::io::Io;
use crate::ftl::region::Writer;
use crate::hw::timing::OpId;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The planes that write: each until its block is full, then that with the fewest dense blocks of those that
/// are closed, in its place and behind its last program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Writers {
    each: Vec<WriterPlane>,
    /// The place that is asked first.
    turn: u32,
    /// Planes that do not write, by when they last did.
    rest: VecDeque<PlaneId>,
}

/// A plane that writes, or nobody, and the programs of whoever wrote in its place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WriterPlane {
    plane: Option<PlaneId>,
    #[serde(skip)]
    programs: Lane,
}

impl Writers {
    /// Places for `most` of `planes`; none where all may write.
    pub fn new(most: usize, planes: &[PlaneId]) -> Self {
        let rest = if most > 0 { planes.iter().copied().collect() } else { VecDeque::new() };
        Self { each: vec![WriterPlane::default(); most], turn: 0, rest }
    }

    /// Whether fewer than all planes may write at a time.
    pub fn are_few(&self) -> bool {
        !self.each.is_empty()
    }

    /// `plane` writes no longer: its block is full, or its cache open again.
    pub fn leave(&mut self, plane: PlaneId) {
        for place in self.each.iter_mut().filter(|place| place.plane == Some(plane)) {
            place.plane = None;
            self.rest.push_back(plane);
        }
    }

    /// The place of a plane with the fewest programs in flight, from the one whose turn it is on.
    fn least_loaded(&mut self, io: &Io) -> Option<(usize, PlaneId)> {
        let count = self.each.len();
        let from = self.turn as usize;
        let writes = self.each.iter_mut().enumerate().filter_map(|(at, place)| {
            let plane = place.plane?;
            Some((place.programs.load(io), (at + count - from) % count, at, plane))
        });
        writes.min_by_key(|&(load, turns, ..)| (load, turns)).map(|(.., at, plane)| (at, plane))
    }

    /// The place of what `plane` programs next, and what that has to wait for; none where all may write. A
    /// plane that is none of the writers goes behind those who have the least to do.
    pub fn take_place(&mut self, plane: PlaneId, io: &Io) -> (Option<usize>, OpId) {
        let own = self.each.iter().position(|place| place.plane == Some(plane));
        let loads = self.each.iter_mut().map(|place| place.programs.load(io)).enumerate();
        let at = own.or(loads.min_by_key(|each| each.1).map(|(at, _)| at));
        (at, at.map_or(OpId::NONE, |at| self.each[at].programs.before(io)))
    }

    /// Says what `plane` programs in place `at`.
    pub fn programmed(&mut self, at: usize, plane: PlaneId, op: OpId, io: &Io) {
        self.each[at].programs.push(plane, op, io);
    }
}

impl Client {
    /// The plane of the host's next page, for logical page `page`, where few planes write past the cache at a
    /// time.
    #[cold]
    pub(super) fn choose_writer(&mut self, page: u32, io: &mut Io) -> PlaneId {
        let fills = self.config.placement != Placement::Striped;
        let last = self.turns.direct().filter(|_| fills);
        let begun = last.filter(|&plane| self.dense.staged(plane, Writer::Host).is_some());
        if let Some(plane) = begun.filter(|&plane| self.writes_dense(plane)) {
            return plane;
        }
        let plane = self.slc.choose_plane(io, page);
        if self.is_past_cache(plane, io) {
            self.next_writer(io).unwrap_or(plane)
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

    /// The writer with the least to do; none if no plane can write past the cache.
    fn next_writer(&mut self, io: &mut Io) -> Option<PlaneId> {
        // A plane that is asked and is not past its cache any more is none that could become a writer.
        for _ in 0..=2 * self.slc.planes().len() {
            self.fill_places();
            let (at, plane) = self.writers.least_loaded(io)?;
            if self.is_past_cache(plane, io) {
                self.writers.turn = ((at + 1) % self.writers.each.len()) as u32;
                return Some(plane);
            }
            self.writers.leave(plane);
        }
        None
    }

    /// Gives empty places to planes whose host writes dense blocks.
    fn fill_places(&mut self) {
        while let Some(at) = self.writers.each.iter().position(|place| place.plane.is_none()) {
            let rest = self.writers.rest.iter().enumerate().filter(|&(_, &plane)| self.writes_dense(plane));
            let Some((next, _)) = rest.min_by_key(|&(_, &plane)| self.dense.used_blocks(plane)) else {
                return;
            };
            self.writers.each[at].plane = self.writers.rest.remove(next);
        }
    }
}

/// What one of few planes at a time does.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Operations in flight with their serial numbers, in the order in which they end; those that ended are
    /// dropped when somebody asks.
    ops: VecDeque<(OpId, u64)>,
    /// Whose the last one is.
    plane: Option<PlaneId>,
}

impl Lane {
    /// Operations in flight.
    pub fn load(&mut self, io: &Io) -> usize {
        while self.ops.front().is_some_and(|&(op, serial)| !io.is_in_flight(op, serial)) {
            self.ops.pop_front();
        }
        self.ops.len()
    }

    /// The last operation with its serial number, if it is in flight.
    fn last(&self, io: &Io) -> Option<(OpId, u64)> {
        self.ops.back().copied().filter(|&(op, serial)| io.is_in_flight(op, serial))
    }

    /// What the next operation has to wait for.
    pub fn before(&self, io: &Io) -> OpId {
        self.last(io).map_or(OpId::NONE, |(op, _)| op)
    }

    /// Says which operation is the last of what `plane` does.
    pub fn push(&mut self, plane: PlaneId, last: OpId, io: &Io) {
        if !last.is_none() {
            self.load(io);
            self.ops.push_back((last, io.serial(last)));
            self.plane = Some(plane);
        }
    }
}

/// How many planes fold at a time.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    each: Vec<Lane>,
}

impl Lanes {
    /// So many lanes; none where all planes do as they like.
    pub fn new(count: usize) -> Self {
        Self { each: vec![Lane::default(); count] }
    }

    /// The lane for what `plane` does next, and the operation in flight that it has to wait for; none
    /// without lanes. It is that of what the plane does already; else a free one, or the one used longest ago.
    pub fn take(&self, plane: PlaneId, io: &Io) -> Option<(usize, OpId)> {
        let key = |lane: &Lane| match lane.last(io) {
            None => (true, 0),
            Some((_, serial)) => (lane.plane != Some(plane), serial),
        };
        let at = (0..self.each.len()).min_by_key(|&at| key(&self.each[at]))?;
        Some((at, self.each[at].before(io)))
    }

    /// Says which operation is the last of what `plane` does in lane `at`.
    pub fn give_back(&mut self, at: usize, plane: PlaneId, last: OpId, io: &Io) {
        self.each[at].push(plane, last, io);
    }
}
