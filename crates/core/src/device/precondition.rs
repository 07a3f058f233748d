//! The state before time 0: filled, overwritten to steady state, preloaded; without the clock.

use super::{RunError, Simulation};
use crate::base::rng::RngStream;
use crate::base::{Mu, PlaneId};
use crate::ftl::answer::Idle;
use crate::ftl::page_level::{mapped_mask, whole_mask};
use crate::ftl::scheme::Scheme;

/// Logical pages between two calls of the progress function.
const STRIDE: u64 = 1 << 16;
/// Logical pages between two looks at the order to stop.
const LOOK_EVERY: u32 = 1 << 10;
/// Windows per filled capacity in which write amplification is compared.
const WINDOWS: u64 = 4;
/// Overwrites drawn ahead of time, so that their map entries are in the cache when they come.
const AHEAD: usize = 24;
/// Overwrites, as a multiple of the fill, after which an unsteady device is taken as it is.
const STEADY_MAX: f64 = 10.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preconditioned {
    /// Logical pages filled in sequence.
    pub filled: u64,
    /// Logical pages overwritten at random.
    pub overwritten: u64,
    /// Flash pages programmed.
    pub programs: u64,
    /// Write amplification of the last window.
    pub write_amplification: f64,
    /// Whether the detector found the write amplification steady.
    pub steady: bool,
}

impl Simulation {
    /// Brings the device into the configured state; `progress(done, total)` returning false cancels.
    pub fn precondition(
        &mut self,
        progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Preconditioned, RunError> {
        let config = self.setup.precondition.clone();
        let pages = u64::from(self.io.mus() / self.io.policy().mus_per_page);
        let filled = libm::round(pages as f64 * config.fill) as u64;
        let limit = match (config.steady, config.overwrite) {
            (true, 0.0) => STEADY_MAX,
            (_, times) => times,
        };
        let overwrites = libm::round(filled as f64 * limit) as u64;
        let mut done = Preconditioned { filled, ..Preconditioned::default() };
        let before = self.io.clockless_programs();
        for page in 0..filled {
            self.place(page as u32)?;
            if page % STRIDE == 0 && !progress(page, filled + overwrites) {
                return Err(RunError::Cancelled);
            }
            if page % u64::from(LOOK_EVERY) == 0 {
                self.look()?;
            }
        }
        if filled > 0 && overwrites > 0 {
            self.overwrite(filled, overwrites, &mut done, progress)?;
        }
        if config.drain {
            self.drain_idle()?;
        }
        self.close_staged()?;
        done.programs = self.io.clockless_programs() - before;
        self.reset_wear();
        self.begin(Some(if filled > 0 { done.overwritten as f64 / filled as f64 } else { 0.0 }));
        Ok(done)
    }

    fn overwrite(
        &mut self,
        filled: u64,
        overwrites: u64,
        done: &mut Preconditioned,
        progress: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<(), RunError> {
        let mut rng = RngStream::new(self.setup.seed, "precondition");
        let window = (filled / WINDOWS).max(1);
        let (mut before, mut last) = (self.io.clockless_programs(), f64::INFINITY);
        let mut ahead = [0; AHEAD];
        ahead.fill_with(|| rng.below(filled as u32));
        for i in 0..overwrites {
            let page = self.next_overwrite(&mut ahead, i as usize, rng.below(filled as u32));
            self.place(page)?;
            done.overwritten += 1;
            if i % STRIDE == 0 && !progress(filled + i, filled + overwrites) {
                return Err(RunError::Cancelled);
            }
            if i % u64::from(LOOK_EVERY) == 0 {
                self.look()?;
            }
            if (i + 1) % window == 0 {
                let now = (self.io.clockless_programs() - before) as f64 / window as f64;
                done.write_amplification = now;
                done.steady = (now - last).abs() <= self.setup.precondition.tolerance * now;
                if self.setup.precondition.steady && done.steady && i + 1 >= filled {
                    break;
                }
                (before, last) = (self.io.clockless_programs(), now);
            }
        }
        Ok(())
    }

    /// Takes page `i` off the ring of drawn pages, puts `drawn` in its place and fetches what the
    /// pages in between will touch.
    #[inline]
    fn next_overwrite(&self, ahead: &mut [u32; AHEAD], i: usize, drawn: u32) -> u32 {
        let media = self.io.media();
        let mu = |page: u32| Mu(page * self.io.policy().mus_per_page);
        let page = std::mem::replace(&mut ahead[i % AHEAD], drawn);
        media.prefetch_map(mu(drawn));
        media.prefetch_block(mu(ahead[(i + AHEAD * 2 / 3) % AHEAD]));
        media.prefetch_tags(mu(ahead[(i + AHEAD / 3) % AHEAD]));
        page
    }

    /// Places ranges `[first, end)` of logical pages that hold data before time 0, where a page holds
    /// none yet.
    pub fn preload(&mut self, ranges: &[(u32, u32)]) -> Result<(), RunError> {
        let whole = whole_mask(self.io.policy().mus_per_page);
        for &(first, end) in ranges {
            for page in first..end {
                if page % LOOK_EVERY == 0 {
                    self.look()?;
                }
                if mapped_mask(&self.io, page) == 0 {
                    self.preload_page(page, whole)?;
                }
            }
        }
        self.close_staged()?;
        self.reset_wear();
        self.begin_with_more();
        Ok(())
    }

    /// Places ranges `[first, end)` of mapping units, ascending, that hold data before time 0; a page
    /// holds only its units in them, besides what it held already.
    pub fn preload_units(&mut self, ranges: &[(u32, u32)]) -> Result<(), RunError> {
        let n = self.io.policy().mus_per_page;
        // The page at hand, and its units in the ranges so far.
        let (mut page, mut mask) = (0, 0);
        for &(first, end) in ranges {
            let mut unit = first;
            while unit < end {
                if unit / n != page {
                    self.preload_part(page, mask)?;
                    (page, mask) = (unit / n, 0);
                }
                let stop = end.min((page + 1) * n);
                mask |= super::pieces::bits(unit % n, unit % n + (stop - unit));
                unit = stop;
            }
        }
        self.preload_part(page, mask)?;
        self.close_staged()?;
        self.reset_wear();
        self.begin_with_more();
        Ok(())
    }

    /// Programs what is still held or staged: else the first requests would pay for padding it.
    fn close_staged(&mut self) -> Result<(), RunError> {
        let finished = self.clockless(|scheme, io| scheme.finish(io));
        finished.map_err(|source| self.stopped(0, source))
    }

    fn preload_part(&mut self, page: u32, mask: u32) -> Result<(), RunError> {
        if page % LOOK_EVERY == 0 {
            self.look()?;
        }
        match mask & !mapped_mask(&self.io, page) {
            0 => Ok(()),
            absent => self.preload_page(page, absent),
        }
    }

    fn preload_page(&mut self, page: u32, mask: u32) -> Result<(), RunError> {
        let placed = self.clockless(|scheme, io| scheme.preload(page, mask, io));
        placed.map_err(|source| self.stopped(0, source))
    }

    /// Writes logical page `page` as the host would, without the clock.
    #[inline]
    fn place(&mut self, page: u32) -> Result<(), RunError> {
        let piece = crate::ftl::page_level::whole_page(
            page,
            self.io.policy().mus_per_page,
            self.setup.device.mu_bytes,
        );
        let result = self.clockless(|scheme, io| scheme.write(piece, io));
        result.map_err(|source| self.stopped(0, source))
    }

    /// Whether the scheme, asked out of turn, would do idle work in some plane: the oracle that a
    /// pause leaves nothing undone. What it then does is neither timed nor counted.
    pub fn idle_work_left(&mut self) -> bool {
        let planes = self.io.geometry().planes.len() as u32;
        (0..planes).any(|plane| self.clockless_idle_step(PlaneId(plane)) == Idle::Step)
    }

    fn drain_idle(&mut self) -> Result<(), RunError> {
        for plane in 0..self.io.geometry().planes.len() {
            while self.clockless_idle_step(PlaneId(plane as u32)) == Idle::Step {
                self.look()?;
            }
        }
        Ok(())
    }

    fn clockless_idle_step(&mut self, plane: PlaneId) -> Idle {
        match self.uses(plane) {
            true => self.clockless(|scheme, io| scheme.idle(plane, io)),
            false => Idle::Nothing,
        }
    }

    fn reset_wear(&mut self) {
        self.io.reset_wear();
    }
}
