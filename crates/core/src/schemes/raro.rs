//! Blocks of three modes: what is read often out of cells that need many retries moves to fewer bits.
//!
//! **What it does.** Writes go to the dense region, QLC say, as with `tlc-only`. A page that is read is judged by
//! how often it was read lately and by how many retries it needs: what is hot and hard to read moves to SLC
//! mode, what is less of either to TLC mode. Blocks of all modes come out of one pool. Above a budget of
//! converted blocks, or short of free ones, the converted block that is read least goes back.
//! **Paper.** RARO (arXiv 2508.19530), of which two abstracts are public: data move only if they are read often
//! and lie in QLC blocks that need many retries; blocks convert between SLC, TLC and QLC in steps. `raro-hot`
//! is its competitor, which asks for hotness alone.
//! **What the paper leaves open and what we chose.** Thresholds of reads (`warm_reads`, `hot_reads`) and retries
//! (`min_retries`); all heats halve whenever as many pages were read as the device has; what moves is a
//! logical page; it moves in idle time, within its plane, to one open block per mode (`promote`).
//! What goes back are all live pages of a block: cold ones to QLC, warm ones of SLC to TLC (`migration`). Chips
//! without TLC between SLC and the densest mode convert to SLC alone.
//! **Knobs.** `converted_share`.

use super::common::device_fit::{check_capacity, check_page, densest_beside_slc, held_back, no_pool};
use super::common::dials::{Dial, Dials};
use super::common::tables::page_table;
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, CellMode, Mu, PlaneId, Ppn, Problem};
use crate::ftl::answer::{BlockShare, DeviceFull, Idle};
use crate::ftl::clean::{clean_block, clean_one, pad_unprotected};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder};
use crate::ftl::io::Io;
use crate::ftl::knob::KnobSpec;
use crate::ftl::page_level;
use crate::ftl::piece::{Job, Piece};
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::relocate::{erase_block, relocate_page};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::hw::config::{IdleRule, PoolConfig};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::collections::VecDeque;

/// Free blocks per plane that are left to cleaning, which must win at least one more.
const RESERVE: u32 = 1;

const CONVERTED_SHARE: KnobSpec = KnobSpec {
    name: "converted_share",
    unit: "share",
    summary: "the larger, the more blocks may be in SLC or TLC mode",
};

/// Parameters of `raro`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct RaroConfig {
    /// Order in which consecutive logical pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Cleaning of the dense region.
    pub clean: CleanConfig,
    /// When pages move in idle time.
    pub idle: IdleRule,
    /// Greatest share of a plane's blocks that may be in SLC or TLC mode.
    #[schemars(range(min = 0.0, max = 0.9))]
    #[default(0.1)]
    pub converted_share: f64,
    /// Reads from which on a page is warm.
    #[schemars(range(min = 1, max = 255))]
    #[default(2)]
    pub warm_reads: u32,
    /// Reads from which on it is hot.
    #[schemars(range(min = 1, max = 255))]
    #[default(4)]
    pub hot_reads: u32,
    /// Retries from which on a hot page moves to TLC mode, and from which on it moves to SLC mode and a warm
    /// one to TLC mode: two numbers, ascending; `[0, 0]` asks for hotness alone.
    #[default(vec![4, 8])]
    pub min_retries: Vec<u32>,
}

impl Parameters for RaroConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.idle.check("scheme.raro.idle", problems);
        let retries = &self.min_retries;
        if retries.len() != 2 || retries[0] > retries[1] || retries[1] > 255 {
            let allowed = "two numbers from 0 to 255, ascending";
            problems.push(Problem::new("scheme.raro.min_retries", format!("{retries:?}"), allowed));
        }
        let why = "what goes back and what is cleaned share a block";
        self.clean.check_unseparated("scheme.raro.clean", why, problems);
        if self.warm_reads > self.hot_reads {
            let allowed = format!("at most hot_reads, {}", self.hot_reads);
            problems.push(Problem::new("scheme.raro.warm_reads", self.warm_reads, allowed));
        }
        let Some(index) = pool(device) else {
            problems.push(no_pool("scheme.raro".into(), densest_beside_slc(device), device));
            return;
        };
        let pool = &device.pool[index];
        check_page(device, pool, "scheme.raro", problems);
        let held = held_back(&self.clean, pool.blocks, RESERVE + 1);
        check_capacity(device, pool, densest_beside_slc(device), pool.blocks, held, problems);
    }
}

/// The first pool with SLC and the densest mode beside it.
fn pool(device: &DeviceConfig) -> Option<usize> {
    let mode = densest_beside_slc(device);
    let fits = |pool: &PoolConfig| pool.slc.is_some() && pool.mode(mode).is_some() && mode != CellMode::Slc;
    device.pool.iter().position(fits)
}

/// Dense region and what was converted.
#[derive(Clone, Serialize, Deserialize)]
pub struct Raro {
    dense: Region,
    /// Of TLC blocks, where the chips have them between SLC and the densest mode.
    middle: Region,
    slc: Region,
    has_middle: bool,
    dials: Dials,
    clean_below: u32,
    /// Free blocks per plane up to which idle time cleans.
    idle_target: u32,
    warm_reads: u8,
    hot_reads: u8,
    min_retries: [u32; 2],
    /// Reads of each logical page lately.
    heats: Vec<u8>,
    /// Reads of pages since heats were halved.
    reads: u64,
    /// Of each plane the logical pages that are to move, and where to.
    waiting: Vec<VecDeque<(u32, CellMode)>>,
    /// Which pages wait.
    is_waiting: Vec<bool>,
    first_plane: u32,
    #[serde(skip)]
    figures: RaroFigures,
}

#[derive(Clone, Default)]
struct RaroFigures {
    promoted_pages: [u64; 2],
    demoted_pages: u64,
    demoted_blocks: u64,
    forgone_pages: u64,
}

impl Raro {
    pub fn new(config: &RaroConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        io.set_idle_rule(config.idle);
        let pool = pool(device).expect("Invariant: the configuration was checked");
        let blocks = device.pool[pool].blocks;
        let bank = io.new_bank(pool, 0, &[blocks]);
        let mut region = |mode| {
            let spec = RegionSpec {
                pack: Pack::Page,
                bank: Some(bank),
                pool,
                mode,
                first_block: 0,
                blocks,
                order: config.plane_order.letters(),
                placement: config.placement,
                clean: config.clean.clone(),
            };
            Region::new(spec, io)
        };
        let home = densest_beside_slc(device);
        let has_middle = home == CellMode::Qlc && device.pool[pool].tlc.is_some();
        let between = if has_middle { CellMode::Tlc } else { CellMode::Slc };
        let (dense, middle, slc) = (region(home), region(between), region(CellMode::Slc));
        let pages = io.mus().div_ceil(io.policy().mus_per_page) as usize;
        Self {
            dials: Dials::new([Dial::share(&CONVERTED_SHARE, 0.9, config.converted_share)]),
            clean_below: config.clean.threshold(blocks).max(RESERVE + 1),
            idle_target: (config.clean.idle_free_ratio * f64::from(blocks)) as u32,
            warm_reads: config.warm_reads as u8,
            hot_reads: config.hot_reads as u8,
            min_retries: [config.min_retries[0], config.min_retries[1]],
            heats: vec![0; pages],
            reads: 0,
            waiting: vec![VecDeque::new(); dense.planes().len()],
            is_waiting: vec![false; pages],
            first_plane: io.geometry().pools[pool].first_plane,
            dense,
            middle,
            slc,
            has_middle,
            figures: RaroFigures::default(),
        }
    }

    fn region(&mut self, mode: CellMode) -> &mut Region {
        match mode {
            CellMode::Slc => &mut self.slc,
            CellMode::Tlc if self.has_middle => &mut self.middle,
            _ => &mut self.dense,
        }
    }

    fn converted(&self, plane: PlaneId) -> u32 {
        self.slc.used_blocks(plane) + self.middle.used_blocks(plane)
    }

    /// Blocks of a plane that may be converted.
    fn budget(&self) -> u32 {
        (self.dials.value(&CONVERTED_SHARE) * f64::from(self.dense.spec.blocks) + 1e-6) as u32
    }

    fn free(&self, plane: PlaneId, io: &Io) -> u32 {
        self.dense.free_blocks(plane, io)
    }

    /// Converts back and cleans until `plane` has the free blocks it should have, or nothing more can be won.
    fn make_room(&mut self, plane: PlaneId, class: Class, io: &mut Io) {
        while self.free(plane, io) < self.clean_below {
            let job = Job { cause: Cause::Gc, class };
            if !self.give_back(plane, class, io) && !clean_block(&mut self.dense, io, plane, 1, job) {
                break;
            }
        }
        pad_unprotected(&mut self.dense, io, plane);
    }

    /// The closed converted block of `plane` that is read least, the one opened first on ties.
    fn least_read(&self, plane: PlaneId, io: &Io) -> Option<BlockId> {
        let mine = |block: &BlockId| self.slc.holds(*block, io) || self.middle.holds(*block, io);
        let closed = self.dense.blocks(plane, io).filter(|block| mine(block) && io.array().is_closed(*block));
        closed.min_by_key(|&block| (self.heat_of(block, io), io.array().block(block).opened))
    }

    /// The logical page that lives in flash page `at`, if any does.
    fn owner(at: Ppn, io: &Io) -> Option<u32> {
        let tag = io.array().page_tags(at).iter().copied().find(|&tag| tag != 0)?;
        Some((tag - 1) / io.policy().mus_per_page)
    }

    fn heat_of(&self, block: BlockId, io: &Io) -> u64 {
        let owners = io.written_pages(block).filter_map(|at| Self::owner(at, io));
        owners.map(|page| u64::from(self.heats[page as usize])).sum()
    }

    /// Moves what lives in the converted block of `plane` that is read least, and erases it; false if
    /// there is none, or no room.
    fn give_back(&mut self, plane: PlaneId, class: Class, io: &mut Io) -> bool {
        let Some(block) = self.least_read(plane, io) else { return false };
        let is_slc = self.slc.holds(block, io);
        // What the page next in line may need: a block of either mode.
        if io.array().live_pages(block) > 0
            && self.free(plane, io) < 2
            && self.dense.needs_block(plane, Writer::Clean)
        {
            return false;
        }
        let job = Job { cause: Cause::Migration, class };
        let pages: Vec<Ppn> = io.written_pages(block).collect();
        for at in pages {
            let Some(page) = Self::owner(at, io) else { continue };
            let warm = is_slc && self.has_middle && self.heats[page as usize] >= self.warm_reads;
            let room = !self.middle.needs_block(plane, Writer::Clean) || self.free(plane, io) > RESERVE + 1;
            let mode = if warm && room { self.middle.spec.mode } else { self.dense.spec.mode };
            let Some(to) = self.region(mode).take_page(io, plane, Writer::Clean, 0) else { return false };
            relocate_page(self.region(mode), io, at, to, Writer::Clean, job);
            self.figures.demoted_pages += u64::from(!io.clockless());
        }
        pad_unprotected(&mut self.middle, io, plane);
        pad_unprotected(&mut self.dense, io, plane);
        erase_block(io, block, job);
        self.region(if is_slc { CellMode::Slc } else { CellMode::Tlc }).give_back(io, block);
        self.figures.demoted_blocks += u64::from(!io.clockless());
        true
    }

    fn place(&mut self, piece: &Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let plane = self.dense.choose_plane(io, piece.page);
        try_planes(
            self,
            plane,
            |scheme| scheme.dense.allocator(),
            |scheme, plane| {
                let opens = scheme.dense.needs_block(plane, Writer::Host);
                if opens {
                    scheme.make_room(plane, Class::Urgent, io);
                }
                let written = page_level::write(piece, &mut scheme.dense, plane, RESERVE, io);
                if written.is_ok() && opens && scheme.free(plane, io) < scheme.idle_target {
                    io.mark_idle_work(plane);
                }
                Ok(written.ok())
            },
        )
    }

    /// The flash page of the first mapping unit of `page` that is in `mask` and in flash.
    fn flash_page(page: u32, mask: u32, io: &Io) -> Option<Ppn> {
        let first = page * io.policy().mus_per_page;
        let found = crate::ftl::media::bits(mask).find_map(|unit| io.lookup(Mu(first + unit)));
        found.map(|slot| io.geometry().page_of(slot))
    }

    /// Where a page in `mode` belongs whose read took `retries`.
    fn wanted(&self, page: u32, mode: CellMode, retries: u32) -> CellMode {
        let heat = self.heats[page as usize];
        let (hot, warm) = (heat >= self.hot_reads, heat >= self.warm_reads);
        let [some, many] = self.min_retries;
        let is_home = mode == self.dense.spec.mode;
        if mode != CellMode::Slc && hot && retries >= many {
            CellMode::Slc
        } else if is_home && self.has_middle && ((hot && retries >= some) || (warm && retries >= many)) {
            CellMode::Tlc
        } else {
            mode
        }
    }

    fn count_read(&mut self, page: u32) {
        let heat = &mut self.heats[page as usize];
        *heat = heat.saturating_add(1);
        self.reads += 1;
        if self.reads >= self.heats.len() as u64 {
            self.reads = 0;
            self.heats.iter_mut().for_each(|heat| *heat /= 2);
        }
    }

    /// A page is read: it may have to move.
    fn judge(&mut self, piece: &Piece, io: &mut Io) {
        self.count_read(piece.page);
        let Some(at) = Self::flash_page(piece.page, piece.mask, io) else { return };
        let block = io.geometry().block_of(at);
        let mode = io.array().block(block).mode();
        let retries = io.retries(at);
        let wanted = self.wanted(piece.page, mode, retries);
        if wanted != mode && !self.is_waiting[piece.page as usize] {
            let plane = io.geometry().plane_of(block);
            self.is_waiting[piece.page as usize] = true;
            self.waiting[(plane.0 - self.first_plane) as usize].push_back((piece.page, wanted));
            io.mark_idle_work(plane);
        }
    }

    /// Moves the next page of `plane` that waits; none if none does, or none has room.
    fn promote(&mut self, plane: PlaneId, io: &mut Io) -> Option<()> {
        loop {
            let (page, mode) = self.waiting[(plane.0 - self.first_plane) as usize].pop_front()?;
            self.is_waiting[page as usize] = false;
            let whole = u32::MAX >> (32 - io.policy().mus_per_page);
            let Some(at) = Self::flash_page(page, whole, io) else { continue };
            let block = io.geometry().block_of(at);
            // It was written again, or moved, since.
            if io.geometry().plane_of(block) != plane || io.array().block(block).mode() <= mode {
                continue;
            }
            if self.region(mode).needs_block(plane, Writer::Clean) {
                if self.converted(plane) >= self.budget() {
                    self.give_back(plane, Class::Background, io);
                }
                if self.converted(plane) >= self.budget() || self.free(plane, io) <= self.clean_below {
                    self.figures.forgone_pages += u64::from(!io.clockless());
                    continue;
                }
            }
            let Some(to) = self.region(mode).take_page(io, plane, Writer::Clean, RESERVE) else { continue };
            let job = Job { cause: Cause::Promote, class: Class::Background };
            relocate_page(self.region(mode), io, at, to, Writer::Clean, job);
            pad_unprotected(self.region(mode), io, plane);
            self.figures.promoted_pages[usize::from(mode == CellMode::Tlc)] += u64::from(!io.clockless());
            return Some(());
        }
    }
}

impl Scheme for Raro {
    const KNOBS: &'static [KnobSpec] = &[CONVERTED_SHARE];

    regions! { Cache slc, Cache middle, Store dense; dials dials }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let absent = mask & !page_level::present_mask(io, page);
        self.place(&page_level::part_of_page(page, absent, io.geometry().mu_bytes), io)
    }

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

    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.judge(&piece, io);
        page_level::read(&piece, io);
        Ok(())
    }

    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        let job = Job { cause: Cause::Gc, class: Class::Background };
        let is_short = |scheme: &Self, io: &Io| scheme.free(plane, io) < scheme.idle_target;
        if self.promote(plane, io).is_some()
            || is_short(self, io) && clean_one(&mut self.dense, io, plane, job)
        {
            Idle::Step
        } else {
            Idle::Nothing
        }
    }

    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        self.slc.slc_bytes(self.budget(), io)
    }

    fn blocks(&self) -> Vec<BlockShare> {
        let planes = self.dense.planes().len() as u64;
        let share = |region: &Region, blocks: u32| BlockShare {
            pool: region.spec.pool,
            mode: region.spec.mode,
            blocks: u64::from(blocks) * planes,
        };
        vec![share(&self.dense, self.dense.spec.blocks - self.budget()), share(&self.slc, self.budget())]
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "raro".into(), ..SchemeReport::default() };
        let used =
            |region: &Region| region.planes().iter().map(|&plane| region.used_blocks(plane)).sum::<u32>();
        let [slc, tlc] = self.figures.promoted_pages;
        let all = f64::from(self.dense.spec.blocks) * self.dense.planes().len() as f64;
        let bits = |region: &Region| f64::from(region.spec.mode.bits());
        let of = |region: &Region| f64::from(used(region)) * (1.0 - bits(region) / bits(&self.dense));
        let lost = of(&self.slc) + of(&self.middle);
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("promoted_to_slc_pages", slc as f64);
        figure("promoted_to_tlc_pages", tlc as f64);
        figure("forgone_pages", self.figures.forgone_pages as f64);
        figure("demoted_pages", self.figures.demoted_pages as f64);
        figure("demoted_blocks", self.figures.demoted_blocks as f64);
        figure("slc_blocks", f64::from(used(&self.slc)));
        figure("tlc_blocks", f64::from(used(&self.middle)));
        figure("capacity_lost_share", lost / all);
        figure("free_blocks_min", f64::from(self.dense.free_blocks_min()));
        report.tables.push(page_table(io));
        report
    }
}
