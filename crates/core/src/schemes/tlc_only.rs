//! One dense mode without a cache.
//!
//! **What it does.** Every write goes straight to the one region of the device, page-mapped, with
//! read-modify-write of partial pages and cleaning within each plane.
//! **Paper.** The reference every SLC-cache paper compares with (002 calls it QLC-only).
//! **What the papers leave open and what we chose.** Plane allocation, cleaning threshold and
//! victim policy are options; the defaults are round robin in CWDP order and greedy cleaning.
//! **Knobs.** None.

use super::common::device_fit::{check_capacity, check_page, densest, held_back, offered_modes};
use super::common::tables::page_table;
use crate::base::op::{Cause, Class};
use crate::base::{CellMode, PlaneId, Problem};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::clean::{clean_one, clean_plane};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder};
use crate::ftl::io::Io;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::relocate::Job;
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::hw::config::{IdleRule, IdleScope};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Free blocks per plane that the host leaves to cleaning, which must win at least one more.
const RESERVE: u32 = 1;

/// Parameters of `tlc-only`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TlcOnlyConfig {
    /// Cell mode of the whole device; default: the densest it offers.
    pub mode: Option<CellMode>,
    /// Order in which consecutive logical pages go to planes.
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    pub placement: Placement,
    /// Cleaning.
    pub clean: CleanConfig,
    /// When cleaning starts in idle time, if `clean.idle_free_ratio` asks for it.
    pub idle: IdleRule,
}

impl Default for TlcOnlyConfig {
    fn default() -> Self {
        Self {
            mode: None,
            plane_order: PlaneOrder::Cwdp,
            placement: Placement::RoundRobin,
            clean: CleanConfig::default(),
            idle: IdleRule { threshold_ns: 1_000_000, scope: IdleScope::Plane },
        }
    }
}

impl TlcOnlyConfig {
    fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.mode.unwrap_or_else(|| densest(device))
    }

    /// The pool used: the largest that offers the mode.
    fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        let mode = self.mode(device);
        let offering = device.pool.iter().enumerate().filter(|(_, p)| p.mode(mode).is_some());
        offering.max_by_key(|(i, p)| (p.raw_bytes(mode), std::cmp::Reverse(*i))).map(|(i, _)| i)
    }
}

impl Parameters for TlcOnlyConfig {
    fn settle(&mut self, device: &DeviceConfig) {
        self.mode = Some(self.mode(device));
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let is_idle = matches!(key, "idle.threshold_ns" | "idle.scope");
        (is_idle && self.clean.idle_free_ratio == 0.0)
            .then_some("nothing is cleaned in idle time (clean.idle_free_ratio above 0 asks for it)")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.clean.check("scheme.tlc-only.clean", problems);
        self.idle.check("scheme.tlc-only.idle", problems);
        let Some(index) = self.pool(device) else {
            let modes = offered_modes(device);
            let mode = self.mode(device).name();
            problems.push(Problem::new("scheme.tlc-only.mode", mode, format!("one of {modes}")));
            return;
        };
        let pool = &device.pool[index];
        check_page(device, pool, "scheme.tlc-only", problems);
        let held = held_back(&self.clean, pool.blocks, RESERVE + 1);
        check_capacity(device, pool, self.mode(device), pool.blocks, held, problems);
    }
}

/// A device with one region.
#[derive(Clone)]
pub struct TlcOnly {
    region: Region,
    clean_below: u32,
    idle_target: u32,
}

impl TlcOnly {
    /// The scheme on a checked device.
    pub fn new(config: &TlcOnlyConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let pool = config.pool(device).expect("Invariant: the configuration was checked");
        let blocks = device.pool[pool].blocks;
        io.set_idle_rule(config.idle);
        let region = Region::new(
            RegionSpec {
                pack: Pack::Page,
                bank: None,
                pool,
                mode: config.mode(device),
                first_block: 0,
                blocks,
                order: config.plane_order.letters(),
                placement: config.placement,
                clean: config.clean.clone(),
            },
            io,
        );
        Self {
            region,
            clean_below: config.clean.threshold(blocks).max(RESERVE + 1),
            idle_target: (config.clean.idle_free_ratio * f64::from(blocks)) as u32,
        }
    }

    /// The scheme is called after its cell mode in results.
    fn name(&self) -> String {
        format!("{}-only", self.region.spec.mode.name())
    }

    #[inline]
    fn place(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.region.choose_plane(io, piece.page);
        try_planes(
            self,
            plane,
            |scheme| scheme.region.allocator(),
            |scheme, plane| {
                let opens = scheme.region.needs_block(plane, Writer::Host);
                if opens {
                    scheme.make_room(plane, io);
                }
                let written = page_level::write(piece, &mut scheme.region, plane, RESERVE, io);
                if written.is_ok() && opens && scheme.region.free_blocks(plane, io) < scheme.idle_target {
                    io.mark_idle_work(plane);
                }
                Ok(written.ok())
            },
        )
    }

    fn make_room(&mut self, plane: PlaneId, io: &mut Io) {
        let job = Job { cause: Cause::Gc, class: Class::Urgent };
        clean_plane(&mut self.region, io, plane, self.clean_below, job);
    }
}

impl Scheme for TlcOnly {
    regions! { Store region; stateless }

    fn preload(&mut self, page: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let n = io.policy().mus_per_page;
        self.place(&page_level::whole_page(page, n, io.geometry().mu_bytes), io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        if self.idle_target > 0 {
            io.mark_overwritten(&piece);
        }
        self.place(&piece, io)
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        io.trim(first, end);
        if self.idle_target > 0 {
            io.mark_all_idle_work();
        }
    }

    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let job = Job { cause: Cause::Gc, class: Class::Background };
        let wanted = self.region.free_blocks(plane, io) < self.idle_target;
        if wanted && clean_one(&mut self.region, io, plane, job) {
            Idle::Step
        } else {
            Idle::Nothing
        }
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: self.name(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("free_blocks_min", f64::from(self.region.free_blocks_min()));
        figure("cleaning_threshold_blocks", f64::from(self.clean_below));
        report.tables.push(page_table(io));
        report
    }
}
