//! One region of flash above a disk: what `nvc` would be of one kind of cells.
//!
//! **What it does.** What the DRAM buffer evicts, and what is read from the disk, is appended to a log.
//! The log is cleaned as the dense region of `nvc` is: what is cold stays at its head or leaves for the
//! disk.
//! **Paper.** NAND Flash-based Disk Cache Using SLC/MLC Combined Flash Memory, section VI: the SLC-only
//! and the MLC-only chip.
//! **What the paper leaves open and what we chose.** See docs/schemes/nvc.md.
//! **Knobs.** None.

use super::super::common::tables::unit_table;
use super::config::{NvcMlcOnlyConfig, NvcSlcOnlyConfig, SingleConfig};
use super::copies::Copies;
use super::figures::{LogTier, Origin};
use super::level::{LogLevel, Shared};
use super::rules::LastLogRule;
use crate::base::arithmetic::Ones;
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::CleanConfig;
use crate::ftl::io::Io;
use crate::ftl::log_region::{LogRegion, LogSpec};
use crate::ftl::page_level::mapped_in;
use crate::ftl::piece::Piece;
use crate::ftl::region::{Pack, RegionSpec};
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::unit_level::Reads;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// A scheme with one region.
pub trait Kind: Clone {
    /// Its parameters.
    type Config: SingleConfig;
    const NAME: &'static str;
    /// What its region counts as.
    const TIER: LogTier;
}

/// The region is in SLC mode.
#[derive(Clone)]
pub struct SlcOnly;

impl Kind for SlcOnly {
    type Config = NvcSlcOnlyConfig;
    const NAME: &'static str = "nvc-slc-only";
    const TIER: LogTier = LogTier::Slc;
}

/// The region is in a dense mode.
#[derive(Clone)]
pub struct MlcOnly;

impl Kind for MlcOnly {
    type Config = NvcMlcOnlyConfig;
    const NAME: &'static str = "nvc-mlc-only";
    const TIER: LogTier = LogTier::Dense;
}

/// A log above a disk.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Single<K: Kind> {
    level: LogLevel,
    rule: LastLogRule,
    shared: Shared,
    kind: std::marker::PhantomData<K>,
}

impl<K: Kind> Single<K> {
    pub fn new(config: &K::Config, device: &DeviceConfig, io: &mut Io) -> Self {
        let spec = config.spec(device);
        let pool = spec.pool(device).expect("Invariant: the configuration was checked");
        let region = RegionSpec {
            pack: Pack::Page,
            bank: None,
            pool,
            mode: spec.mode,
            first_block: 0,
            blocks: spec.log.blocks.unwrap_or(device.pool[pool].blocks),
            order: spec.log.plane_order.letters(),
            placement: spec.log.placement,
            clean: CleanConfig::default(),
        };
        let copies = Copies::new(spec.log.copy_buffer_bytes, device.pool[pool].page_bytes);
        let (cold_share, reserve_share) = (spec.log.clean.cold_share, spec.log.clean.reserve_share);
        let log = LogRegion::new(LogSpec { region, cold_share, reserve_share }, io);
        Self {
            level: LogLevel::new(log, K::TIER),
            rule: spec.log.clean.clone(),
            shared: Shared::new(spec.log.flush_clean, copies, io),
            kind: std::marker::PhantomData,
        }
    }

    fn make_room(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        self.level.make_room_above_disk(Some(&self.rule), &mut self.shared, io)
    }

    /// Notes what of a piece was found where, and that it was read.
    fn count(&mut self, hits: u32, misses: u32) {
        self.shared.figures.hit(K::TIER, hits.ones());
        self.shared.figures.miss(misses.ones());
    }
}

impl<K: Kind> Scheme for Single<K> {
    regions! { Cache level.log }

    /// Everything lies on the disk at first.
    fn preload(&mut self, _page: u32, _mask: u32, _io: &mut Io) -> Result<(), DeviceFull> {
        Ok(())
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.make_room(io)?;
        self.level.write(&piece, &mut self.shared, io)
    }

    #[inline]
    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let here = mapped_in(io, piece.page, piece.mask);
        let on_disk = piece.mask & !here;
        self.count(here, on_disk);
        if here != 0 {
            Reads::host(&piece, here, false, io);
        }
        if on_disk != 0 {
            let reads = Reads::host_from_disk(&piece, on_disk, io);
            if self.shared.may_copy(on_disk.ones(), io) {
                self.make_room(io)?;
                let units = (piece.page, on_disk);
                self.level.take_in(units, &reads, Origin::Disk, &mut self.shared, io)?;
            }
        }
        Ok(())
    }

    fn served_above(&mut self, units: u32) {
        self.shared.figures.buffer_hit(units);
    }

    fn report(&self, io: &Io) -> SchemeReport {
        SchemeReport {
            name: K::NAME.into(),
            figures: self.shared.figures.report(&[(K::TIER, &self.level.log)], io),
            tables: vec![unit_table(io)],
            ..SchemeReport::default()
        }
    }
}
