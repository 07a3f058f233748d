//! Utilisation-aware self-tuning (UST).
//!
//! **What it does.** The address space is cut into logical blocks, each as large as a dense block. All
//! writes go to SLC, to the open SLC block of their logical block, which may have up to
//! `max_slc_blocks`. Where it has them all, the one with the fewest live units is collected: units
//! that were rewritten since they came to SLC are hot and are copied to another SLC block, the others
//! go to dense blocks. Where free blocks run short, the logical block written longest ago loses all
//! its SLC blocks. How many blocks are SLC at a time follows from that.
//! **Paper.** Yang, Chang, Tsao and Liu, "Utilization-Aware Self-Tuning Design for TLC Flash Storage
//! Devices" (TVLSI 2016), as "Reinforcement Learning-Based SLC Cache Technique for Enhancing SSD Write
//! Performance" (HotStorage 2020) sums it up and compares with it.
//! **What the paper leaves open and what we chose.** decisions has a record: cold data share one
//! page-mapped log per plane; a page holds units of one logical block, and units wait for it in a
//! buffer of `buffer_pages`; which of reclaiming and cleaning comes first; where a logical block is.
//! **Knobs.** `max_slc_blocks`, `free_blocks`.

mod config;
mod owners;
mod report;
mod space;

pub use config::UstConfig;

use crate::base::arithmetic::Ones;
use crate::base::bit_table::BitTable;
use crate::base::op::Class;
use crate::base::{CellMode, Mu, PlaneId, Ppn};
use crate::ftl::answer::{BlockShare, DeviceFull};
use crate::ftl::config::{CleanConfig, Placement};
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobRange, KnobSpec, SignalSpec};
use crate::ftl::media::{bits, SLOTS_MAX};
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::{oldest_of, Picks};
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::ftl::write_buffer::{WriteBuffer, SLC};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::{OpId, RequestId};
use crate::metrics::report::SchemeReport;
use crate::metrics::series::WindowSeries;
use config::SLC_BLOCKS_MAX;
use owners::BlockOwners;
use report::UstStats;
use serde::{Deserialize, Serialize};
use space::OPEN_ABOVE;

static KNOBS: [KnobSpec; 2] = [
    KnobSpec {
        name: "max_slc_blocks",
        unit: "blocks",
        summary: "lets a logical block have more SLC blocks before they are collected",
    },
    KnobSpec {
        name: "free_blocks",
        unit: "blocks",
        summary: "reclaims blocks while more of a plane are free",
    },
];

static SIGNALS: [SignalSpec; 2] = [
    SignalSpec { name: "slc_share", unit: "", min: 0.0, max: 1.0, summary: "SLC blocks per block" },
    SignalSpec {
        name: "utilisation",
        unit: "",
        min: 0.0,
        max: 1.0,
        summary: "bytes that hold data per byte of the user capacity",
    },
];

/// SLC blocks by logical block, and the dense blocks behind them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Ust {
    slc: Region,
    dense: Region,
    owners: BlockOwners,
    rewritten: BitTable,
    max_slc_blocks: u32,
    free_blocks: u32,
    /// Slots of a page, and units that may wait.
    slots: u32,
    buffer_units: u32,
    buffer: WriteBuffer,
    /// Class of every job that makes room.
    class: Class,
    window_bytes: u64,
    #[serde(skip)]
    slc_blocks_series: WindowSeries,
    #[serde(skip)]
    stats: UstStats,
}

impl Ust {
    pub fn new(config: &UstConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let pool = config.pool(device).expect("Invariant: the configuration was checked");
        let blocks = device.pool[pool].blocks;
        let spec = RegionSpec {
            pack: Pack::Mu,
            bank: Some(io.new_bank(pool, 0, &[blocks])),
            pool,
            mode: CellMode::Slc,
            first_block: 0,
            blocks,
            order: config.plane_order.letters(),
            placement: Placement::Static,
            clean: CleanConfig { wear_levelling: config.wear_levelling, ..CleanConfig::default() },
        };
        let slc = Region::new(spec.clone(), io).opened_apart();
        let dense = Region::new(RegionSpec { mode: config.mode(device), ..spec }, io);
        let slots = io.geometry().pools[pool].slots_per_page;
        let logical_blocks = io.mus().div_ceil(dense.pages_per_block * slots);
        Self {
            owners: BlockOwners::new(logical_blocks, dense.planes(), io.geometry().block_numbers()),
            rewritten: BitTable::new(io.mus() as usize),
            max_slc_blocks: config.max_slc_blocks,
            free_blocks: config.free_blocks(blocks),
            slots,
            buffer_units: config.buffer_pages * slots,
            buffer: WriteBuffer::new(config.buffer_pages * slots),
            class: config.reclaim.class(),
            window_bytes: config.window_bytes,
            slc_blocks_series: WindowSeries::default(),
            stats: UstStats::default(),
            slc,
            dense,
        }
    }

    /// The logical block of a logical page.
    #[inline]
    fn logical(&self, page: u32) -> u32 {
        page / self.dense.pages_per_block
    }

    /// Units of a logical block that wait.
    fn waiting(&self, logical: u32, io: &Io) -> u32 {
        let own = io.held().entries().iter().filter(|held| self.logical(held.page) == logical);
        own.map(|held| held.mask.ones()).sum()
    }

    /// Programs a page of units of `logical` that wait, oldest first; `request` waits for it.
    fn program(&mut self, logical: u32, request: RequestId, io: &mut Io) -> Result<(), DeviceFull> {
        let own = |page: u32| self.logical(page) == logical;
        let Some(picks) = oldest_of(io.held(), |held| own(held.page), self.slots, true) else {
            return Ok(());
        };
        let hot = self.overwriting(&picks, io);
        let page = self.next_page(logical, io)?;
        let pages = picks.pages(io.held());
        for (((_, mask), page), hot) in picks.list().zip(pages).zip(hot) {
            self.rewrite(page, mask, hot, io);
        }
        self.stats.padded(u64::from(self.slots - picks.units()), io);
        mixed::program(&picks, Carry::Nothing, &mut self.slc, page, (request, OpId::NONE), io);
        self.owners.touch(logical);
        Ok(())
    }

    /// Whether no unit of the logical block of `page` waits.
    fn is_clear_of(&self, page: u32, io: &Io) -> bool {
        let logical = self.logical(page);
        io.held().entries().iter().all(|held| self.logical(held.page) != logical)
    }

    /// Programs a piece that fills a page alone: what comes of it is the same as if it were held first.
    fn program_alone(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let logical = self.logical(piece.page);
        let hot = self.in_slc_of(piece.page, piece.mask, io);
        let page = self.next_page(logical, io)?;
        self.rewrite(piece.page, piece.mask, hot, io);
        mixed::program_alone(piece, &mut self.slc, page, (piece.request, OpId::NONE), io);
        self.owners.touch(logical);
        Ok(())
    }

    /// Notes which units of a logical page in `mask` are hot.
    fn rewrite(&mut self, page: u32, mask: u32, hot: u32, io: &Io) {
        let first = page * io.policy().mus_per_page;
        bits(mask).for_each(|i| self.rewritten.set((first + i) as usize, hot >> i & 1 == 1));
    }

    /// Which units of each pick lie in SLC already.
    fn overwriting(&self, picks: &Picks, io: &Io) -> [u32; SLOTS_MAX] {
        let mut hot = [0; SLOTS_MAX];
        let pages = picks.pages(io.held());
        for ((hot, (_, mask)), page) in hot.iter_mut().zip(picks.list()).zip(pages) {
            *hot = self.in_slc_of(page, mask, io);
        }
        hot
    }

    /// The units of a logical page in `mask` that lie in SLC.
    fn in_slc_of(&self, page: u32, mask: u32, io: &Io) -> u32 {
        let first = page * io.policy().mus_per_page;
        bits(mask).filter(|i| self.in_slc(Mu(first + i), io)).fold(0, |all, i| all | 1 << i)
    }

    fn in_slc(&self, mu: Mu, io: &Io) -> bool {
        let geometry = io.geometry();
        let block = io.lookup(mu).map(|slot| geometry.block_of(geometry.page_of(slot)));
        block.is_some_and(|block| self.slc.opened(block, io))
    }

    /// The next page of the open SLC block of `logical`, after what it takes to have one.
    fn next_page(&mut self, logical: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        if let Some(page) = self.open_page(logical, io) {
            return Ok(page);
        }
        self.make_free(logical, self.free_blocks, io)?;
        let plane = self.owners.plane(logical);
        if self.owners.count(logical) < self.max_slc_blocks && self.free(plane, io) >= self.free_blocks {
            return self.open(logical, io);
        }
        // Collecting makes room, or leaves a block to be opened in place of the one collected.
        while self.owners.count(logical) > 0 {
            self.collect(logical, io)?;
            if let Some(page) = self.open_page(logical, io) {
                return Ok(page);
            }
            let may_open = self.owners.count(logical) < self.max_slc_blocks;
            if may_open && self.free(plane, io) >= OPEN_ABOVE {
                return self.open(logical, io);
            }
        }
        self.make_free(logical, OPEN_ABOVE, io)?;
        self.open(logical, io)
    }

    /// The next page of the SLC block that is open, if one is.
    fn open_page(&self, logical: u32, io: &Io) -> Option<Ppn> {
        self.slc.next_page_of(self.owners.last(logical)?, io)
    }

    fn open(&mut self, logical: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        let plane = self.owners.plane(logical);
        let block = self.slc.open_apart(io, plane, OPEN_ABOVE - 1).ok_or(DeviceFull)?;
        self.owners.add(logical, block);
        Ok(io.geometry().page(block, 0))
    }

    /// Programs pages of those that wait longest until there is room for `piece`.
    fn make_buffer_room(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(oldest) = io.held().entries().first().map(|held| held.page) {
            let new = piece.mask & !io.held().mask(piece.page);
            if io.held().units() + new.ones() <= self.buffer_units {
                break;
            }
            self.program(self.logical(oldest), piece.request, io)?;
        }
        Ok(())
    }

    /// The plane for a page from before time 0: what lies there is old, and dense.
    fn plane_of_old(&mut self, page: u32, io: &mut Io) -> Result<PlaneId, DeviceFull> {
        let logical = self.logical(page);
        let plane = self.owners.plane(logical);
        if self.dense.needs_block(plane, Writer::Host) {
            self.make_free(logical, OPEN_ABOVE, io)?;
        }
        Ok(plane)
    }
}

impl Scheme for Ust {
    const KNOBS: &'static [KnobSpec] = &KNOBS;
    const SIGNALS: &'static [SignalSpec] = &SIGNALS;

    regions! { Cache slc, Store dense }

    fn audit_own(&self, _io: &Io) -> Result<(), String> {
        let held = |&plane: &PlaneId| self.slc.used_blocks(plane) - self.slc.lost_blocks(plane);
        let used: u32 = self.slc.planes().iter().map(held).sum();
        match used == self.owners.blocks() {
            true => Ok(()),
            false => Err(format!("{used} SLC blocks, of which logical blocks have {}", self.owners.blocks())),
        }
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.plane_of_old(page, io)?;
        page_level::preload(page, mask, &mut self.dense, plane, OPEN_ABOVE - 1, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if io.clockless() {
            let plane = self.plane_of_old(piece.page, io)?;
            let first = piece.page * io.policy().mus_per_page;
            self.rewritten.clear(first as usize..(first + io.policy().mus_per_page) as usize);
            return page_level::write(&piece, &mut self.dense, plane, OPEN_ABOVE - 1, io);
        }
        self.make_buffer_room(&piece, io)?;
        if self.slots == io.policy().mus_per_page
            && piece.is_full(self.slots)
            && self.is_clear_of(piece.page, io)
        {
            return self.program_alone(&piece, io);
        }
        let absorbed = self.buffer.hold(&piece, SLC, io);
        self.stats.absorbed(absorbed, io);
        let logical = self.logical(piece.page);
        // Whoever makes a page necessary waits for its program; what is held is acknowledged.
        while self.waiting(logical, io) >= self.slots {
            self.program(logical, piece.request, io)?;
        }
        Ok(())
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        self.rewritten.clear(first as usize..end as usize);
    }

    fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(oldest) = io.held().entries().first().filter(|_| all).map(|held| held.page) {
            self.program(self.logical(oldest), RequestId::NONE, io)?;
        }
        Ok(())
    }

    fn window_length(&self) -> WindowLength {
        WindowLength { unit: WindowUnit::WriteBytes, count: self.window_bytes }
    }

    fn window(&mut self, _counters: &WindowCounters, _io: &mut Io) -> Result<(), DeviceFull> {
        self.slc_blocks_series.push(f64::from(self.owners.blocks()));
        Ok(())
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        let free_max = (self.dense.spec.blocks / 2).max(self.free_blocks);
        let knob = |spec, least, most, value| {
            let range = KnobRange::whole(least, most);
            Knob { spec, range, value: f64::from(value) }
        };
        let [max_slc_blocks, free_blocks] = &KNOBS;
        vec![
            knob(max_slc_blocks, 1, SLC_BLOCKS_MAX, self.max_slc_blocks),
            knob(free_blocks, OPEN_ABOVE, free_max, self.free_blocks),
        ]
    }

    /// What a logical block has beyond a lower limit it loses when it next needs a page.
    fn turn(&mut self, knob: usize, value: f64, _io: &mut Io) -> Result<(), DeviceFull> {
        match knob {
            0 => self.max_slc_blocks = value as u32,
            _ => self.free_blocks = value as u32,
        }
        Ok(())
    }

    fn signals(&self, io: &Io) -> Vec<f64> {
        let slc_share = f64::from(self.owners.blocks()) / self.dense.share().blocks as f64;
        vec![slc_share, io.mapped() as f64 / f64::from(io.mus())]
    }

    fn held_units_max(&self) -> u32 {
        self.buffer_units
    }

    /// Blocks are opened as long as `OPEN_ABOVE` are free, however many are reclaimed for.
    fn slc_bytes_max(&self, io: &Io) -> u64 {
        self.slc_bytes_beside(OPEN_ABOVE - 1, io)
    }

    fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
        let planes = self.dense.planes();
        let dense: u32 = planes.iter().map(|&plane| self.dense.used_blocks(plane)).sum();
        self.slc_bytes_beside(self.free_blocks + dense / planes.len() as u32, io)
    }

    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        self.slc_bytes_beside(self.free_blocks, io)
    }

    fn blocks(&self) -> Vec<BlockShare> {
        let slc = u64::from(self.owners.blocks());
        let all = self.dense.share();
        vec![BlockShare { blocks: slc, ..self.slc.share() }, BlockShare { blocks: all.blocks - slc, ..all }]
    }

    fn report(&self, io: &Io) -> SchemeReport {
        self.figures(io)
    }
}
