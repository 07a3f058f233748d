//! Which block the host writes next: decided in each plane when its last one is full.

use super::config::{FoldHost, Full, Reopen};
use super::plane::PlanePhase;
use super::Client;
use crate::base::op::Class;
use crate::base::{PlaneId, Ppn};
use crate::ftl::answer::DeviceFull;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::io::Io;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Region, Writer};
use crate::ftl::victim;
use crate::ftl::write_buffer::{DENSE, SLC};
use crate::hw::timing::OpId;
use crate::schemes::hybrid::{Packed, Packing, TakenPage};

impl Packed for Client {
    fn packing(&mut self) -> &mut Packing {
        &mut self.packing
    }

    /// Stream `DENSE` is what is old before time 0, `SLC` all that the host writes.
    fn take_page(&mut self, stream: u8, page: u32, io: &mut Io) -> Result<TakenPage, DeviceFull> {
        if stream == DENSE {
            let take = |dense: &mut Region, plane, io: &mut Io| {
                let fills = dense.fills_wordline(plane, Writer::Host);
                let page = dense.take_page(io, plane, Writer::Host, 0)?;
                Some(TakenPage { region: DENSE, page, fills, after: OpId::NONE })
            };
            return self.old_plane(page, io, take);
        }
        let plane = match self.writers.are_few() {
            false => self.turns.choose(page, &mut self.slc, &self.dense, io),
            true => self.choose_writer(page, io),
        };
        try_planes(
            self,
            plane,
            |client| client.slc.allocator(),
            |client, plane| Ok(client.page_in(plane, io)),
        )
    }

    fn region(&mut self, stream: u8) -> &mut Region {
        match stream {
            SLC => &mut self.slc,
            _ => &mut self.dense,
        }
    }

    fn programmed(&mut self, page: Ppn, op: OpId, io: &Io) {
        let plane = io.geometry().plane_of(io.geometry().block_of(page));
        if let Some(place) = self.place.take() {
            self.writers.programmed(place, plane, op, io);
        }
    }
}

impl Client {
    /// What the first page of an SLC block of `plane` waits for: where all data go through the cache, the
    /// fold that made room for it.
    fn paid_by(&self, plane: PlaneId, io: &Io) -> OpId {
        let (op, serial) = self.folds[plane.index()];
        let is_due = self.config.full == Full::Through && !op.is_none() && io.is_in_flight(op, serial);
        if is_due {
            op
        } else {
            OpId::NONE
        }
    }

    /// Whether the host writes dense blocks of `plane` as things stand.
    #[inline]
    pub(super) fn writes_dense(&self, plane: PlaneId) -> bool {
        self.is_past(self.planes[plane.index()].phase)
    }

    /// Whether the host writes dense blocks in a phase.
    #[inline]
    pub(super) fn is_past(&self, phase: PlanePhase) -> bool {
        match phase {
            PlanePhase::Slc => false,
            PlanePhase::Closed => true,
            PlanePhase::Folding => self.config.fold.host == FoldHost::Dense,
        }
    }

    /// The next page of the host in `plane`; none if no block can be had.
    #[inline]
    fn page_in(&mut self, plane: PlaneId, io: &mut Io) -> Option<TakenPage> {
        // It pads wordlines: the host's must be whole.
        if self.dense.staged(plane, Writer::Host).is_none() {
            self.flush_busy(plane, io);
            self.clean_ahead(plane, io);
        }
        let region = if self.writes_dense(plane) { &self.dense } else { &self.slc };
        let opens = region.needs_block(plane, Writer::Host);
        if opens && !self.decide(plane, io) {
            return None;
        }
        let slots = u64::from(self.packing.slots());
        self.planes[plane.index()].host_units += slots;
        if self.writes_dense(plane) {
            let fills = self.dense.fills_wordline(plane, Writer::Host);
            let begins = self.dense.staged(plane, Writer::Host).is_none();
            let page = self.dense.take_page(io, plane, Writer::Host, 0)?;
            let mut after = OpId::NONE;
            if begins {
                (self.place, after) = self.writers.take_place(plane, io);
            }
            self.turns.went_to(plane);
            if self.dense.needs_block(plane, Writer::Host) {
                self.writers.leave(plane);
            }
            self.stats.direct_pages += 1;
            if !fills {
                self.staged_ns = io.now_ns();
                io.wake_at(self.pads_at_ns(io));
            }
            self.owe_busy(plane, slots);
            let state = &mut self.planes[plane.index()];
            state.due_units += state.due_ratio * slots as f64;
            return Some(TakenPage { region: DENSE, page, fills, after });
        }
        let page = self.slc.take_page(io, plane, Writer::Host, 0)?;
        let after = if opens { self.paid_by(plane, io) } else { OpId::NONE };
        self.owe_inside(plane, slots);
        self.stats.slc_pages += 1;
        if opens {
            self.stats.note(self.slc.used_blocks(plane));
        }
        if self.slc.needs_block(plane, Writer::Host) {
            io.mark_idle_work(plane);
        }
        Some(TakenPage { region: SLC, page, fills: true, after })
    }

    /// `plane` enters another phase.
    fn enter(&mut self, plane: PlaneId, phase: PlanePhase) {
        let before = std::mem::replace(&mut self.planes[plane.index()].phase, phase);
        self.past += u32::from(self.is_past(phase));
        self.past -= u32::from(self.is_past(before));
    }

    /// Sees to it that the host can have its next block of `plane`, of the region that `writes_dense` then
    /// says; false if it cannot.
    pub(super) fn decide(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let at = plane.index();
        let just_filled =
            u32::from(self.planes[at].phase == PlanePhase::Folding && !self.writes_dense(plane));
        let is_open = self.planes[at].phase == PlanePhase::Slc;
        if is_open && !self.may_open_slc(plane, io) {
            self.erase_dead(plane, io);
        }
        if is_open && !self.may_open_slc(plane, io) {
            self.enter(plane, PlanePhase::Closed);
            io.note_cache_full();
        }
        self.reopen(plane, self.config.reopen, just_filled, io);
        if self.is_folding_over(plane, io) {
            self.enter(plane, PlanePhase::Closed);
        }
        match self.planes[at].phase {
            PlanePhase::Slc => return true,
            PlanePhase::Closed if self.config.full == Full::Direct && self.has_dense_block(plane, io) => {
                return true
            }
            PlanePhase::Closed => {
                self.enter(plane, PlanePhase::Folding);
                self.planes[at].begin_folding();
            }
            PlanePhase::Folding => {}
        }
        self.fold_for_host(plane, io)
    }

    /// Erases an SLC block of `plane` of which nothing lives: what was overwritten or trimmed fills no cache.
    fn erase_dead(&mut self, plane: PlaneId, io: &mut Io) {
        let dead =
            victim::least_live(&self.slc, io, plane).filter(|&block| io.array().block(block).live() == 0);
        if let Some(block) = dead {
            self.fold(block, Class::Urgent, io);
        }
    }

    /// Lets the host write SLC blocks of `plane` again, if what was folded allows it. `own` of the blocks
    /// used are the one that the host writes there, or has just filled: what `when` asks for is the rest.
    pub(super) fn reopen(&mut self, plane: PlaneId, when: Reopen, own: u32, io: &Io) {
        let may_be = match self.planes[plane.index()].phase {
            PlanePhase::Slc => false,
            PlanePhase::Closed => true,
            PlanePhase::Folding => self.is_folding_over(plane, io),
        };
        // Idle time may have folded the one just filled.
        let rest = self.slc.used_blocks(plane).saturating_sub(own);
        if may_be && when.allows(rest, self.cap_of(plane, io)) && self.may_open_slc(plane, io) {
            self.enter(plane, PlanePhase::Slc);
        }
    }

    /// Whether `plane` need not fold any more for what the host writes.
    fn is_folding_over(&self, plane: PlaneId, io: &Io) -> bool {
        self.planes[plane.index()].phase == PlanePhase::Folding && self.free(plane, io) >= self.stop_blocks
    }

    /// Free blocks of `plane`.
    pub(super) fn free(&self, plane: PlaneId, io: &Io) -> u32 {
        io.bank(self.bank).free(plane)
    }

    /// Whether the cap and the free blocks allow one more SLC block.
    fn may_open_slc(&self, plane: PlaneId, io: &Io) -> bool {
        let cap = match self.config.full {
            Full::Direct => self.cap_of(plane, io),
            Full::Through => self.cap_of(plane, io).max(1),
        };
        self.slc.used_blocks(plane) < cap && self.free(plane, io) > self.keep_blocks
    }

    /// Whether the host has a dense block, or may open one.
    pub(super) fn has_dense_block(&self, plane: PlaneId, io: &Io) -> bool {
        !self.dense.needs_block(plane, Writer::Host) || self.dense.free_blocks(plane, io) > self.keep_blocks
    }

    /// Folds, and cleans where nothing is left to fold, until the host can have a block; false if it cannot.
    fn fold_for_host(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let mut moved = false;
        while !(self.has_folded_enough(plane, io) && self.has_block_while_folding(plane, io)) {
            if !self.make_room(plane, Class::Urgent, io) {
                break;
            }
            moved = true;
        }
        if moved {
            pad_unprotected(&mut self.dense, io, plane);
        }
        self.has_block_while_folding(plane, io)
    }

    fn has_block_while_folding(&self, plane: PlaneId, io: &Io) -> bool {
        match (self.config.full, self.config.fold.host) {
            (Full::Through, _) => self.may_open_slc(plane, io),
            (Full::Direct, FoldHost::Slc) => self.free(plane, io) > self.keep_blocks,
            (Full::Direct, FoldHost::Dense) => self.has_dense_block(plane, io),
        }
    }

    /// Whether as much was folded as `fold.ratio` wants, or no SLC block is left to be.
    fn has_folded_enough(&self, plane: PlaneId, io: &Io) -> bool {
        let state = &self.planes[plane.index()];
        let wanted = self.config.fold.ratio * state.host_units as f64;
        state.folded_units as f64 >= wanted || !self.slc.may_have_closed(plane, io)
    }
}
