//! An SLC region whose size changes while the device runs, beside a dense region: what the schemes of
//! the reinforcement-learning paper have in common.
//!
//! Both regions open blocks out of one bank, each up to its quota, and the quotas always add up to the
//! blocks of a plane. A write request that is not larger than a threshold, theta, goes to the SLC
//! region as a whole, any other to the dense one. Units are packed into full pages wherever they go:
//! when they come (`ftl::write_buffer`), when an SLC block is migrated, and when a dense one is
//! cleaned (`ftl::clean`).

mod config;
mod control;
mod dense;
mod dwa;
mod packing;
mod qlc_only;
mod report;
mod resize;
mod slc_share;
mod zones;

pub use config::{DenseRule, HybridConfig, Reclaim, SlcRule};
pub use control::{
    slc_blocks_possible, Limits, Setting, SIGNALS, SLC_BLOCKS, SLC_SHARE_MAX, THETA_BYTES, THETA_LADDER,
};
pub use dense::{Dense, MigrationCount};
pub use dwa::{Dwa, DwaConfig};
pub use packing::{Packed, Packing, TakenPage};
pub use qlc_only::{QlcOnly, QlcOnlyConfig};
pub use report::TimeSplit;
pub use slc_share::{SlcShare, SlcShareConfig};

use crate::base::request::SECTOR_BYTES;
use crate::base::{BlockId, CellMode, PlaneId, Ppn};
use crate::ftl::answer::{BlockShare, DeviceFull};
use crate::ftl::bank::BankId;
use crate::ftl::io::Io;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Region, Writer};
use crate::ftl::victim;
use crate::ftl::write_buffer::{DENSE, SLC};
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::OpId;
use control::Demand;
use report::HybridStats;
use serde::{Deserialize, Serialize};
use zones::Zones;

/// What `Scheme` says of a scheme whose regions are `hybrid`.
macro_rules! of_hybrid {
    () => {
        $crate::ftl::scheme::regions! { Cache hybrid.slc, Store hybrid.dense.region }

        fn program_held(
            &mut self,
            all: bool,
            io: &mut $crate::ftl::io::Io,
        ) -> Result<(), $crate::ftl::answer::DeviceFull> {
            self.hybrid.program_all_held(all, io)
        }

        fn packs_units(&self) -> bool {
            true
        }

        fn held_units_max(&self) -> u32 {
            self.hybrid.held_units_max()
        }

        fn blocks(&self) -> Vec<$crate::ftl::answer::BlockShare> {
            self.hybrid.blocks()
        }
    };
}
pub(in crate::schemes) use of_hybrid;

/// SLC region, dense region, and the threshold between them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Hybrid {
    /// The free blocks of both regions.
    bank: BankId,
    pub slc: Region,
    /// The dense region.
    pub dense: Dense,
    packing: Packing,
    slc_unused: bool,
    theta_bytes: u64,
    slc_free_below: u32,
    /// Blocks of each plane that are never SLC, nor counted on for data.
    spare_blocks: u32,
    limits: Limits,
    /// SLC blocks per plane to which the region grows where it is short of room.
    wanted: u32,
    /// The SLC blocks in zones, if they are migrated by zones.
    zones: Option<Zones>,
    /// Of the window under way, and of the one before.
    demand: Demand,
    window_before: Demand,
    stats: HybridStats,
}

impl Hybrid {
    /// Empty regions on a checked device; at first `slc_blocks` of each plane's blocks are SLC.
    pub fn new(
        spec: &HybridConfig,
        limits: Limits,
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
        let dense = Dense::new(dense_spec, spec.dense.threshold(), spec.reclaim.class(), io);
        let slc = Region::new(slc_spec, io);
        let mut hybrid = Self {
            bank,
            slc_unused: true,
            packing: Packing::new(dense.slots(io), dense.region.spec.mode.bits()),
            theta_bytes,
            slc_free_below: spec.slc_threshold(blocks),
            spare_blocks: spec.spare_blocks(blocks),
            limits,
            wanted: 0,
            zones: None,
            demand: Demand::default(),
            window_before: Demand::default(),
            stats: HybridStats::new(slc_blocks),
            slc,
            dense,
        };
        hybrid.begin_with(slc_blocks.min(hybrid.slc_blocks_beside(0)));
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

    /// Writes a piece: its units wait until they fill a page of their region.
    pub fn write(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if io.clockless() {
            // What lies there before time 0 is old.
            self.make_way(io);
            return self.pack(piece, DENSE, io);
        }
        let small = u64::from(piece.request_sectors) * SECTOR_BYTES <= self.theta_bytes;
        let to_slc = small && self.slc.quota() > 0;
        self.demand.count(piece, small, to_slc, &self.slc, io);
        self.pack(piece, if to_slc { SLC } else { DENSE }, io)
    }

    /// Places what logical page `page` lacks of its units in `mask`, as if it had been there before time 0.
    pub fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.make_way(io);
        while self.dense.preload(page, mask, io).is_err() {
            if !self.force_shrink(io) {
                return Err(DeviceFull);
            }
        }
        Ok(())
    }

    /// Whether nothing was written to the SLC region yet.
    pub fn is_slc_unused(&self) -> bool {
        self.slc_unused
    }

    fn slc_page(&mut self, page: u32, io: &mut Io) -> Result<Ppn, DeviceFull> {
        self.slc_unused = false;
        let plane = self.slc.choose_plane(io, page);
        let page = try_planes(
            self,
            plane,
            |hybrid| hybrid.slc.allocator(),
            |hybrid, plane| {
                if hybrid.slc.needs_block(plane, Writer::Host) {
                    hybrid.make_slc_room(plane, io);
                }
                Ok(hybrid.slc.take_page(io, plane, Writer::Host, 0))
            },
        )?;
        if let Some(zones) = &mut self.zones {
            zones.written(io.geometry().block_of(page), io);
        }
        Ok(page)
    }

    /// Lets the region grow and migrates SLC blocks of `plane` until enough are free, or none is left
    /// that can be.
    fn make_slc_room(&mut self, plane: PlaneId, io: &mut Io) {
        while self.slc.free_blocks(plane, io) < self.slc_free_below
            && (self.slc.quota() < self.wanted && self.grow(io) || self.migrate(plane, false, io))
        {}
    }

    /// Migrates the next zone, or else the SLC block of `plane` with the least live data; false if there
    /// is none, or no room.
    fn migrate(&mut self, plane: PlaneId, emergency: bool, io: &mut Io) -> bool {
        if let Some((zone, accessed)) = self.zones.as_ref().and_then(|zones| zones.next(plane, io)) {
            let home = |&block: &BlockId| io.geometry().plane_of(block) == plane;
            let of_plane = zone.iter().copied().find(home).expect("Invariant: the zone has a block there");
            self.stats.count_zone(accessed, io);
            for block in zone {
                self.migrate_block(block, emergency, io);
            }
            return !self.slc.holds(of_plane, io);
        }
        let block = victim::least_live(&self.slc, io, plane);
        block.is_some_and(|block| self.migrate_block(block, emergency, io))
    }

    /// Migrates an SLC block; false if there is no room for what lives in it.
    fn migrate_block(&mut self, block: BlockId, emergency: bool, io: &mut Io) -> bool {
        let Some(done) = self.dense.take_in(block, emergency, io) else {
            return false;
        };
        self.slc.give_back(io, block);
        self.stats.migrated.count(done, io);
        if let Some(zones) = &mut self.zones {
            zones.rewritten(block, io);
        }
        true
    }

    /// Most mapping units that wait in the controller.
    pub fn held_units_max(&self) -> u32 {
        self.packing.units_max()
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
}

impl Packed for Hybrid {
    fn packing(&mut self) -> &mut Packing {
        &mut self.packing
    }

    /// Where neither region has room, the SLC region shrinks.
    fn take_page(&mut self, stream: u8, page: u32, io: &mut Io) -> Result<TakenPage, DeviceFull> {
        loop {
            let region = if self.slc.quota() > 0 { stream } else { DENSE };
            let taken = match region {
                SLC => self.slc_page(page, io).map(|page| (page, true)),
                _ => self.dense.host_page(page, io),
            };
            match taken {
                Ok((page, fills)) => return Ok(TakenPage { region, page, fills, after: OpId::NONE }),
                Err(full) if !self.force_shrink(io) => return Err(full),
                Err(_) => {}
            }
        }
    }

    fn region(&mut self, stream: u8) -> &mut Region {
        match stream {
            SLC => &mut self.slc,
            _ => &mut self.dense.region,
        }
    }
}
