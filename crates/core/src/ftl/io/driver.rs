//! What only the device may do: drive the clock, save and restore, count.

use super::cells::CellReads;
use super::state::IoPolicy;
use super::Io;
use crate::base::rng::RngStream;
use crate::ftl::disk_traffic::DiskTraffic;
use crate::ftl::early_writes::EarlyWrites;
use crate::ftl::media::Media;
use crate::ftl::op_log::{LoggedDiskOp, LoggedOp};
use crate::ftl::oracle::{DataHints, Oracle};
use crate::ftl::translation::{Home, Lru, MapCache};
use crate::ftl::upkeep::Upkeep;
use crate::hw::array::{FlashArray, RegionId};
use crate::hw::cells::SavedCells;
use crate::hw::config::CellsConfig;
use crate::hw::timing::{ClockState, RequestId, Timing};
use crate::metrics::series::Series;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

/// What a snapshot holds of media, random stream, clock, mapping cache and what stores are told.
#[derive(Serialize, Deserialize)]
pub struct IoState<'a> {
    media: Cow<'a, Media>,
    rng: Cow<'a, RngStream>,
    clock: ClockState,
    /// Cells that err, and the stream by which their reads are drawn.
    cells: Option<(SavedCells, Cow<'a, RngStream>)>,
    /// The cached translation pages, the others, and whether the data from before time 0 have theirs.
    map: Option<(Cow<'a, Lru>, Cow<'a, Home>, bool)>,
    told: Cow<'a, Option<Box<DataHints>>>,
    /// Blocks that are to move because of their cells.
    upkeep: Option<Upkeep>,
}

/// The device's own hold on its `Io`. Schemes get the `Io` alone, from which there is no way to the
/// verbs below.
#[derive(Clone)]
pub struct Driver {
    io: Io,
}

impl Deref for Driver {
    type Target = Io;
    #[inline(always)]
    fn deref(&self) -> &Io {
        &self.io
    }
}

impl DerefMut for Driver {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Io {
        &mut self.io
    }
}

impl Driver {
    /// An empty device of `mus` mapping units at time 0.
    pub fn new(array: FlashArray, mus: u32, timing: Timing, seed: u64, policy: IoPolicy) -> Self {
        let media = Media::new(array, mus, timing.disk().is_some());
        Self { io: Io::new(media, timing, seed, policy) }
    }

    /// Has only what the cache keeps of the map in DRAM.
    pub fn keep_map_in(&mut self, cache: Option<MapCache>) {
        self.io.map = cache.map(Box::new);
    }

    /// Has reads cost what cells that err make them, and blocks retire if they do.
    pub fn read_cells_by(&mut self, config: &CellsConfig) {
        self.io.cells = Some(Box::new(CellReads::new(config, self.io.seed)));
        self.io.retires = config.bad_blocks.is_some_and(|bad| bad.retire);
        if config.has_upkeep() {
            self.io.upkeep = Some(Box::new(Upkeep::new(config, self.io.geometry())));
        }
    }

    /// The clock.
    #[inline(always)]
    pub fn timing(&self) -> &Timing {
        &self.io.timing
    }

    /// The clock, to drive.
    #[inline(always)]
    pub fn timing_mut(&mut self) -> &mut Timing {
        &mut self.io.timing
    }

    /// Figures over time.
    pub fn series(&self) -> &Series {
        &self.io.series
    }

    /// Figures over time, to add to.
    #[inline(always)]
    pub fn series_mut(&mut self) -> &mut Series {
        &mut self.io.series
    }

    /// Does `work` without the clock: state changes, nothing is timed or counted.
    #[inline]
    pub fn clockless<T>(&mut self, work: impl FnOnce(&mut Io) -> T) -> T {
        self.io.clockless = true;
        let done = work(&mut self.io);
        self.io.clockless = false;
        done
    }

    /// Counts what `regions` take, which are the SLC cache, and begins with what they take now. Blocks of
    /// the store were erased or not.
    pub fn watch_cache(&mut self, regions: Vec<RegionId>, store_cleaned: bool) {
        // Looking at blocks of which none was ever used would take memory for all of them.
        let is_new = self.io.array().openings() == 0;
        let bytes = if is_new { 0 } else { self.io.slc_bytes_of(&regions) };
        self.io.cache.watch(regions, bytes, u64::from(store_cleaned));
    }

    /// Time 0: what the cache took before counts no more.
    pub fn begin_cache_use(&mut self) {
        self.io.cache.begin();
    }

    /// All is done that the host asked for.
    pub fn end_cache_use(&mut self) {
        self.io.cache.end(self.io.timing.now_ns());
    }

    /// Does `work` for which no write waits: what it empties of the cache was not full.
    pub fn at_leisure<T>(&mut self, work: impl FnOnce(&mut Io) -> T) -> T {
        self.io.cache.set_at_leisure(true);
        let done = work(&mut self.io);
        self.io.cache.set_at_leisure(false);
        done
    }

    /// Pages programmed without the clock so far.
    pub fn clockless_programs(&self) -> u64 {
        self.io.clockless_programs
    }

    /// Whether `at_ns` is the time for which the scheme asked to be woken, which is then over.
    pub fn take_wake(&mut self, at_ns: u64) -> bool {
        let due = self.io.wake_ns == at_ns;
        if due {
            self.io.wake_ns = u64::MAX;
        }
        due
    }

    /// The write of acknowledged data with `token` is complete: requests that waited for its room go
    /// on; returns how many flushes, the oldest ones, need wait no longer.
    pub fn end_early_write(&mut self, token: u32) -> usize {
        let flushes = self.io.early.end(token);
        self.io.let_in();
        flushes
    }

    /// Acknowledged data on their way to the flash.
    pub fn early_writes(&mut self) -> &mut EarlyWrites {
        &mut self.io.early
    }

    /// Makes `request` wait for units of `page` that are on their way from the disk.
    pub fn await_fetch(&mut self, page: u32, mask: u32, request: RequestId) {
        for _ in 0..self.io.traffic.wait(page, mask, request) {
            self.io.timing.hold_request(request);
        }
    }

    /// What is on its way from the disk or to it.
    pub fn traffic(&mut self) -> &mut DiskTraffic {
        &mut self.io.traffic
    }

    /// Tells separated stores what the trace will do.
    pub fn foresee(&mut self, oracle: Oracle) {
        self.io.told.get_or_insert_default().oracle = Some(oracle);
    }

    /// The host writes mapping units `first` to `last`, with `hint`.
    #[inline(always)]
    pub fn tell(&mut self, first: u32, last: u32, hint: u8) {
        if let Some(told) = &mut self.io.told {
            told.write(first, last, self.io.policy.mus_per_page, hint);
        }
    }

    /// Forgets the wear of the time before the run.
    pub fn reset_wear(&mut self) {
        self.io.media.reset_wear();
    }

    /// Starts to keep versions of the data; the device must be empty.
    pub fn track_versions(&mut self) {
        self.io.media.track_versions();
    }

    /// Starts to keep the operations emitted.
    pub fn keep_ops(&mut self) {
        self.io.ops = Some(Vec::new());
        self.io.disk_ops = Some(Vec::new());
    }

    /// The operations of the disk kept so far.
    pub fn disk_ops(&self) -> &[LoggedDiskOp] {
        self.io.disk_ops.as_deref().unwrap_or(&[])
    }

    /// The operations kept so far.
    pub fn ops(&self) -> &[LoggedOp] {
        self.io.ops.as_deref().unwrap_or(&[])
    }

    /// What a snapshot holds; nothing is in flight.
    pub fn save(&self) -> IoState<'_> {
        let io = &self.io;
        let map = io.map.as_ref().map(|map| (Cow::Borrowed(&map.lru), Cow::Borrowed(&map.home), map.begun));
        let (media, rng) = (Cow::Borrowed(&io.media), Cow::Borrowed(&io.rng));
        let saved = io.media.array().save_cells(io.timing.now_ns());
        let cells = saved.zip(io.cells.as_ref().map(|cells| Cow::Borrowed(&cells.rng)));
        let upkeep = io.upkeep.as_ref().map(|upkeep| upkeep.save(io.timing.now_ns()));
        let told = Cow::Borrowed(&io.told);
        IoState { media, rng, clock: io.timing.save_clock(), cells, map, told, upkeep }
    }

    /// Takes a snapshot's part into a new device, or says what does not fit.
    pub fn resume(&mut self, state: IoState) -> Result<(), String> {
        let io = &mut self.io;
        let fresh = std::mem::replace(&mut io.media, state.media.into_owned());
        io.media.resume(fresh)?;
        let (saved, rng) = state.cells.unzip();
        io.media.cells().load_cells(saved)?;
        if let (Some(cells), Some(rng)) = (io.cells.as_mut(), rng) {
            cells.rng = rng.into_owned();
        }
        match (io.upkeep.as_mut(), state.upkeep) {
            (Some(own), Some(saved)) => own.resume(saved, io.media.array())?,
            (None, None) => {}
            (own, _) => {
                return Err(format!("{} blocks to be moved", if own.is_some() { "no" } else { "with" }))
            }
        }
        io.rng = state.rng.into_owned();
        let hints = |told: &Option<Box<DataHints>>| told.as_ref().map_or(0, |told| told.hints.len());
        let (found, kept) = (hints(&state.told), hints(&io.told));
        if found != kept {
            return Err(format!("hints of {found} pages, not of {kept}"));
        }
        io.told = state.told.into_owned();
        io.timing.load_clock(state.clock, &io.media.array().geometry)?;
        for block in io.media.array().used_blocks() {
            io.timing.set_done(block, io.media.array().block(block).write_ptr());
        }
        io.resume_map(state.map.map(|(lru, home, begun)| (lru.into_owned(), home.into_owned(), begun)))
    }
}
