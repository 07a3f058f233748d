//! In-place switch with advanced garbage collection beside a traditional SLC cache.
//!
//! **What it does.** Most blocks are as in `ips-agc`; the others are a large SLC cache that takes
//! writes when the SLC pages of the former are used up. In idle time its data switch wordlines of
//! the former, which empties both at once.
//! **Paper.** "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs", section
//! IV-C and Fig. 8 (steps 1 to 4).
//! **What the paper leaves open and what we chose.** The sizes as printed do not fit the printed
//! geometry; `slc_blocks` is free. Once both caches are used up, host data switch wordlines. "Free
//! TLC space" (step 3.2) is a two-layer block that is filled without pausing. Idle time reclaims SLC
//! blocks, the oldest first, and moves the data of the partly filled one (`reclaim_open`); the end of a
//! run empties them all (`drain`).
//! **Knobs.** `idle.threshold_ns`, `agc.min_invalid`, `slc_blocks`.

use super::super::common::cache::ReclaimOpen;
use super::super::common::dials::{Dial, Dials, IDLE_THRESHOLD, MIN_INVALID, SLC_BLOCKS};
use super::cache::{self, AgcConfig, Cache, CacheSpec};
use crate::base::op::{Cause, Class};
use crate::base::{BlockId, CellMode, PlaneId, Ppn, Problem};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::config::{CleanConfig, Placement, PlaneOrder, Victim};
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::piece::{Job, Piece};
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::relocate::{erase_block, relocate_page};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::ftl::{page_level, victim};
use crate::hw::config::IdleRule;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Two-layer blocks per plane at least: four are held back, one holds data.
const TWO_LAYER_MIN: u32 = 5;

/// Parameters of `ips-coop`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct IpsCoopConfig {
    /// Blocks per plane of the traditional SLC cache; all others are two-layer blocks.
    #[default(64)]
    pub slc_blocks: u32,
    /// Order in which consecutive writes go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a write's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// When idle work starts.
    pub idle: IdleRule,
    /// What advanced garbage collection collects.
    pub agc: AgcConfig,
    /// What idle time does with the block of the traditional SLC cache that is being filled.
    pub reclaim_open: ReclaimOpen,
    /// The end of a run empties the traditional SLC cache, counted.
    #[default(true)]
    pub drain: bool,
}

impl Parameters for IpsCoopConfig {
    fn keeps_places(&self) -> Option<&'static str> {
        Some("its blocks are reprogrammed in place, window by window")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.idle.check("scheme.ips-coop.idle", problems);
        if let Some(index) = cache::pool_index(device) {
            let blocks = device.pool[index].blocks;
            let most = blocks.saturating_sub(TWO_LAYER_MIN);
            if !(1..=most).contains(&self.slc_blocks) {
                let allowed = format!("between 1 and {most} (the plane has {blocks} blocks)");
                problems.push(Problem::new("scheme.ips-coop.slc_blocks", self.slc_blocks, allowed));
                return;
            }
        }
        cache::check("ips-coop", self.slc_blocks, device, problems);
    }
}

/// A block of the traditional cache that is being emptied page by page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DonorEmptying {
    block: BlockId,
    next_page: u32,
}

/// Both caches.
#[derive(Clone, Serialize, Deserialize)]
pub struct IpsCoop {
    cache: Cache,
    traditional: Region,
    dials: Dials,
    emptying: Vec<Option<DonorEmptying>>,
    first_plane: u32,
    agc: AgcConfig,
    reclaim_open: ReclaimOpen,
    drain: bool,
}

impl IpsCoop {
    pub fn new(config: &IpsCoopConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        io.set_idle_rule(config.idle);
        let (plane_order, placement) = (config.plane_order, config.placement);
        let (pool, pool_config) = cache::pool(device);
        let others = config.slc_blocks;
        let bank = Some(io.new_bank(pool, 0, &[others, pool_config.blocks - others]));
        let spec = CacheSpec { device, others, bank, plane_order, placement };
        let traditional = RegionSpec {
            pack: Pack::Page,
            bank,
            pool,
            mode: CellMode::Slc,
            first_block: 0,
            blocks: config.slc_blocks,
            order: plane_order.letters(),
            placement,
            clean: CleanConfig { victim: Victim::Fifo, ..CleanConfig::default() },
        };
        let pool = &io.geometry().pools[pool];
        let (planes, first_plane) = (pool.planes as usize, pool.first_plane);
        let cache = Cache::new(&spec, io);
        let [idle, min_invalid] = cache.dials(config.idle, &config.agc);
        Self {
            dials: Dials::new([idle, min_invalid, Dial::whole(&SLC_BLOCKS, 1, others, others)]),
            cache,
            emptying: vec![None; planes],
            first_plane,
            traditional: Region::new(traditional, io),
            agc: config.agc,
            reclaim_open: config.reclaim_open,
            drain: config.drain,
        }
    }

    /// Section IV-C: SLC pages of two-layer blocks first (step 1), then the traditional cache (step
    /// 2.2), then wordlines that host data switch.
    #[inline]
    fn place(&mut self, piece: &Piece, plane: PlaneId, io: &mut Io) -> bool {
        let room = self.cache.has_room(plane, io);
        if room && self.cache.write_fill(piece, plane, io) {
            return true;
        }
        if page_level::write(piece, &mut self.traditional, plane, 0, io).is_ok() {
            self.cache.balance.traditional += u64::from(!io.clockless());
            return true;
        }
        room && self.cache.write_switch(piece, plane, io)
    }

    fn follow_dials(&mut self) {
        self.agc.min_invalid = self.dials.count(&MIN_INVALID) as u32;
        self.traditional.set_quota(self.dials.count(&SLC_BLOCKS) as u32);
    }

    fn emptying(&mut self, plane: PlaneId) -> &mut Option<DonorEmptying> {
        &mut self.emptying[(plane.0 - self.first_plane) as usize]
    }

    /// The traditional block of `plane` that is being emptied, or the oldest used one, or what `open`
    /// says of the one that is being filled.
    fn next_to_empty(&mut self, plane: PlaneId, open: ReclaimOpen, io: &mut Io) -> Option<BlockId> {
        if let Some(emptying) = self.emptying(plane) {
            return Some(emptying.block);
        }
        let used = victim::choose(&self.traditional, io, plane, true);
        let block = used.or_else(|| match open {
            ReclaimOpen::Never => None,
            ReclaimOpen::Data => {
                let filling = self.traditional.open_block(plane, Writer::Host)?;
                (io.array().live_pages(filling) > 0).then_some(filling)
            }
            ReclaimOpen::Block => {
                self.traditional.close_open(io, plane, Writer::Host);
                victim::choose(&self.traditional, io, plane, true)
            }
        });
        *self.emptying(plane) = block.map(|block| DonorEmptying { block, next_page: 0 });
        block
    }

    /// The next page of the block that is being emptied with something live.
    fn next_live(&mut self, plane: PlaneId, io: &Io) -> Option<Ppn> {
        let emptying = self.emptying(plane).as_mut()?;
        let array = io.array();
        if array.block(emptying.block).live() == 0 {
            return None;
        }
        while array.page_tags(array.geometry.page(emptying.block, emptying.next_page)).iter().all(|&t| t == 0)
        {
            emptying.next_page += 1;
        }
        Some(array.geometry.page(emptying.block, emptying.next_page))
    }

    /// Steps 3.1 and 3.2: one page of the traditional cache moves to `to` plane's two-layer blocks.
    fn migrate(&mut self, from: Ppn, to: PlaneId, class: Class, io: &mut Io) -> bool {
        let switched = self.cache.region.take_switch(io, to);
        let page = match switched {
            Some(page) => Some(page),
            None => self.cache.region.take_dense(io, to),
        };
        let Some(page) = page else {
            return false;
        };
        if !io.clockless() {
            self.cache.balance.migrated += 1;
            self.cache.balance.migrated_switch += u64::from(switched.is_some());
        }
        let job = Job { cause: Cause::Migration, class };
        relocate_page(&mut self.cache.region, io, from, page, (), job);
        true
    }

    /// Step 4: the emptied block is erased.
    fn erase(&mut self, plane: PlaneId, class: Class, io: &mut Io) {
        if let Some(DonorEmptying { block, .. }) = self.emptying(plane).take() {
            erase_block(io, block, Job { cause: Cause::Migration, class });
            self.traditional.give_back(io, block);
        }
    }

    /// Empties and erases the block of the traditional cache in `plane` that is next.
    fn drain_block(&mut self, plane: PlaneId, io: &mut Io) -> Result<(), DeviceFull> {
        while let Some(from) = self.next_live(plane, io) {
            let to = self.plane_with_room(plane, io).ok_or(DeviceFull)?;
            if !self.migrate(from, to, Class::Background, io) {
                return Err(DeviceFull);
            }
            self.cache.balance.migrated_at_end += u64::from(!io.clockless());
        }
        self.close_emptying(plane, io);
        self.erase(plane, Class::Background, io);
        Ok(())
    }

    /// No further page goes to the block that is being emptied.
    fn close_emptying(&mut self, plane: PlaneId, io: &mut Io) {
        let open = self.traditional.open_block(plane, Writer::Host);
        if open.is_some() && open == self.emptying(plane).map(|emptying| emptying.block) {
            self.traditional.close_open(io, plane, Writer::Host);
        }
    }

    /// A plane whose two-layer blocks take another page: `home`, else the roomiest.
    fn plane_with_room(&mut self, home: PlaneId, io: &mut Io) -> Option<PlaneId> {
        if self.cache.has_room(home, io) {
            return Some(home);
        }
        let planes = self.cache.region.allocator.planes().to_vec();
        let room = |plane: &PlaneId| (self.cache.region.free_pages(*plane), std::cmp::Reverse(*plane));
        let roomiest = planes.iter().copied().max_by_key(room)?;
        std::iter::once(roomiest).chain(planes).find(|&plane| self.cache.has_room(plane, io))
    }
}

impl Scheme for IpsCoop {
    const KNOBS: &'static [KnobSpec] = &[IDLE_THRESHOLD, MIN_INVALID, SLC_BLOCKS];

    regions! { Cache cache.region, Cache traditional }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.preload(page, mask, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.note_overwrite(&piece, io);
        let plane = self.cache.choose_plane(&piece, io);
        let plane = try_planes(
            self,
            plane,
            |scheme| &mut scheme.cache.region.allocator,
            |scheme, plane| Ok(scheme.place(&piece, plane, io).then_some(plane)),
        )?;
        io.mark_idle_work(plane);
        Ok(())
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.cache.trim(first, end, io);
    }

    /// Section IV-C: the traditional cache is emptied into used wordlines (step 3.1), else into free
    /// TLC space (3.2); its blocks are erased (4). Wordlines it leaves over are for AGC (2.1).
    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        // A block that cannot be emptied goes on being filled.
        let open = if self.cache.has_pages(plane) { self.reclaim_open } else { ReclaimOpen::Never };
        let Some(block) = self.next_to_empty(plane, open, io) else {
            return self.cache.agc_step(plane, &self.agc, io);
        };
        let Some(from) = self.next_live(plane, io) else {
            if !io.array().is_closed(block) {
                return self.cache.agc_step(plane, &self.agc, io);
            }
            self.erase(plane, Class::Background, io);
            return Idle::Step;
        };
        if self.cache.has_pages(plane) && self.migrate(from, plane, Class::Background, io) {
            return Idle::Step;
        }
        self.cache.agc_step(plane, &self.agc, io)
    }

    /// All data in the traditional SLC cache are moved and its blocks erased; one block per plane at
    /// a time.
    fn drain(&mut self, io: &mut Io) -> Result<bool, DeviceFull> {
        let mut more = false;
        for plane in self.traditional.planes().to_vec() {
            if self.drain && self.next_to_empty(plane, ReclaimOpen::Block, io).is_some() {
                self.drain_block(plane, io)?;
                more = true;
            }
        }
        Ok(more)
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    /// Blocks beyond the traditional cache's size stay in it until they are emptied.
    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.follow_dials();
            self.dials.set_idle_threshold(io);
            if Self::KNOBS[knob] == MIN_INVALID {
                // Blocks that were not worth it may be now.
                io.mark_all_idle_work();
            }
        }
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.cache.report("ips-coop", io);
        self.cache.report_agc(&mut report, io);
        let b = &self.cache.balance;
        let mut figure = |name: &str, value: u64| report.figures.insert(name.into(), value as f64);
        figure("traditional_pages_written", b.traditional);
        figure("traditional_pages_migrated", b.migrated);
        figure("traditional_pages_migrated_by_switching", b.migrated_switch);
        figure("traditional_pages_migrated_at_end", b.migrated_at_end);
        report
    }
}
