//! The mapping cache: which part of the map is in DRAM, and where the rest of it is.
//!
//! The map is cut into translation pages. The cache keeps the least recently used of them out; one that
//! was changed goes home to flash when it leaves.

mod home;
mod lru;

pub use home::{Home, HomePage};
pub use lru::{Lookup, Lru};

use crate::base::CellMode;
use crate::hw::device_config::DeviceConfig;
use crate::hw::map_config::{MapConfig, MapMoves};
use crate::hw::timing::{OpId, Timing};
use crate::metrics::report::MapReport;

/// What the mapping cache did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCounts {
    /// Look-ups that found their page.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Misses that read a flash page.
    pub reads: u64,
    /// Pages that left as they were last written.
    pub evicted_clean: u64,
    /// Pages that left changed.
    pub evicted_dirty: u64,
    /// Pages moved by cleaning.
    pub moved: u64,
    /// Look-ups for what schemes move.
    pub for_moves: u64,
}

/// The mapping cache of a device.
#[derive(Clone)]
pub struct MapCache {
    /// The pages in DRAM.
    pub lru: Lru,
    /// The pages in flash.
    pub home: Home,
    pub counts: MapCounts,
    /// Time of a look-up that finds its page, ns.
    pub access_ns: u32,
    /// Mapping units of a translation page.
    pub entries: u32,
    /// Bytes of a translation page.
    pub page_bytes: u32,
    /// The pool of the home, and its cell mode.
    pub at: (usize, CellMode),
    /// The first of the home's blocks among the clock's.
    pub first_block: u32,
    /// The operation that brings each page, with its serial.
    pub loads: Vec<(OpId, u64)>,
    /// The operations that bring what waits in the buffer, with their serials.
    pub sources: Vec<(OpId, u64)>,
    /// Room for the pages that move out of a flash page.
    pub moving: Vec<u32>,
    /// Room for the programs that an erase waits for.
    pub programs: Vec<OpId>,
    /// Whether the data from before time 0 have their pages.
    pub begun: bool,
    /// What the block that is being emptied has asked for, where moves are charged.
    pub emptying: Option<MapFetches>,
}

impl MapCache {
    /// The cache that a checked configuration asks for.
    pub fn new(config: &MapConfig, device: &DeviceConfig, timing: &mut Timing) -> Self {
        let translations = config.translations(device.mapping_units());
        let (pool, chips) = config.pool(&device.pool).expect("Invariant: a pool has the checked mode");
        let (shape, _) = config.shape(chips, translations);
        let capacity = (config.cache_bytes / u64::from(config.page_bytes)).min(u64::from(translations));
        Self {
            lru: Lru::new(translations, capacity as usize),
            home: Home::new(shape, translations),
            counts: MapCounts::default(),
            access_ns: config.access_ns,
            entries: config.entries(),
            page_bytes: config.page_bytes,
            at: (pool, config.mode),
            first_block: timing.add_blocks(shape.total()),
            loads: vec![(OpId::NONE, 0); translations as usize],
            sources: Vec::new(),
            moving: Vec::new(),
            programs: Vec::new(),
            begun: false,
            emptying: (config.moves == MapMoves::Charged).then(|| MapFetches::new(translations)),
        }
    }

    pub fn report(&self) -> MapReport {
        let MapCounts { hits, misses, reads, evicted_clean, evicted_dirty, moved, for_moves } = self.counts;
        MapReport {
            pages: self.loads.len() as u64,
            capacity: self.lru.capacity() as u64,
            cached: self.lru.cached() as u64,
            look_ups: hits + misses,
            look_ups_for_moves: for_moves,
            hits,
            misses,
            reads,
            evicted_clean,
            evicted_dirty,
            moved,
            blocks: u64::from(self.home.blocks()),
            erases: self.home.erases(),
        }
    }

    /// Proves that what it knows agrees.
    pub fn audit(&self) -> Result<(), String> {
        let MapCounts { misses, reads, .. } = self.counts;
        if reads > misses {
            return Err(format!("{reads} reads for {misses} misses"));
        }
        self.lru.audit()?;
        self.home.audit()
    }
}

/// What the block that is being emptied has asked for.
#[derive(Clone)]
pub struct MapFetches {
    /// The number of the block, or of the part of it that moves for a request, from 1 on.
    number: u64,
    /// By translation page: for which number it was last asked for.
    asked: Vec<u64>,
    /// The operations that bring them, with their serials.
    pub loads: Vec<(OpId, u64)>,
}

impl MapFetches {
    /// Nothing is asked for yet, of so many pages.
    pub fn new(translations: u32) -> Self {
        Self { number: 1, asked: vec![0; translations as usize], loads: Vec::new() }
    }

    /// Whether page `tp` is asked for the first time.
    pub fn asks(&mut self, tp: u32) -> bool {
        std::mem::replace(&mut self.asked[tp as usize], self.number) != self.number
    }

    /// Another request comes: nothing of what moves for it has been asked for.
    pub fn begin(&mut self) {
        self.number += 1;
    }

    /// The block is erased.
    pub fn end(&mut self) {
        self.begin();
        self.loads.clear();
    }
}
