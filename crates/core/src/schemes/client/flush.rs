//! Emptying the cache beside the host's writes: in idle time, in the background, at the end of a run.

use super::config::FlushWhen;
use super::plane::PlanePhase;
use super::Client;
use crate::base::op::Class;
use crate::base::PlaneId;
use crate::ftl::answer::Idle;
use crate::ftl::clean::pad_unprotected;
use crate::ftl::fold;
use crate::ftl::io::Io;
use crate::ftl::region::Writer;

impl Client {
    /// One step of idle work in `plane`: folds a block, if it is time. The host need not fill its dense
    /// block to find the cache open again.
    pub(super) fn flush_idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let step = self.flush_step(plane, io);
        let own = self.slc.open_block(plane, Writer::Host).is_some();
        let when = self.config.flush.reopen.unwrap_or(self.config.reopen);
        self.reopen(plane, when, u32::from(own), io);
        step
    }

    fn flush_step(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        if !self.is_flush_due(plane, io) {
            return Idle::Nothing;
        }
        let Some(block) = self.victim(plane, io) else {
            return Idle::Nothing;
        };
        let folded = self.fold(block, Class::Background, io);
        pad_unprotected(&mut self.dense, io, plane);
        if !folded {
            self.cramped.push(plane);
            return Idle::Nothing;
        }
        Idle::Step
    }

    fn is_flush_due(&mut self, plane: PlaneId, io: &Io) -> bool {
        let flush = &self.config.flush;
        match flush.when {
            FlushWhen::Eager => true,
            FlushWhen::Demand => false,
            FlushWhen::Lazy => {
                let (used, cap) = (f64::from(self.slc.used_blocks(plane)), f64::from(self.cap_of(plane, io)));
                let state = &mut self.planes[plane.index()];
                state.flushing |= used >= flush.high * cap;
                state.flushing &= used > flush.low * cap;
                state.flushing
            }
        }
    }

    /// The host writes `units` past the closed cache of `plane`: `flush.busy_ratio` of them are owed.
    pub(super) fn owe_busy(&mut self, plane: PlaneId, units: u64) {
        let state = &mut self.planes[plane.index()];
        if state.phase == PlanePhase::Closed {
            state.owed_units += self.config.flush.busy_ratio * units as f64;
        }
    }

    /// The host writes `units` to the open cache of `plane`: `flush.inside_ratio` of them are owed.
    #[inline]
    pub(super) fn owe_inside(&mut self, plane: PlaneId, units: u64) {
        if self.config.flush.inside_ratio > 0.0 {
            self.planes[plane.index()].owed_units += self.config.flush.inside_ratio * units as f64;
        }
    }

    /// Folds what is owed in `plane`, wordline by wordline. Past the cache the host waits for it: behind a
    /// full queue it would never be done. Inside, it is done when the plane has time, one wordline after
    /// the other. It pads wordlines, so no page may be taken and not yet programmed.
    #[inline]
    pub(super) fn flush_busy(&mut self, plane: PlaneId, io: &mut Io) {
        match self.planes[plane.index()].phase {
            PlanePhase::Closed => self.pay_owed(plane, Class::HostWrite, io),
            PlanePhase::Slc if self.config.flush.inside_ratio > 0.0 => {
                let (op, serial) = self.folds[plane.index()];
                if op.is_none() || !io.is_in_flight(op, serial) {
                    self.pay_owed(plane, Class::Background, io);
                }
            }
            _ => {}
        }
    }

    fn pay_owed(&mut self, plane: PlaneId, class: Class, io: &mut Io) {
        let at = plane.index();
        let mut moved = false;
        loop {
            let units = fold::wordline_units(&self.dense, plane, io);
            if self.planes[at].owed_units < f64::from(units) {
                break;
            }
            let Some(block) = self.victim(plane, io) else {
                self.planes[at].owed_units = 0.0;
                break;
            };
            let before = self.planes[at].folded_units;
            if !self.fold_part(block, units, class, io) {
                break;
            }
            self.planes[at].owed_units -= (self.planes[at].folded_units - before) as f64;
            moved = true;
            if class == Class::Background {
                // What more is owed is due when this is done.
                self.planes[at].owed_units = self.planes[at].owed_units.min(f64::from(units));
                break;
            }
        }
        if moved {
            pad_unprotected(&mut self.dense, io, plane);
        }
    }

    /// When staged pages of the host are padded, if no more come, ns.
    pub(super) fn pads_at_ns(&self, io: &Io) -> u64 {
        io.pads_at_ns(self.staged_ns)
    }

    /// Pads the host's staged wordlines if no page came for a while. Nobody waits for them, but a device
    /// with acknowledged data on their way is not idle.
    pub(super) fn pad_quiet(&mut self, io: &mut Io) {
        let staged = |&plane: &PlaneId| self.dense.staged(plane, Writer::Host).is_some();
        let staged: Vec<PlaneId> = self.dense.planes().iter().copied().filter(staged).collect();
        if staged.is_empty() {
            return;
        }
        if io.now_ns() < self.pads_at_ns(io) {
            return io.wake_at(self.pads_at_ns(io));
        }
        for plane in staged {
            self.dense.pad(io, plane, true);
        }
    }

    /// What the host overwrites or trims may be the room that idle work lacked.
    #[cold]
    pub(super) fn ask_cramped_again(&mut self, io: &mut Io) {
        self.cramped.drain(..).for_each(|plane| io.mark_idle_work(plane));
    }

    /// Folds an SLC block of each plane, the open one last; false when none is left that its plane has room
    /// for: with static blocks a plane can hold more data than its dense blocks.
    pub(super) fn drain_round(&mut self, io: &mut Io) -> bool {
        let mut more = false;
        for plane in self.slc.planes().to_vec() {
            if !self.config.drain {
                break;
            }
            if !self.slc.may_have_closed(plane, io) {
                self.slc.close_open(io, plane, Writer::Host);
            }
            let Some(block) = self.victim(plane, io) else {
                continue;
            };
            more |= self.fold(block, Class::Background, io);
            pad_unprotected(&mut self.dense, io, plane);
        }
        more
    }
}
