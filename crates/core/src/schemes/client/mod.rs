//! The SLC cache of a client SSD.
//!
//! **What it does.** The host writes to SLC blocks as long as their number is below a cap, which a static
//! part and a rule for the dynamic part set. Then it writes past the cache to dense blocks, or only
//! through it. When no block is free, SLC blocks are folded into dense ones first, as many as the host
//! needs room for. Idle time, or the background, folds the rest.
//! **Paper.** None: it puts together what makers say and laboratories measure (docs/schemes/client.md).
//! **What they leave open and what we chose.** decisions/0031-client-cache.md.
//! **Knobs.** `dynamic.max_bytes`, `flush.busy_ratio`, `idle.threshold_ns`.

mod cap;
mod check;
mod config;
mod flush;
mod host;
mod plane;
mod report;
mod room;
mod writers;

pub use config::ClientConfig;

use super::common::dials::{Dial, Dials, IDLE_THRESHOLD};
use super::common::turns::Turns;
use super::hybrid::{Packed, Packing};
use crate::base::{CellMode, PlaneId};
use crate::ftl::answer::{BlockShare, DeviceFull, Idle};
use crate::ftl::bank::BankId;
use crate::ftl::config::{CleanConfig, Placement, Victim};
use crate::ftl::fold::FoldWay;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::write_buffer::{DENSE, SLC};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::OpId;
use crate::metrics::report::SchemeReport;
use cap::{Cap, Filling};
use check::Fit;
use config::{FlushWhen, FoldHost, FoldPath, FoldVictim, Full};
use plane::PlaneState;
use report::ClientStats;
use serde::{Deserialize, Serialize};
use writers::{Lanes, Writers};

const MAX_BYTES: KnobSpec = KnobSpec {
    name: "dynamic.max_bytes",
    unit: "bytes",
    summary: "the more, the larger the dynamic part of the cache may become",
};

const BUSY_RATIO: KnobSpec = KnobSpec {
    name: "flush.busy_ratio",
    unit: "pages per page",
    summary: "the more, the faster a full cache is emptied while the host writes past it",
};

/// SLC and dense blocks of one bank, and who writes to which.
#[derive(Clone, Serialize, Deserialize)]
pub struct Client {
    #[serde(skip)]
    config: ClientConfig,
    bank: BankId,
    slc: Region,
    dense: Region,
    packing: Packing,
    turns: Turns,
    cap: Cap,
    /// Free blocks per plane that the host leaves to folding, and at which folding for it is over.
    keep_blocks: u32,
    stop_blocks: u32,
    way: FoldWay,
    planes: Vec<PlaneState>,
    /// In how many of them the host writes dense blocks.
    past: u32,
    /// Planes in which idle work had no room: asked again when the host changed anything.
    cramped: Vec<PlaneId>,
    /// Planes that write past the cache, and the place of one of them just taken.
    writers: Writers,
    #[serde(skip)]
    place: Option<usize>,
    /// Planes that fold.
    #[serde(skip)]
    lanes: Lanes,
    /// The last fold of each plane, and its serial number.
    #[serde(skip)]
    folds: Vec<(OpId, u64)>,
    /// When the last page was staged that the host no longer waits for, ns.
    #[serde(skip)]
    staged_ns: u64,
    dials: Dials,
    stats: ClientStats,
}

impl Client {
    pub fn new(config: &ClientConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        io.set_idle_rule(config.idle);
        let fit = Fit::new(config, device);
        let pool = fit.pool_index().expect("Invariant: the configuration was checked");
        let blocks = device.pool[pool].blocks;
        let bank = io.new_bank(pool, 0, &[blocks]);
        let spec = |mode, victim| RegionSpec {
            pack: Pack::Mu,
            bank: Some(bank),
            pool,
            mode,
            first_block: 0,
            blocks,
            order: config.plane_order.letters(),
            placement: config.placement,
            clean: CleanConfig { victim, wear_levelling: config.wear_levelling, ..CleanConfig::default() },
        };
        let slc = Region::new(spec(CellMode::Slc, Victim::Fifo), io);
        let mut dense = Region::new(spec(fit.mode, config.dense.victim), io);
        dense.set_quota(blocks - config.static_blocks);
        let in_chip =
            config.fold.path != FoldPath::Controller && device.pool[pool].fold_ns(fit.mode).is_some();
        let row_bytes = slc.slc_bytes(1, io);
        let slots = io.geometry().pools[pool].slots_per_page;
        Self {
            packing: Packing::new(slots, fit.mode.bits()),
            turns: Turns::new(io),
            cap: Cap::new(config, row_bytes),
            keep_blocks: fit.keep_blocks().unwrap_or_default(),
            stop_blocks: fit.stop_blocks().unwrap_or_default(),
            way: FoldWay { in_chip, overhead_ns: config.fold.overhead_ns, after: OpId::NONE },
            planes: vec![PlaneState::default(); io.geometry().planes.len()],
            past: 0,
            cramped: Vec::new(),
            writers: Writers::new(fit.fewer_planes(config.dense.parallel), slc.planes()),
            place: None,
            lanes: Lanes::new(fit.fewer_planes(config.fold.parallel)),
            folds: vec![(OpId::NONE, 0); io.geometry().planes.len()],
            staged_ns: 0,
            dials: Self::dials(config, row_bytes * u64::from(blocks)),
            stats: ClientStats::default(),
            config: config.clone(),
            bank,
            slc,
            dense,
        }
    }

    /// Where all blocks of the planes hold `slc_bytes` in SLC mode.
    fn dials(config: &ClientConfig, slc_bytes: u64) -> Dials {
        let most = (0..=16).map(|sixteenths| slc_bytes / 16 * sixteenths);
        let configured = config.dynamic.max_bytes.unwrap_or(slc_bytes);
        Dials::new([
            Dial::on_ladder(&MAX_BYTES, most.map(|bytes| bytes as f64), configured as f64),
            Dial::on_ladder(&BUSY_RATIO, [0.0, 0.25, 0.5, 1.0, 2.0, 4.0], config.flush.busy_ratio),
            Dial::idle_threshold(config.idle),
        ])
    }

    /// Takes over where the dials stand.
    fn follow_dials(&mut self) {
        self.cap.set_most(self.dials.count(&MAX_BYTES));
        self.config.flush.busy_ratio = self.dials.value(&BUSY_RATIO);
    }

    /// SLC blocks that `plane` may have now.
    fn cap_of(&self, plane: PlaneId, io: &Io) -> u32 {
        self.cap.blocks(Filling {
            blocks: self.slc.spec.blocks,
            dense: self.dense.used_blocks(plane),
            kept: self.keep_blocks,
            used: io.mapped() as f64 / f64::from(io.mus()),
        })
    }

    /// Places what is old: data from before time 0, in dense blocks.
    fn old_plane<T>(
        &mut self,
        page: u32,
        io: &mut Io,
        place: impl Fn(&mut Region, PlaneId, &mut Io) -> Option<T>,
    ) -> Result<T, DeviceFull> {
        let plane = self.dense.choose_plane(io, page);
        try_planes(
            self,
            plane,
            |client| client.dense.allocator(),
            |client, plane| {
                if client.dense.needs_block(plane, Writer::Host) && !client.make_dense_room(plane, io) {
                    return Ok(None);
                }
                Ok(place(&mut client.dense, plane, io))
            },
        )
    }
}

impl Scheme for Client {
    const KNOBS: &'static [KnobSpec] = &[MAX_BYTES, BUSY_RATIO, IDLE_THRESHOLD];

    regions! { Cache slc, Store dense }

    fn resume(&mut self, fresh: Self) -> Result<(), String> {
        (self.config, self.lanes, self.folds) = (fresh.config, fresh.lanes, fresh.folds);
        self.config.flush.busy_ratio = self.dials.value(&BUSY_RATIO);
        Ok(())
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.old_plane(page, io, |dense, plane, io| page_level::preload(page, mask, dense, plane, 0, io).ok())
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if !self.cramped.is_empty() {
            self.ask_cramped_again(io);
        }
        self.pack(&piece, if io.clockless() { DENSE } else { SLC }, io)
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        self.ask_cramped_again(io);
    }

    fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        if !all {
            self.pad_quiet(io);
        }
        self.program_all_held(all, io)
    }

    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        self.flush_idle(plane, io)
    }

    fn drain(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
        Ok(self.drain_round(io))
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    /// Blocks beyond a smaller cap stay in the cache until they are folded.
    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.follow_dials();
            self.dials.set_idle_threshold(io);
            if self.config.flush.when == FlushWhen::Lazy {
                // It may be due in a smaller cache.
                io.mark_all_idle_work();
            }
        }
        Ok(())
    }

    fn held_units_max(&self) -> u32 {
        self.packing.units_max()
    }

    /// A wordline where one may be programmed at once: no part of it is left for later writes. Where they
    /// fill side by side, pages that follow each other are in several: each has its room until its own ends.
    fn program_units(&self, io: &Io) -> u32 {
        match self.config.placement {
            Placement::Striped => self.packing.slots(),
            _ => self.wordline_units(io),
        }
    }

    fn wordline_units(&self, _io: &Io) -> u32 {
        let pages = if self.past == 0 { 1 } else { self.dense.pages_per_program() };
        self.packing.slots() * pages
    }

    fn packs_units(&self) -> bool {
        true
    }

    fn phases(&self) -> Vec<(&'static str, usize)> {
        self.planes_by_phase()
    }

    /// Beyond the cap, the host may have SLC blocks while others are folded, or one where all goes through
    /// the cache.
    fn slc_bytes_max(&self, io: &Io) -> u64 {
        let row = self.slc.slc_bytes(1, io);
        match (self.config.full, self.config.fold.host) {
            (Full::Direct, FoldHost::Slc) => row * u64::from(self.slc.spec.blocks - self.keep_blocks),
            (Full::Through, _) => self.slc_cache_bytes(io).max(row),
            (Full::Direct, FoldHost::Dense) => self.slc_cache_bytes(io),
        }
    }

    fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
        let most = self.slc.spec.blocks - self.keep_blocks;
        let planes = self.slc.planes();
        let blocks: u64 = planes.iter().map(|&plane| u64::from(self.cap_of(plane, io).min(most))).sum();
        self.slc.slc_bytes(1, io) / planes.len() as u64 * blocks
    }

    /// The cap of an empty device.
    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        let blocks = self.slc.spec.blocks;
        let most = self.cap.blocks(Filling { blocks, dense: 0, kept: self.keep_blocks, used: 0.0 });
        self.slc.slc_bytes(most.min(blocks - self.keep_blocks), io)
    }

    /// Blocks are of the mode they were last opened in; free ones count as dense.
    fn blocks(&self) -> Vec<BlockShare> {
        let slc = self.slc.planes().iter().map(|&plane| u64::from(self.slc.used_blocks(plane))).sum();
        let all = self.dense.share();
        vec![BlockShare { blocks: slc, ..self.slc.share() }, BlockShare { blocks: all.blocks - slc, ..all }]
    }

    fn report(&self, io: &Io) -> SchemeReport {
        self.figures(io)
    }
}
