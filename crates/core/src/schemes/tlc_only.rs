//! One dense mode without a cache.
//!
//! **What it does.** Every write goes straight to the one region of the device, page-mapped, with
//! read-modify-write of partial pages and cleaning within each plane.
//! **Paper.** The reference every SLC-cache paper compares with.
//! **What the papers leave open and what we chose.** Plane allocation, cleaning threshold and
//! victim policy are options; the defaults are round robin in CWDP order and greedy cleaning.
//! **Knobs.** `clean.start_free_blocks`, `clean.idle_free_ratio`.

use super::common::device_fit::{
    check_capacity, check_page, densest, held_back, largest_pool, offered_modes,
};
use super::common::dials::{Dial, Dials};
use super::common::tables::page_table;
use crate::base::op::{Cause, Class};
use crate::base::{CellMode, PlaneId, Problem};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::clean::{clean_one, clean_plane};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder, Separation};
use crate::ftl::io::Io;
use crate::ftl::knob::KnobSpec;
use crate::ftl::page_level;
use crate::ftl::piece::{Job, Piece};
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::hw::config::IdleRule;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Free blocks per plane that the host leaves to cleaning, which must win at least one more.
const RESERVE: u32 = 1;

/// Cleaning that writes wait for.
const START_FREE_BLOCKS: KnobSpec = KnobSpec {
    name: "clean.start_free_blocks",
    unit: "blocks per plane",
    summary: "the more, the earlier a plane is cleaned, as far as the user's data leave blocks free",
};

/// Cleaning in idle time.
const IDLE_FREE_RATIO: KnobSpec = KnobSpec {
    name: "clean.idle_free_ratio",
    unit: "share",
    summary: "the larger, the more idle time cleans: up to this share of free blocks; 0 is off",
};

/// Parameters of `tlc-only`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct TlcOnlyConfig {
    /// Cell mode of the whole device; default: the densest it offers. With QLC the cells are those of
    /// `qlc-only`, but not their use: here each piece of a write takes a page of its own, there the units of
    /// several share one.
    pub mode: Option<CellMode>,
    /// Order in which consecutive logical pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Cleaning.
    pub clean: CleanConfig,
    /// When cleaning starts in idle time, if `clean.idle_free_ratio` asks for it.
    pub idle: IdleRule,
}

impl TlcOnlyConfig {
    fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.mode.unwrap_or_else(|| densest(device))
    }

    fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        largest_pool(self.mode(device), device)
    }
}

impl TlcOnlyConfig {
    /// What of it can be turned. A threshold counts as a number of blocks, which once turned is all that
    /// counts; it leaves the blocks that the user's data fill.
    fn dials(&self, device: &DeviceConfig) -> Dials {
        let pool = &device.pool[self.pool(device).expect("Invariant: the configuration was checked")];
        let pages = u64::from(pool.plane_count()) * u64::from(pool.pages_per_block(self.mode(device)));
        let filled = device.user_bytes.div_ceil(pages * u64::from(pool.page_bytes)) as u32;
        let least = RESERVE + 1;
        let start = self.clean.threshold(pool.blocks).max(least);
        let others = filled + held_back(&self.clean, pool.blocks, least) - start;
        let most = (pool.blocks - others).min(CleanConfig::START_FREE_BLOCKS_MAX).max(start);
        Dials::new([
            Dial::whole(&START_FREE_BLOCKS, least, most, start),
            Dial::share(&IDLE_FREE_RATIO, 0.9, self.clean.idle_free_ratio),
        ])
    }
}

impl Parameters for TlcOnlyConfig {
    fn settle(&mut self, device: &DeviceConfig) {
        self.mode = Some(self.mode(device));
    }

    fn separation(&self) -> Separation {
        self.clean.separation
    }

    fn moot(&self, key: &str) -> Option<&'static str> {
        let is_idle = matches!(key, "idle.threshold_ns" | "idle.scope");
        (is_idle && self.clean.idle_free_ratio == 0.0)
            .then_some("nothing is cleaned in idle time (clean.idle_free_ratio above 0 asks for it)")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.idle.check("scheme.tlc-only.idle", problems);
        let Some(index) = self.pool(device) else {
            let modes = offered_modes(device);
            let mode = self.mode(device).name();
            problems.push(Problem::new("scheme.tlc-only.mode", mode, format!("one of {modes}")));
            return;
        };
        let pool = &device.pool[index];
        check_page(device, pool, "scheme.tlc-only", problems);
        self.clean.check_separation("scheme.tlc-only.clean", pool.blocks, problems);
        let held = held_back(&self.clean, pool.blocks, RESERVE + 1);
        check_capacity(device, pool, self.mode(device), pool.blocks, held, problems);
    }
}

/// A device with one region.
#[derive(Clone, Serialize, Deserialize)]
pub struct TlcOnly {
    region: Region,
    dials: Dials,
    clean_below: u32,
    idle_target: u32,
}

impl TlcOnly {
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
        let mut scheme = Self { dials: config.dials(device), region, clean_below: 0, idle_target: 0 };
        scheme.follow_dials();
        scheme
    }

    fn follow_dials(&mut self) {
        self.clean_below = self.dials.count(&START_FREE_BLOCKS) as u32;
        self.idle_target = (self.dials.value(&IDLE_FREE_RATIO) * f64::from(self.region.spec.blocks)) as u32;
    }

    /// Has every plane asked for idle work, if there may be any.
    fn wake(&self, io: &mut Io) {
        if self.idle_target > 0 {
            io.mark_all_idle_work();
        }
    }

    /// The scheme is called after its cell mode in results; `qlc-only` is another one.
    fn name(&self) -> String {
        match self.region.spec.mode {
            CellMode::Qlc => "tlc-only mode=qlc".into(),
            mode => format!("{}-only", mode.name()),
        }
    }

    #[inline]
    fn place(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.region.place(piece.page, piece.mask, Writer::Host, io);
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
    const KNOBS: &'static [KnobSpec] = &[START_FREE_BLOCKS, IDLE_FREE_RATIO];

    regions! { Store region; dials dials => Self::follow_dials, wake Self::wake }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let absent = mask & !page_level::present_mask(io, page);
        self.place(&page_level::part_of_page(page, absent, io.geometry().mu_bytes), io)
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
        self.wake(io);
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
