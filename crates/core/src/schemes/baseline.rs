//! A page-level SLC write cache in front of a dense store.
//!
//! **What it does.** Every write goes to the SLC region as a whole page; a partial update of data
//! that exist anywhere first reads the rest of its page. When a plane runs short of SLC blocks,
//! the block with the most invalid pages is emptied into the dense region and erased.
//! **Paper.** "A Two-level SLC Cache Hierarchy for Hybrid SSDs", section II-C and the Baseline of
//! its evaluation.
//! **What the paper leaves open and what we chose.** The "GC trigger threshold of 50 %" is read as
//! free SLC blocks of a plane below half (`trigger = "free-blocks"`, MQSim's meaning of the key);
//! `trigger = "valid-share"` reads it as live pages above half of the region. Data move within
//! their plane; a dense wordline is staged in the controller until it is full (one-shot).
//! **Knobs.** None.

use crate::base::{BlockId, PlaneId, Problem};
use crate::ftl::clean::{clean_plane, empty_block, pad_unprotected, Job};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder};
use crate::ftl::io::{Io, Piece};
use crate::ftl::page_level;
use crate::ftl::region::{Region, RegionSpec, Writer};
use crate::ftl::scheme::{BlockShare, DeviceFull, Idle, Scheme, SchemeState};
use crate::ftl::victim;
use crate::hw::config::CellMode;
use crate::hw::device_config::DeviceConfig;
use crate::hw::op::{Cause, Class};
use crate::hw::timing::op_table::RequestId;
use crate::metrics::report::{SchemeReport, TableReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Free dense blocks per plane that migration leaves to cleaning, which must win at least one more.
const RESERVE: u32 = 1;

/// When the SLC region of a plane is reclaimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// Free SLC blocks fall below `slc.start_free_ratio`.
    #[default]
    FreeBlocks,
    /// Live pages exceed `1 - slc.start_free_ratio` of the SLC region (or two blocks are left).
    ValidShare,
}

/// Parameters of `baseline`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BaselineConfig {
    /// SLC blocks per plane.
    pub slc_blocks: u32,
    /// Cell mode of the store behind the cache.
    pub dense_mode: CellMode,
    /// Order in which consecutive writes go to planes.
    pub plane_order: PlaneOrder,
    /// How a write's plane is chosen.
    pub placement: Placement,
    /// What starts the reclamation of SLC blocks.
    pub trigger: Trigger,
    /// Reclamation of SLC blocks.
    pub slc: CleanConfig,
    /// Cleaning of the dense region.
    pub dense: CleanConfig,
}

impl Default for BaselineConfig {
    fn default() -> Self {
        Self {
            slc_blocks: 64,
            dense_mode: CellMode::Tlc,
            plane_order: PlaneOrder::Cwdp,
            placement: Placement::RoundRobin,
            trigger: Trigger::FreeBlocks,
            slc: CleanConfig { start_free_ratio: 0.5, ..CleanConfig::default() },
            dense: CleanConfig { start_free_ratio: 0.05, ..CleanConfig::default() },
        }
    }
}

impl BaselineConfig {
    /// The pool used: the first that offers both modes.
    fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        device.pool.iter().position(|p| p.slc.is_some() && p.mode(self.dense_mode).is_some())
    }

    /// Adds every problem of the parameters on `device`.
    pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.slc.check("scheme.baseline.slc", problems);
        self.dense.check("scheme.baseline.dense", problems);
        if self.dense_mode == CellMode::Slc {
            problems.push(Problem::new("scheme.baseline.dense_mode", "slc", "mlc, tlc or qlc"));
        }
        if self.slc.idle_free_ratio > 0.0 || self.dense.idle_free_ratio > 0.0 {
            let value = self.slc.idle_free_ratio.max(self.dense.idle_free_ratio);
            problems.push(Problem::new(
                "scheme.baseline.*.idle_free_ratio",
                value,
                "0: the scheme does nothing in idle time",
            ));
        }
        let Some(index) = self.pool(device) else {
            let modes = super::offered_modes(device);
            let allowed = format!("a mode that one pool offers beside slc; the device offers {modes}");
            problems.push(Problem::new("scheme.baseline.dense_mode", self.dense_mode.name(), allowed));
            return;
        };
        let pool = &device.pool[index];
        super::check_page(device, pool, "scheme.baseline", problems);
        if self.slc_blocks < 3 || self.slc_blocks + 4 > pool.blocks {
            let allowed = format!(
                "between 3 and {} (the plane has {} blocks)",
                pool.blocks.saturating_sub(4),
                pool.blocks
            );
            problems.push(Problem::new("scheme.baseline.slc_blocks", self.slc_blocks, allowed));
            return;
        }
        let blocks = pool.blocks - self.slc_blocks;
        let held = super::held_back(&self.dense, blocks, RESERVE + 1);
        super::check_capacity(device, pool, self.dense_mode, blocks, held, problems);
    }
}

/// SLC write cache and dense store.
pub struct Baseline {
    slc: Region,
    dense: Region,
    trigger: Trigger,
    slc_free_wanted: u32,
    slc_live_pages_max: u32,
    dense_clean_below: u32,
    mapped_peak: u64,
    reclaimed_blocks: u64,
    reclaimed_live_pages: u64,
}

impl Baseline {
    /// The scheme on a checked device.
    pub fn new(config: &BaselineConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let pool = config.pool(device).expect("Invariant: the configuration was checked");
        let spec = |id: u8, mode, first_block, blocks, clean: &CleanConfig| RegionSpec {
            id,
            pool,
            mode,
            first_block,
            blocks,
            order: config.plane_order.letters(),
            placement: config.placement,
            clean: clean.clone(),
        };
        let dense_blocks = device.pool[pool].blocks - config.slc_blocks;
        let slc = Region::new(spec(0, CellMode::Slc, 0, config.slc_blocks, &config.slc), io);
        let dense =
            Region::new(spec(1, config.dense_mode, config.slc_blocks, dense_blocks, &config.dense), io);
        let slc_pages = config.slc_blocks * slc.pages_per_block;
        Self {
            trigger: config.trigger,
            slc_free_wanted: config.slc.threshold(config.slc_blocks),
            slc_live_pages_max: (f64::from(slc_pages) * (1.0 - config.slc.start_free_ratio)) as u32,
            dense_clean_below: config.dense.threshold(dense_blocks).max(RESERVE + 1),
            slc,
            dense,
            mapped_peak: 0,
            reclaimed_blocks: 0,
            reclaimed_live_pages: 0,
        }
    }

    fn wants_reclaim(&self, plane: PlaneId, io: &Io) -> bool {
        let free = self.slc.free_blocks(plane);
        match self.trigger {
            Trigger::FreeBlocks => free < self.slc_free_wanted,
            Trigger::ValidShare => {
                free < self.slc.spec.clean.start_free_blocks
                    || self.slc_live_pages(plane, io) > self.slc_live_pages_max
            }
        }
    }

    fn slc_live_pages(&self, plane: PlaneId, io: &Io) -> u32 {
        let first = io.media.array.geometry.block(plane, self.slc.spec.first_block);
        (first.0..first.0 + self.slc.spec.blocks).map(|b| io.media.array.live_pages(BlockId(b))).sum()
    }

    /// Empties SLC blocks of `plane` into the dense region until the trigger is satisfied.
    fn reclaim(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        let job = Job { cause: Cause::Migration, class: Class::Urgent };
        while self.wants_reclaim(plane, io) {
            let Some(block) = victim::choose(&self.slc, io, plane, true) else {
                break;
            };
            let live_pages = io.media.array.live_pages(block);
            let to = self.dense_plane(plane, live_pages, io)?;
            empty_block(&mut self.dense, io, block, to, job, Writer::Host)?;
            pad_unprotected(&mut self.dense, io, to);
            self.slc.give_back(io, block);
            self.reclaimed_blocks += u64::from(!io.clockless);
            self.reclaimed_live_pages += if io.clockless { 0 } else { u64::from(live_pages) };
        }
        self.mapped_peak = self.mapped_peak.max(io.media.mapped());
        Ok(())
    }

    /// The plane whose dense part takes `pages` pages: the victim's own, else the roomiest.
    fn dense_plane(&mut self, plane: PlaneId, pages: u32, io: &mut Io) -> Result<PlaneId, DeviceFull> {
        if self.dense_room(plane, io) >= pages {
            return Ok(plane);
        }
        let planes: Vec<PlaneId> = self.dense.planes().to_vec();
        let rooms = planes.into_iter().map(|p| (self.dense_room(p, io), std::cmp::Reverse(p))).max();
        match rooms {
            Some((room, std::cmp::Reverse(p))) if room >= pages => Ok(p),
            _ => Err(DeviceFull),
        }
    }

    /// Pages the dense part of `plane` can take, after cleaning where it is short of blocks.
    fn dense_room(&mut self, plane: PlaneId, io: &mut Io) -> u32 {
        let job = Job { cause: Cause::Gc, class: Class::Urgent };
        if self.dense.free_blocks(plane) < self.dense_clean_below {
            clean_plane(&mut self.dense, io, plane, self.dense_clean_below, job);
        }
        let reserve = RESERVE * self.dense.pages_per_block;
        self.dense.room(io, plane, Writer::Host).saturating_sub(reserve)
    }
}

impl Scheme for Baseline {
    fn preload(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let mut plane = self.dense.choose_plane(io, page);
        for _ in 0..self.dense.planes().len() {
            if self.dense.needs_block(plane, Writer::Host) {
                self.dense_room(plane, io);
            }
            if page_level::preload(page, &mut self.dense, plane, RESERVE, io).is_ok() {
                return Ok(());
            }
            plane = self.dense.pass_over(plane);
        }
        Err(DeviceFull)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let mut plane = self.slc.choose_plane(io, piece.page);
        for _ in 0..self.slc.planes().len() {
            if self.slc.needs_block(plane, Writer::Host) && self.wants_reclaim(plane, io) {
                self.reclaim(plane, io)?;
            }
            if page_level::write(&piece, &mut self.slc, plane, 0, io).is_ok() {
                return Ok(());
            }
            plane = self.slc.pass_over(plane);
        }
        Err(DeviceFull)
    }

    #[inline]
    fn read(&mut self, piece: Piece, io: &mut Io) {
        page_level::read(&piece, io);
    }

    fn flush(&mut self, request: RequestId, io: &mut Io) {
        super::flush_region(&mut self.slc, request, io);
        super::flush_region(&mut self.dense, request, io);
    }

    fn idle(&mut self, _plane: PlaneId, _io: &mut Io) -> Idle {
        Idle::Nothing
    }

    fn stage_due(&mut self, plane: PlaneId, io: &mut Io) {
        self.slc.pad(io, plane, false);
    }

    fn finish(&mut self, io: &mut Io) {
        self.mapped_peak = self.mapped_peak.max(io.media.mapped());
        super::pad_region(&mut self.slc, io);
        super::pad_region(&mut self.dense, io);
    }

    fn blocks(&self) -> Vec<BlockShare> {
        vec![self.slc.share(), self.dense.share()]
    }

    fn cache_live_bytes(&self, io: &Io) -> u64 {
        self.slc.live_bytes(io)
    }

    fn save(&self) -> SchemeState {
        SchemeState { regions: vec![self.slc.save(), self.dense.save()] }
    }

    fn load(&mut self, state: SchemeState) {
        for (region, part) in [&mut self.slc, &mut self.dense].into_iter().zip(state.regions) {
            region.load(part);
        }
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "baseline".into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_free_blocks_min", f64::from(self.slc.free_blocks_min()));
        figure("dense_free_blocks_min", f64::from(self.dense.free_blocks_min()));
        figure("slc_blocks_reclaimed", self.reclaimed_blocks as f64);
        figure("slc_pages_migrated", self.reclaimed_live_pages as f64);
        let entries = self.mapped_peak.div_ceil(u64::from(io.policy.mus_per_page));
        report.tables.push(TableReport { name: "page mapping table".into(), entries, bytes: entries * 4 });
        report
    }
}
