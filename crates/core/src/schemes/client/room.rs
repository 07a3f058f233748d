//! Making room in a plane: SLC blocks are folded, dense ones cleaned.

use super::{Client, FoldVictim};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, PlaneId};
use crate::ftl::clean::{self, compact_one, pad_unprotected, pages_needed};
use crate::ftl::fold::{self, FoldWay};
use crate::ftl::io::Io;
use crate::ftl::piece::Job;
use crate::ftl::region::Writer;
use crate::ftl::victim;
use crate::hw::timing::OpId;

/// Dense blocks per plane that folding leaves to cleaning, which must win at least one more.
const RESERVE: u32 = 1;

/// Free blocks per plane, beside those kept, that cleaning ahead keeps: the host's next one, and one for what is
/// moved.
const AHEAD: u32 = 2;

/// Ahead, a block is cleaned of which so much is dead: less is won than moving it costs the host.
const AHEAD_PART: u32 = 16;

impl Client {
    /// Folds an SLC block of `plane`, or cleans a dense one where there is none or no room for it; false if
    /// neither can be.
    pub(super) fn make_room(&mut self, plane: PlaneId, class: Class, io: &mut Io) -> bool {
        let folded = self.victim(plane, io).is_some_and(|block| self.fold(block, class, io));
        folded || self.clean(plane, class, io)
    }

    /// Makes room until a dense block can be opened for old data, if need be without the SLC block that the
    /// host writes; false if it cannot.
    pub(super) fn make_dense_room(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let ahead = if self.config.dense.clean_ahead { self.keep_blocks + AHEAD } else { 0 };
        while !self.has_dense_block(plane, io) || self.free(plane, io) <= ahead {
            if self.make_room(plane, Class::Urgent, io) {
                continue;
            }
            if self.has_dense_block(plane, io) {
                break;
            }
            if self.slc.open_block(plane, Writer::Host).is_none() {
                return false;
            }
            self.slc.close_open(io, plane, Writer::Host);
        }
        true
    }

    /// The SLC block of `plane` that is folded next, if one is full.
    pub(super) fn victim(&self, plane: PlaneId, io: &mut Io) -> Option<BlockId> {
        match self.config.fold.victim {
            FoldVictim::Oldest => victim::choose(&self.slc, io, plane, true),
            FoldVictim::LeastLive => victim::least_live(&self.slc, io, plane),
        }
    }

    /// Folds what lives in an SLC block and erases it; false if there is no room for it.
    pub(super) fn fold(&mut self, block: BlockId, class: Class, io: &mut Io) -> bool {
        let plane = io.geometry().plane_of(block);
        if !self.makes_room_to_fold(block, class, io) {
            return false;
        }
        let job = Job { cause: Cause::Migration, class };
        // A busy flush is the host's own work, of the planes that it writes.
        let lane = if class == Class::HostWrite { None } else { self.lanes.take(plane, io) };
        let way = FoldWay { after: lane.map_or(OpId::NONE, |lane| lane.1), ..self.way };
        let Ok((done, last)) = fold::empty_block(&mut self.dense, io, block, way, job) else {
            return false;
        };
        if let Some((lane, _)) = lane {
            self.lanes.give_back(lane, plane, last, io);
        }
        self.note_fold(plane, last, io);
        self.slc.give_back(io, block);
        self.planes[plane.index()].folded_units += done.units;
        self.stats.folded.count(done, io);
        true
    }

    /// Folds `units` of an SLC block, or what lives in it if that is no more; false if there is no room for
    /// the whole block.
    pub(super) fn fold_part(&mut self, block: BlockId, units: u32, class: Class, io: &mut Io) -> bool {
        if io.array().block(block).live() <= units {
            return self.fold(block, class, io);
        }
        if !self.makes_room_to_fold(block, class, io) {
            return false;
        }
        let job = Job { cause: Cause::Migration, class };
        let plane = io.geometry().plane_of(block);
        let mut page = self.planes[plane.index()].first_page(block, io);
        let (done, last) = fold::move_units(&mut self.dense, io, (block, &mut page), units, self.way, job);
        self.planes[plane.index()].note_first_page(block, page, io);
        self.note_fold(plane, last, io);
        self.planes[plane.index()].folded_units += done.units;
        self.stats.folded.count_part(done, io);
        true
    }

    fn note_fold(&mut self, plane: PlaneId, last: OpId, io: &Io) {
        if !last.is_none() {
            self.folds[plane.index()] = (last, io.serial(last));
        }
    }

    /// Cleans dense blocks until an SLC block can be folded; false if it cannot.
    fn makes_room_to_fold(&mut self, block: BlockId, class: Class, io: &mut Io) -> bool {
        let plane = io.geometry().plane_of(block);
        let needed = pages_needed(io, block);
        while needed > self.room_to_fold(plane, io) && self.clean(plane, class, io) {}
        self.may_fold(plane, needed, io)
    }

    /// Pages that folding may program in `plane` before dense blocks are cleaned.
    fn room_to_fold(&self, plane: PlaneId, io: &Io) -> u32 {
        let reserve = RESERVE * self.dense.pages_per_block;
        self.dense.room(io, plane, Writer::Clean).saturating_sub(reserve)
    }

    /// Whether folding that programs `needed` pages leaves cleaning what it must have: the SLC block is free
    /// afterwards, and dense if the quota lets it.
    fn may_fold(&self, plane: PlaneId, needed: u32, io: &Io) -> bool {
        let room = self.dense.room(io, plane, Writer::Clean);
        let regained = u32::from(self.dense.used_blocks(plane) + self.free(plane, io) < self.dense.quota());
        needed <= room
            && room - needed + regained * self.dense.pages_per_block >= RESERVE * self.dense.pages_per_block
    }

    /// Closes a dense block that might stay open for good: the one that is folded into, if that has dead
    /// pages, or the one of old data where the host does not write dense blocks. Whether there was one.
    fn close_open(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let wins = |block: &BlockId| pages_needed(io, *block) < io.array().block(*block).write_ptr();
        let folded = self.dense.open_block(plane, Writer::Clean).filter(wins).map(|_| Writer::Clean);
        let old = self.dense.open_block(plane, Writer::Host).filter(|_| !self.writes_dense(plane));
        let Some(writer) = folded.or(old.map(|_| Writer::Host)) else {
            return false;
        };
        self.dense.pad(io, plane, true);
        self.dense.close_open(io, plane, writer);
        true
    }

    /// Cleans dense blocks of `plane` beside the host's writes past the cache, where few free blocks are left: as much as keeps
    /// their number, wordline by wordline.
    #[inline]
    pub(super) fn clean_ahead(&mut self, plane: PlaneId, io: &mut Io) {
        if !self.config.dense.clean_ahead || !self.writes_dense(plane) {
            return;
        }
        if self.free(plane, io) > self.keep_blocks + AHEAD {
            (self.planes[plane.index()].due_units, self.planes[plane.index()].due_ratio) = (0.0, 0.0);
            return;
        }
        while self.clean_due(plane, io) {}
    }

    /// Moves a wordline out of the block of `plane` that is cleaned next, if so much is due; false if
    /// not, or where cleaning wins nothing.
    fn clean_due(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let (state, full) = (self.planes[plane.index()], self.dense.full_block(io));
        let units = fold::wordline_units(&self.dense, plane, io);
        if state.due_ratio > 0.0 && state.due_units < f64::from(units) {
            return false;
        }
        let won = clean::wins(&self.dense, io, plane);
        let most = full - full / AHEAD_PART;
        let Some(dense) = won.filter(|&block| io.array().block(block).live() <= most) else {
            // Looks again after a block of the host's.
            let state = &mut self.planes[plane.index()];
            (state.due_units, state.due_ratio) = (0.0, f64::from(units) / f64::from(full));
            return false;
        };
        let live = io.array().block(dense).live();
        if state.due_ratio == 0.0 && live > 0 {
            self.planes[plane.index()].due_ratio = f64::from(live) / f64::from(full - live);
            return true;
        }
        let has_moved = self.clean_part(dense, units, io);
        pad_unprotected(&mut self.dense, io, plane);
        let state = &mut self.planes[plane.index()];
        state.due_units = (state.due_units - f64::from(live.min(units))).max(0.0);
        if live <= units {
            state.due_ratio = 0.0;
        }
        has_moved
    }

    /// Moves `units` of a dense block, or cleans it if no more live in it; false if there is no room.
    fn clean_part(&mut self, block: BlockId, units: u32, io: &mut Io) -> bool {
        let (plane, job) = (io.geometry().plane_of(block), Job { cause: Cause::Gc, class: Class::HostWrite });
        if io.array().block(block).live() <= units {
            let done = compact_one(&mut self.dense, io, plane, job);
            done.iter().for_each(|&done| self.stats.cleaned.count(done, io));
            return done.is_some();
        }
        if self.room_to_fold(plane, io) < self.dense.pages_per_program() {
            return false;
        }
        let way = FoldWay { in_chip: false, overhead_ns: 0, after: OpId::NONE };
        let mut page = self.planes[plane.index()].first_page(block, io);
        let (done, _) = fold::move_units(&mut self.dense, io, (block, &mut page), units, way, job);
        self.planes[plane.index()].note_first_page(block, page, io);
        self.stats.cleaned.count_part(done, io);
        true
    }

    /// Cleans a dense block of `plane`; false if none is left by which a page can be won.
    fn clean(&mut self, plane: PlaneId, class: Class, io: &mut Io) -> bool {
        let job = Job { cause: Cause::Gc, class };
        loop {
            if let Some(done) = compact_one(&mut self.dense, io, plane, job) {
                self.stats.cleaned.count(done, io);
                return true;
            }
            if !self.close_open(plane, io) {
                return false;
            }
        }
    }
}
