//! The least that a scheme with this run's cache programs dense, counted as the requests are taken.
//!
//! A version of a unit is born when a write of it enters the device and dies with the next one, or with a trim
//! that covers it. At most so many are spared a dense program as the cache and the controller's memory can
//! hold from birth to death (`slcache_base::bound`). Requests count as whole steps, pieces that go through the
//! DRAM buffer one by one, each when it enters: the order of the device's state.

use super::config::Acknowledge;
use super::Simulation;
use crate::base::{Cause, CellMode};
use crate::ftl::answer::DeviceFull;
use crate::ftl::any_region::Role;
use crate::ftl::by_regions::ByRegions;
use crate::ftl::scheme::Scheme;
use crate::metrics::counters::OpTotals;
use crate::metrics::report::{BoundFigures, BoundReport};
use slcache_base::bound::Meters;
use std::ops::Range;

/// How versions come to dense cells for the first time. Cleaning moves them among those, padding is none.
const FIRST: [Cause; 5] = [Cause::Host, Cause::Flush, Cause::Rmw, Cause::Migration, Cause::Agc];

const IN_PLACE: &str = "pages written at SLC speed turn dense where they lie, without a program of their own";
const GREW: &str = "a knob made the cache larger during the run";
const LARGE: &str = "the cache has more than 2^30 units";
const NO_WRITES: &str = "nothing was written";

/// Where versions can live and die without what is bounded, slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoundSlots {
    /// The cache, live or not.
    cache: u64,
    /// The controller's memory.
    memory: u64,
}

impl BoundSlots {
    fn slots(self) -> u64 {
        self.cache + self.memory
    }
}

/// Counts the versions that a cache can keep.
#[derive(Clone)]
pub(super) struct Bound {
    room: Result<BoundSlots, &'static str>,
    meters: Meters,
    versions: u64,
    /// The newest version of all when this began, where versions are tracked.
    before: u32,
    /// Slots that left the cache while old data were placed.
    moved_without_time: u64,
}

impl Bound {
    /// A request, or a piece, writes `units`.
    #[inline]
    pub fn write(&mut self, units: impl ExactSizeIterator<Item = u32> + Clone) {
        if self.room.is_ok() {
            self.versions += units.len() as u64;
            self.meters.request(units, true);
        }
    }

    /// A trim covers `units`.
    pub fn trim(&mut self, units: Range<u32>) {
        if self.room.is_ok() {
            self.meters.request(units, false);
        }
    }
}

/// The units of `mask` of the page whose first one is `first`.
#[derive(Clone)]
pub(super) struct Masked {
    pub first: u32,
    pub mask: u32,
}

impl Iterator for Masked {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let at = self.mask.trailing_zeros();
        (self.mask != 0).then(|| {
            self.mask &= self.mask - 1;
            self.first + at
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.mask.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Masked {}

impl Simulation {
    /// Counts what the cache could keep, from now on; to be said before the first request.
    pub fn measure_bound(&mut self) {
        let room = self.room();
        let slots = room.map_or(0, |room| room.slots().min(u64::from(Meters::SLOTS_MAX)) as u32);
        let units = if room.is_ok() { self.io.mus() } else { 0 };
        let meters = Meters::with_units(&[slots], units);
        let before = self.media().versions().map_or(0, |versions| versions.last());
        self.bound = Some(Box::new(Bound { room, meters, versions: 0, before, moved_without_time: 0 }));
    }

    /// Counts a request that writes `units` whole.
    #[inline(never)]
    pub(super) fn count_written(&mut self, units: Range<u32>) {
        debug_assert!(
            self.fits_room(),
            "Invariant: no more lives in cache and memory than they are said to hold"
        );
        if let Some(bound) = self.bound.as_mut() {
            bound.write(units);
        }
    }

    /// Places data from before time 0 that are read. What leaves the cache to make room for them takes no time
    /// and is no operation, but is programmed: the bound counts it.
    pub(super) fn place_old(&mut self, page: u32, mask: u32) -> Result<(), DeviceFull> {
        let cached = |sim: &Self| sim.scheme.cache_live_bytes(&sim.io) / u64::from(sim.setup.device.mu_bytes);
        let before = self.bound.is_some().then(|| cached(self));
        self.clockless(|scheme, io| scheme.preload(page, mask, io))?;
        if let Some(before) = before {
            let left = before.saturating_sub(cached(self));
            self.bound.iter_mut().for_each(|bound| bound.moved_without_time += left);
        }
        Ok(())
    }

    /// Whether what is cached and held now has room where it is said to be.
    fn fits_room(&self) -> bool {
        let Some(room) = self.bound.as_ref().and_then(|bound| bound.room.ok()) else { return true };
        let cached = self.scheme.cache_live_bytes(&self.io) / u64::from(self.setup.device.mu_bytes);
        cached <= room.cache && u64::from(self.io.held().units()) <= room.memory
    }

    /// Whether writes wait in the DRAM buffer, and can die there.
    pub(super) fn is_write_back(&self) -> bool {
        self.setup.buffer.is_some_and(|buffer| buffer.acknowledge == Acknowledge::OnBuffer)
    }

    /// The room as the knobs stand, or why there is no bound.
    fn room(&self) -> Result<BoundSlots, &'static str> {
        let mut in_place = false;
        self.scheme.regions(&mut |_, region| in_place |= region.turns_dense());
        if in_place {
            return Err(IN_PLACE);
        }
        let buffer = self.buffer.as_ref().filter(|_| self.is_write_back());
        let buffered = buffer.map_or(0, |buffer| u64::from(buffer.capacity()));
        let page = u64::from(self.io.policy().mus_per_page);
        let held = match self.scheme.held_units_max() {
            0 => 0,
            most => u64::from(most).max(page),
        };
        let memory = buffered + held;
        let cache = match self.setup.scheme.on_disk() {
            true => self.slots_of(|_, _| true),
            false => {
                let mu_bytes = u64::from(self.setup.device.mu_bytes);
                self.scheme.slc_bytes_max(&self.io) / mu_bytes
                    + self.slots_of(|role, mode| role == Role::Cache && mode != CellMode::Slc)
            }
        };
        let room = BoundSlots { cache, memory };
        // More units than the device has are never alive.
        if room.slots().min(u64::from(self.io.mus())) > u64::from(Meters::SLOTS_MAX) {
            return Err(LARGE);
        }
        Ok(room)
    }

    /// Slots of the regions that `counts` picks by role and mode.
    fn slots_of(&self, counts: impl Fn(Role, CellMode) -> bool) -> u64 {
        let mut slots = 0;
        self.scheme.regions(&mut |role, region| {
            let share = region.share();
            if counts(role, share.mode) {
                let pool = &self.io.geometry().pools[share.pool];
                let block = pool.mode(share.mode).pages * pool.slots_per_page;
                slots += share.blocks * u64::from(block);
            }
        });
        slots
    }

    /// A knob was turned: the room may only have become smaller.
    pub(super) fn note_room(&mut self) {
        let Some(before) = self.bound.as_ref().and_then(|bound| bound.room.ok()) else { return };
        let now = self.room();
        if let Some(bound) = self.bound.as_mut() {
            if now.is_ok_and(|now| now.slots() > before.slots()) {
                bound.room = Err(GREW);
            }
        }
    }

    /// Slots programmed by which versions come to dense cells, or units written to the disk.
    fn counted(&self) -> u64 {
        if let Some(disk) = self.io.disk() {
            let writes = disk.counters().iter().filter(|(write, ..)| *write);
            return writes.map(|(.., count)| count.bytes).sum::<u64>()
                / u64::from(self.setup.device.mu_bytes);
        }
        let caches = self.cache_cells();
        let is_dense = |row: &OpTotals| FIRST.contains(&row.cause) && !caches.contains(&(row.pool, row.mode));
        let programmed: u64 = self.io.counters().iter().filter(is_dense).map(|row| row.totals.slots).sum();
        programmed + self.bound.as_ref().map_or(0, |bound| bound.moved_without_time)
    }

    /// Pool and mode of the cells of the cache.
    fn cache_cells(&self) -> Vec<(usize, CellMode)> {
        let mut caches = Vec::new();
        self.scheme.regions(&mut |role, region| {
            let share = region.share();
            caches.extend((role == Role::Cache).then_some((share.pool, share.mode)));
        });
        caches
    }

    /// How many versions written since the bound is measured ever lay in dense cells: those of the bound
    /// that were not spared. None unless versions are tracked, and with a disk.
    pub fn versions_in_dense(&self) -> Option<u64> {
        let (bound, versions) = (self.bound.as_ref()?, self.media().versions()?);
        let known = !self.setup.scheme.on_disk();
        known.then(|| versions.programmed_beside(bound.before, &self.cache_cells()))
    }

    /// The bound of a run that is over, if it was measured.
    pub(super) fn bound_report(&self) -> Option<BoundReport> {
        let bound = self.bound.as_ref()?;
        let room = match bound.room {
            Ok(_) if bound.versions == 0 => Err(NO_WRITES),
            room => room,
        };
        let room = match room {
            Ok(room) => room,
            Err(why) => return Some(BoundReport::None { why }),
        };
        let kept = bound.meters.finish()[0];
        let on_disk = self.setup.scheme.on_disk();
        // What lives in the end was programmed as well where nothing is left in the cache.
        let drained = if on_disk { room.cache == 0 } else { self.scheme.cache_live_bytes(&self.io) == 0 };
        let figures = BoundFigures {
            capacity_slots: room.slots(),
            buffer_slots: room.memory,
            versions: bound.versions,
            kept: kept.all,
            kept_died: kept.died,
            drained,
            least: bound.versions - if drained { kept.died } else { kept.all },
            counted: self.counted(),
        };
        Some(if on_disk { BoundReport::Disk(figures) } else { BoundReport::Dense(figures) })
    }
}
