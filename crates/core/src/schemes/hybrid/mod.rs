//! An SLC region whose size changes while the device runs, beside a dense region: what the schemes of
//! the reinforcement-learning paper have in common.
//!
//! Both regions open blocks out of one bank, each up to its quota, and the quotas always add up to the
//! blocks of a plane. A write request that is not larger than a threshold, theta, goes to the SLC
//! region as a whole, any other to the dense one. Units are packed into full pages wherever they go:
//! when they come (`ftl::write_buffer`), when an SLC block is migrated, and when a dense one is
//! cleaned (`ftl::compact`).

mod config;
mod demand;
mod dense;
mod knobs;
mod report;
mod resize;

pub use config::{slc_blocks_cap, slc_blocks_min, DenseRule, HybridSpec, Reclaim, SlcRule};
pub use demand::Demand;
pub use dense::{Dense, Moved, RESERVE};
pub use knobs::{SLC_BLOCKS, THETA_BYTES, THETA_LADDER};
pub use report::TimeSplit;

pub(in crate::schemes) use config::hybrid_config;

use crate::base::request::SECTOR_BYTES;
use crate::base::{CellMode, PlaneId, Ppn};
use crate::ftl::answer::{BlockShare, DeviceFull};
use crate::ftl::io::Io;
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::{in_order, Picks};
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Region, Writer};
use crate::ftl::victim;
use crate::ftl::write_buffer::{WriteBuffer, DENSE, SLC};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::RequestId;
use report::Stats;
use serde::{Deserialize, Serialize};

/// What a snapshot holds beside the regions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HybridState {
    slc_blocks: u32,
    theta_bytes: u64,
    demand: Demand,
}

/// SLC region, dense region, and the threshold between them.
#[derive(Clone)]
pub struct Hybrid {
    /// The SLC region.
    pub slc: Region,
    /// The dense region.
    pub dense: Dense,
    buffer: WriteBuffer,
    /// Slots of a page.
    slots: u32,
    theta_bytes: u64,
    slc_free_below: u32,
    demand: Demand,
    stats: Stats,
}

impl Hybrid {
    /// Empty regions on a checked device; at first `slc_blocks` of each plane's blocks are SLC.
    pub fn new(
        spec: &HybridSpec,
        slc_blocks: u32,
        theta_bytes: u64,
        device: &DeviceConfig,
        io: &mut Io,
    ) -> Self {
        let mut slc_spec = spec.region(device, CellMode::Slc);
        let mut dense_spec = spec.region(device, spec.mode(device));
        let blocks = dense_spec.blocks;
        let bank = io.new_bank(dense_spec.pool, 0, &[blocks]);
        (slc_spec.bank, dense_spec.bank) = (Some(bank), Some(bank));
        let dense = Dense::new(dense_spec, spec.dense.threshold(blocks), spec.reclaim.class(), io);
        let slc = Region::new(slc_spec, io);
        let slots = slc.full_block(io) / slc.pages_per_block;
        let mut hybrid = Self {
            // The host's part: a page of the one stream, a wordline of the other.
            buffer: WriteBuffer::new(slots * (1 + dense.region.spec.mode.bits())),
            slots,
            theta_bytes,
            slc_free_below: spec.slc_threshold(blocks),
            demand: Demand::default(),
            stats: Stats::new(slc_blocks),
            slc,
            dense,
        };
        hybrid.set_quotas(slc_blocks);
        hybrid
    }

    /// Blocks of each plane, of both regions.
    pub fn plane_blocks(&self) -> u32 {
        self.slc.spec.blocks
    }

    /// SLC blocks per plane: the quota of the SLC region.
    pub fn slc_blocks(&self) -> u32 {
        self.slc.quota()
    }

    /// The size from which on a request no longer goes to the SLC region, bytes: the largest that does.
    pub fn theta_bytes(&self) -> u64 {
        self.theta_bytes
    }

    /// Sets theta; 0 keeps every request out of the SLC region.
    pub fn set_theta(&mut self, bytes: u64) {
        self.theta_bytes = bytes;
    }

    /// Data the device holds as a share of its user capacity.
    pub fn utilisation(&self, io: &Io) -> f64 {
        io.mapped() as f64 / f64::from(io.mus())
    }

    /// What the host asked for since this was last called.
    pub fn take_demand(&mut self) -> Demand {
        std::mem::take(&mut self.demand)
    }

    /// What the host asked for since then.
    pub fn demand(&self) -> &Demand {
        &self.demand
    }

    /// Writes a piece: its units wait until they fill a page of their region.
    pub fn write(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let small = u64::from(piece.request_sectors) * SECTOR_BYTES <= self.theta_bytes;
        // What lies there before time 0 is old.
        let to_slc = small && self.slc.quota() > 0 && !io.clockless();
        if !io.clockless() {
            self.demand.count(piece, small, to_slc, &self.slc, io);
        }
        let stream = if to_slc { SLC } else { DENSE };
        let absorbed = self.buffer.hold(piece, stream, io);
        self.stats.count_absorbed(absorbed, io);
        while let Some(picks) = in_order(io.held(), stream, self.slots, false) {
            self.program(stream, &picks, piece.request, io)?;
        }
        self.buffer.acknowledge(piece, stream, io);
        Ok(())
    }

    /// Programs held units as one page, for which `request` waits if it is the one that has to.
    fn program(
        &mut self,
        stream: u8,
        picks: &Picks,
        request: RequestId,
        io: &mut Io,
    ) -> Result<(), DeviceFull> {
        let first = picks.pages(io.held())[0];
        self.stats.count_short(self.slots - picks.units(), io);
        let (to, page, fills) = self.take_page(stream, first, io)?;
        let request = if self.buffer.waits(stream, fills, io) { request } else { RequestId::NONE };
        let region = if to == SLC { &mut self.slc } else { &mut self.dense.region };
        mixed::program(picks, Carry::Nothing, region, page, request, io);
        Ok(())
    }

    /// The next page for units of `stream`: the region it is in, and whether it makes a wordline full.
    /// Where neither has room, the SLC region shrinks.
    fn take_page(&mut self, stream: u8, page: u32, io: &mut Io) -> Result<(u8, Ppn, bool), DeviceFull> {
        loop {
            let to = if self.slc.quota() > 0 { stream } else { DENSE };
            let taken = match to {
                SLC => self.slc_page(page, io).map(|page| (to, page, true)),
                _ => self.dense.host_page(page, io).map(|(page, fills)| (to, page, fills)),
            };
            if taken.is_ok() || !self.force_shrink(io) {
                return taken;
            }
        }
    }

    fn slc_page(&mut self, page: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        let plane = self.slc.choose_plane(io, page);
        try_planes(
            self,
            plane,
            |hybrid| hybrid.slc.allocator(),
            |hybrid, plane| {
                if hybrid.slc.needs_block(plane, Writer::Host) {
                    hybrid.make_slc_room(plane, io);
                }
                Ok(hybrid.slc.take_page(io, plane, Writer::Host, 0))
            },
        )
    }

    /// Migrates SLC blocks of `plane` until enough are free, or none is left that can be.
    fn make_slc_room(&mut self, plane: PlaneId, io: &mut Io) {
        while self.slc.free_blocks(plane, io) < self.slc_free_below && self.migrate(plane, false, io) {}
    }

    /// Migrates the SLC block of `plane` with the least live data; false if there is none, or no room.
    fn migrate(&mut self, plane: PlaneId, emergency: bool, io: &mut Io) -> bool {
        let Some(block) = victim::least_live(&self.slc, io, plane) else {
            return false;
        };
        let Some(done) = self.dense.take_in(block, emergency, io) else {
            return false;
        };
        self.slc.give_back(io, block);
        self.stats.migrated.count(done, io);
        true
    }

    /// Programs what is held and has waited long enough, or `all`; short pages are padded.
    pub fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        for stream in [SLC, DENSE] {
            let due = all || self.buffer.is_due(stream, io);
            while let Some(picks) = due.then(|| in_order(io.held(), stream, self.slots, true)).flatten() {
                self.program(stream, &picks, RequestId::NONE, io)?;
            }
            if due && !all {
                // Requests wait for what was staged just now.
                for plane in self.dense.region.planes().to_vec() {
                    self.dense.region.pad(io, plane, true);
                }
            }
        }
        Ok(())
    }

    /// The blocks of both regions.
    pub fn blocks(&self) -> Vec<BlockShare> {
        let planes = self.slc.planes().len() as u64;
        let share = |region: &Region| {
            let blocks = u64::from(region.quota()) * planes;
            BlockShare { pool: region.spec.pool, mode: region.spec.mode, blocks }
        };
        vec![share(&self.slc), share(&self.dense.region)]
    }

    /// What a snapshot holds.
    pub fn save(&self) -> HybridState {
        let (slc_blocks, theta_bytes, demand) = (self.slc_blocks(), self.theta_bytes, self.demand.clone());
        HybridState { slc_blocks, theta_bytes, demand }
    }

    /// Takes a snapshot's part, whose regions are loaded, or says why it cannot be this one's.
    pub fn load(&mut self, state: HybridState) -> Result<(), String> {
        let HybridState { slc_blocks, theta_bytes, demand } = state;
        let blocks = self.plane_blocks();
        if slc_blocks > blocks {
            return Err(format!("{slc_blocks} SLC blocks per plane, of {blocks}"));
        }
        self.set_quotas(slc_blocks);
        for (region, name) in [(&self.slc, "SLC"), (&self.dense.region, "dense")] {
            let used = region.planes().iter().map(|&plane| region.used_blocks(plane)).max().unwrap_or(0);
            if used > region.quota() {
                return Err(format!("{used} {name} blocks of a plane in use, of {}", region.quota()));
            }
        }
        self.theta_bytes = theta_bytes;
        self.demand = demand;
        Ok(())
    }
}
