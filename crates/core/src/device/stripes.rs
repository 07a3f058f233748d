//! What is on its way out of the DRAM buffer: stripes, each of a program in so many planes.

use super::requests::{RequestOwner, WrittenBack};
use super::Simulation;
use crate::base::arithmetic::Ones;
use crate::base::op::Cause;
use crate::base::slab::Slab;
use crate::ftl::answer::DeviceFull;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::Scheme;
use crate::ftl::wakeup::Wakeup;
use crate::hw::timing::event::EventKind;

#[derive(Clone, Copy, Debug, Default)]
struct Stripe {
    /// Its write-backs that are not complete.
    programs: u32,
    /// Runs of consecutive mapping units in it.
    runs: u32,
}

#[derive(Clone)]
pub(super) struct Stripes {
    each: Slab<Stripe>,
    /// Stripes not over yet: those, and those whose other work goes on.
    pub in_flight: u32,
    /// When the programs of a stripe ended last, ns.
    ended_ns: u64,
    /// What that stripe took beside them before the one that begins now, ns.
    pub overhead_ns: u64,
    /// Whether the device looks after that whether less than a stripe has waited long enough.
    pub is_watched: bool,
    /// The pieces of a write-back, kept for their room.
    pieces: Vec<Piece>,
}

impl Default for Stripes {
    fn default() -> Self {
        let (each, pieces) = (Slab::new(Stripe::default()), Vec::new());
        Self { each, in_flight: 0, ended_ns: 0, overhead_ns: 0, is_watched: false, pieces }
    }
}

impl Simulation {
    /// Writes back the stripes that are there, as many as may be on their way. Where the host waits and
    /// nothing is on its way that would make room, a stripe is what there is.
    pub(super) fn send_stripes(&mut self) -> Result<(), DeviceFull> {
        let (Some(buffer), Some(config)) = (&self.buffer, self.setup.buffer) else {
            return Ok(());
        };
        let mut dirty = buffer.dirty_units();
        while dirty > 0 && config.stripes_in_flight.is_none_or(|most| self.stripes.in_flight < most) {
            let program = self.scheme.program_units(&self.io);
            // What is gathered, or limited, is whole wordlines: of less, none may ever be programmed. Else
            // pages leave as they come.
            let gathers = config.stripe_planes > 1 || config.stripes_in_flight.is_some();
            let stripe =
                if gathers { config.stripe_planes * self.scheme.wordline_units(&self.io) } else { program };
            let leaving = self.buffer.as_ref().map_or(0, |buffer| buffer.leaving_units);
            let units = if dirty >= stripe {
                stripe
            } else if leaving == 0 && !self.waiting.is_empty() {
                (dirty - dirty % program).max(program)
            } else {
                break;
            };
            self.send_stripe(units, program, Cause::Host)?;
            if dirty < program {
                // The buffer has no room for what the program lacks.
                self.scheme.program_held(true, &mut self.io)?;
            }
            dirty = self.buffer.as_ref().map_or(0, |buffer| buffer.dirty_units());
        }
        self.watch_rest(dirty);
        Ok(())
    }

    /// Writes back `units`, in programs of so many.
    fn send_stripe(&mut self, units: u32, program: u32, cause: Cause) -> Result<(), DeviceFull> {
        let packs = self.scheme.packs_units();
        let page = self.io.policy().mus_per_page;
        let stripe = self.stripes.each.insert(Stripe::default());
        self.stripes.in_flight += 1;
        let (mut sent, mut runs, mut follows) = (0, 0, u32::MAX);
        let mut result = Ok(());
        while sent < units && result.is_ok() {
            let token = self.io.early_writes().begin(0);
            let written = WrittenBack { stripe, ..self.begin_write_back(token, cause) };
            let id = self.add_request(RequestOwner::WriteBack(written));
            let mut pieces = std::mem::take(&mut self.stripes.pieces);
            let (mut taken, mut room) = (0, 0);
            while taken < program {
                let most = if packs { program - taken } else { u32::MAX };
                let Some(entry) = self.buffer.as_mut().and_then(|buffer| buffer.take_arrived(most)) else {
                    break;
                };
                let piece = self.piece_of(&entry, id, cause);
                room += piece.mask.ones();
                taken += if packs { piece.mask.ones() } else { page };
                let first = piece.page * page + piece.mask.trailing_zeros();
                runs += (piece.mask & !(piece.mask << 1)).ones() - u32::from(first == follows);
                follows = piece.page * page + u32::BITS - piece.mask.leading_zeros();
                pieces.push(piece);
            }
            // What is not there need not be waited for.
            sent = if pieces.is_empty() { units } else { sent + taken };
            *self.requests.client(id) = RequestOwner::WriteBack(WrittenBack { units: room, ..written });
            self.stripes.each[stripe as usize].programs += 1;
            self.stripes.each[stripe as usize].runs = runs;
            if let Some(buffer) = self.buffer.as_mut() {
                buffer.leaving_units += room;
            }
            result = self.start_write_back(id, &pieces);
            pieces.clear();
            self.stripes.pieces = pieces;
        }
        result
    }

    /// A part of `stripe` is written back.
    pub(super) fn end_of_program(&mut self, stripe: u32) {
        self.stripes.each[stripe as usize].programs -= 1;
        let Stripe { programs, runs } = self.stripes.each[stripe as usize];
        if programs > 0 {
            return;
        }
        self.stripes.each.remove(stripe);
        self.stripes.ended_ns = self.io.now_ns();
        match self.setup.buffer.map_or(0, |config| config.run_overhead_ns) {
            0 => self.stripes.in_flight -= 1,
            ns => {
                let at_ns = self.io.now_ns() + u64::from(ns) * u64::from(runs);
                let wakeup = Wakeup::StripeEnd.number();
                self.io.timing_mut().schedule(at_ns, EventKind::DeviceLast, wakeup);
            }
        }
    }

    /// A stripe is over with all it takes beside its programs.
    #[cold]
    pub(super) fn stripe_ended(&mut self) {
        self.stripes.in_flight -= 1;
        self.stripes.overhead_ns = self.io.now_ns() - self.stripes.ended_ns;
        let result = self.send_stripes();
        self.stripes.overhead_ns = 0;
        self.note_full(result);
    }

    /// Looks later whether what is left has waited long enough for more.
    fn watch_rest(&mut self, dirty: u32) {
        if dirty == 0 || self.stripes.is_watched {
            return;
        }
        self.stripes.is_watched = true;
        let after_ns = self.setup.buffer.map_or(0, |config| config.flush_after_ns);
        let at_ns = (self.io.written_ns() + after_ns).max(self.io.now_ns() + 1);
        self.io.timing_mut().schedule(at_ns, EventKind::DeviceLast, Wakeup::BufferDue.number());
    }

    /// Writes back less than a stripe if the host has not written for long enough.
    #[cold]
    pub(super) fn buffer_due(&mut self) {
        self.stripes.is_watched = false;
        let after_ns = self.setup.buffer.map_or(0, |config| config.flush_after_ns);
        let dirty = self.buffer.as_ref().map_or(0, |buffer| buffer.dirty_units());
        let is_quiet = self.waiting.is_empty() && self.io.now_ns() >= self.io.written_ns() + after_ns;
        if dirty > 0 && is_quiet {
            self.write_back_all();
            let result = self.scheme.program_held(true, &mut self.io);
            self.note_full(result);
        } else if self.waiting.is_empty() {
            self.watch_rest(dirty);
        }
    }

    /// Writes back all there is, however little makes the last program.
    pub(super) fn send_all(&mut self, cause: Cause) -> Result<(), DeviceFull> {
        let program = self.scheme.program_units(&self.io);
        while let Some(dirty) = self.buffer.as_ref().map(|buffer| buffer.dirty_units()).filter(|&n| n > 0) {
            self.send_stripe(dirty, program, cause)?;
        }
        Ok(())
    }
}
