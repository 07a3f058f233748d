//! The cache that the family shares: a two-layer region, its order of preference and its room.

use super::super::common::device_fit::{check_page, offered_modes};
use super::super::common::dials::{Dial, MIN_INVALID};
use super::balance::{Balance, VainMoves};
use crate::base::op::{Cause, Class};
use crate::base::{PlaneId, Ppn, Problem};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::bank::BankId;
use crate::ftl::config::{Placement, PlaneOrder};
use crate::ftl::destination::Destination;
use crate::ftl::io::Io;
use crate::ftl::page_level;
use crate::ftl::piece::{Job, Piece};
use crate::ftl::plane_allocator::try_planes;
use crate::ftl::relocate::relocate_page;
use crate::ftl::two_layer::{Eligible, TwoLayerRegion, TwoLayerSpec};
use crate::hw::config::{IdleRule, PoolConfig};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Blocks per plane that cannot hold user data: one whose pages cleaning needs, and three that are
/// being written and cannot be cleaned.
const HELD_BLOCKS: u32 = 4;

/// The pool used: the first whose chips can be reprogrammed.
pub fn pool_index(device: &DeviceConfig) -> Option<usize> {
    device.pool.iter().position(|pool| pool.reprogram.is_some() && pool.slc.is_some())
}

/// The pool used, with its number, on a checked device.
pub fn pool(device: &DeviceConfig) -> (usize, &PoolConfig) {
    let index = pool_index(device).expect("Invariant: the configuration was checked");
    (index, &device.pool[index])
}

/// Adds every problem of two-layer blocks in a pool of `device`, of which `others` blocks per plane
/// belong to someone else.
pub fn check(name: &str, others: u32, device: &DeviceConfig, problems: &mut Vec<Problem>) {
    let Some((index, reprogram)) = pool_index(device).and_then(|i| Some((i, device.pool[i].reprogram?)))
    else {
        let allowed = format!("a pool with slc and a [device.pool.reprogram] section for {name}");
        problems.push(Problem::new("device.pool", offered_modes(device), allowed));
        return;
    };
    let pool = &device.pool[index];
    check_page(device, pool, &format!("scheme.{name}"), problems);
    let blocks = pool.blocks - others;
    let block_bytes =
        u64::from(pool.pages_per_block(reprogram.final_mode(pool))) * u64::from(pool.page_bytes);
    let usable = u64::from(pool.plane_count()) * u64::from(blocks.saturating_sub(HELD_BLOCKS)) * block_bytes;
    if device.user_bytes > usable {
        let allowed = format!(
            "at most {usable} for {name}: {blocks} blocks per plane hold data, of which {HELD_BLOCKS} are held back for cleaning"
        );
        problems.push(Problem::new("device.user_bytes", device.user_bytes, allowed));
    }
}

pub struct CacheSpec<'a> {
    pub device: &'a DeviceConfig,
    /// Blocks per plane that belong to someone else, the first ones.
    pub others: u32,
    /// The bank that it shares with them.
    pub bank: Option<BankId>,
    pub plane_order: PlaneOrder,
    pub placement: Placement,
}

/// Two-layer blocks as cache and store in one.
#[derive(Clone, Serialize, Deserialize)]
pub struct Cache {
    /// The blocks.
    pub region: TwoLayerRegion,
    #[serde(skip)]
    pub balance: Balance,
    /// AGC's moves that the host made vain.
    pub vain: VainMoves,
    /// Pages per plane that only cleaning may use: a block's.
    reserve: u32,
    page_bytes: u32,
}

impl Cache {
    /// An empty cache.
    pub fn new(spec: &CacheSpec, io: &mut Io) -> Self {
        let (pool, config) = pool(spec.device);
        let region = TwoLayerSpec {
            pool,
            bank: spec.bank,
            first_block: spec.others,
            blocks: config.blocks - spec.others,
            order: spec.plane_order,
            placement: spec.placement,
        };
        let region = TwoLayerRegion::new(region, io);
        Self {
            reserve: region.pages_per_block(),
            region,
            balance: Balance::default(),
            vain: VainMoves::default(),
            page_bytes: config.page_bytes,
        }
    }

    /// The dials of idle work: `idle.threshold_ns` and `agc.min_invalid`, at most all pages of a block.
    pub fn dials(&self, idle: IdleRule, agc: &AgcConfig) -> [Dial; 2] {
        let most = self.region.pages_per_block().max(agc.min_invalid);
        [Dial::idle_threshold(idle), Dial::whole(&MIN_INVALID, 1, most, agc.min_invalid)]
    }

    /// The plane of the next write.
    #[inline]
    pub fn choose_plane(&mut self, piece: &Piece, io: &Io) -> PlaneId {
        self.region.allocator.choose(io, piece.page, |_| false)
    }

    /// Whether data may be stored in `plane` as it is.
    #[inline]
    pub fn has_pages(&self, plane: PlaneId) -> bool {
        self.region.free_pages(plane) > self.reserve
    }

    /// Whether data may be stored in `plane`, after cleaning if room is short.
    #[inline]
    pub fn has_room(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        self.has_pages(plane) || self.clean(plane, io)
    }

    #[cold]
    fn clean(&mut self, plane: PlaneId, io: &mut Io) -> bool {
        let job = Job { cause: Cause::Gc, class: Class::Urgent };
        let done = self.region.clean_plane(io, plane, self.reserve, job);
        if !io.clockless() {
            self.balance.book_gc(done);
        }
        self.has_pages(plane)
    }

    /// Step 1: the next SLC page of `plane`, which has room; false if there is none.
    #[inline]
    pub fn write_fill(&mut self, piece: &Piece, plane: PlaneId, io: &mut Io) -> bool {
        let Some(page) = self.region.take_fill(io, plane) else {
            return false;
        };
        self.balance.fill += u64::from(!io.clockless());
        store(piece, page, io);
        true
    }

    /// Step 2: the next page that switches a used window of `plane`, which has room; where there is
    /// none, what is left of the block that is filled without pausing.
    #[inline]
    pub fn write_switch(&mut self, piece: &Piece, plane: PlaneId, io: &mut Io) -> bool {
        io.note_cache_full();
        if let Some(page) = self.region.take_switch(io, plane) {
            self.balance.switch += u64::from(!io.clockless());
            store(piece, page, io);
            return true;
        }
        let Some(page) = self.region.take_dense(io, plane) else {
            return false;
        };
        self.balance.dense += u64::from(!io.clockless());
        store(piece, page, io);
        true
    }

    /// Places what logical page `page` lacks of its units in `mask` before time 0, in blocks that are
    /// filled without pausing, so that the cache loses only their first windows.
    pub fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        let absent = mask & !page_level::present_mask(io, page);
        let piece = page_level::part_of_page(page, absent, io.geometry().mu_bytes);
        let plane = self.choose_plane(&piece, io);
        try_planes(
            self,
            plane,
            |cache| &mut cache.region.allocator,
            |cache, plane| {
                if !cache.has_room(plane, io) {
                    return Ok(None);
                }
                let dense = cache.region.take_dense(io, plane);
                let to = dense.or_else(|| cache.region.next_page(io, plane, ()));
                Ok(to.map(|to| store(&piece, to, io)))
            },
        )
    }

    /// Writes a piece (section IV-A): SLC pages while there are any (step 1), else a page that
    /// switches a wordline (step 2); a switched window is followed by the block's next two layers
    /// (step 3). Returns the plane.
    #[inline]
    pub fn write(&mut self, piece: &Piece, io: &mut Io) -> Result<PlaneId, DeviceFull> {
        let plane = self.choose_plane(piece, io);
        try_planes(
            self,
            plane,
            |cache| &mut cache.region.allocator,
            |cache, plane| {
                let written = cache.has_room(plane, io)
                    && (cache.write_fill(piece, plane, io) || cache.write_switch(piece, plane, io));
                Ok(written.then_some(plane))
            },
        )
    }

    /// One step of advanced garbage collection (section IV-B): a live page of the block with the
    /// most invalid ones moves to a wordline that is to be switched; once there is none left, the
    /// block is erased.
    pub fn agc_step(&mut self, plane: PlaneId, config: &AgcConfig, io: &mut Io) -> Idle {
        let job = Job { cause: Cause::Agc, class: Class::Background };
        let Some(victim) = self.agc_victim(plane, config, io) else {
            return Idle::Nothing;
        };
        let Some(from) = self.region.next_live(io, plane) else {
            self.region.erase_victim(io, plane, job);
            if !io.clockless() {
                self.balance.book_agc_erase(victim);
            }
            return Idle::Step;
        };
        if !self.has_pages(plane) {
            return Idle::Nothing;
        }
        let Some(to) = self.region.take_switch(io, plane) else {
            return Idle::Nothing;
        };
        self.vain.note_move(from, io);
        self.balance.agc += u64::from(!io.clockless());
        relocate_page(&mut self.region, io, from, to, (), job);
        Idle::Step
    }

    /// The block AGC is emptying, or a new one while there are wordlines to switch.
    fn agc_victim(
        &mut self,
        plane: PlaneId,
        config: &AgcConfig,
        io: &mut Io,
    ) -> Option<crate::ftl::two_layer::EmptiedBlock> {
        let under_way = self.region.victim(plane);
        if under_way.is_some() || !self.region.has_switch(plane) {
            return under_way;
        }
        self.region.choose_victim(io, plane, config.eligible, config.min_invalid)
    }

    /// Notes that the host overwrites `piece`: blocks with dead pages are work for idle time.
    #[inline]
    pub fn note_overwrite(&mut self, piece: &Piece, io: &mut Io) {
        self.vain.note_write(piece, io);
        io.mark_overwritten(piece);
    }

    /// Forgets units that the host declared unused.
    pub fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.vain.note_trim(first, end);
        io.trim(first, end);
        io.mark_all_idle_work();
    }

    /// The figures that all of the family report, with write amplification counted in two ways: with
    /// every move, or of AGC's only those in vain.
    pub fn report(&self, name: &str, io: &Io) -> SchemeReport {
        let mut report = self.balance.report(name, &self.region, io);
        let b = &self.balance;
        let host = b.host().max(1) as f64;
        let needed = (b.gc + b.migrated) as f64;
        report.figures.insert("waf_all".into(), 1.0 + (b.agc as f64 + needed) / host);
        report.figures.insert("waf_extra".into(), 1.0 + (self.pages_in_vain(io) + needed) / host);
        report
    }

    fn pages_in_vain(&self, io: &Io) -> f64 {
        self.vain.pages(io.geometry().mu_bytes, self.page_bytes)
    }

    /// The figures of AGC, A of the balance among them.
    pub fn report_agc(&self, report: &mut SchemeReport, io: &Io) {
        let b = &self.balance;
        let host = b.host().max(1) as f64;
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("agc_pages_moved", b.agc as f64);
        figure("agc_blocks_erased", b.agc_blocks as f64);
        figure("agc_pages_moved_in_vain", self.pages_in_vain(io));
        figure("agc_moves_per_host_page", b.agc as f64 / host);
    }
}

/// Writes a piece as `page`.
#[inline]
pub fn store(piece: &Piece, page: Ppn, io: &mut Io) {
    page_level::write_through(piece, page, io, |io, write, sources| {
        io.program(page, write, sources);
    });
}

/// What advanced garbage collection collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct AgcConfig {
    /// Which blocks.
    #[default(Eligible::Used)]
    pub eligible: Eligible,
    /// Invalid pages that a block has at least.
    #[schemars(range(min = 1, max = 32_767))]
    #[default(3)]
    pub min_invalid: u32,
}
