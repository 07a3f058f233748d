//! One choice of everything a device, a host and a scheme offer, on a tiny device.

use super::keys;
use crate::it::common::{device, mode, pool, reprogram, setup};
use prop::sample::{select, Index};
use proptest::prelude::*;
use serde_json::{json, Value};
use slcache_core::base::CellMode;
use slcache_core::device::config::{
    Acknowledge, BufferConfig, HostConfig, InflightRead, LinkConfig, PartReads, PreconditionConfig, Prefill,
    ReadTransfer, Replay, RmwTransfer, SubMu, TracePolicy, WriteBack,
};
use slcache_core::device::Setup;
use slcache_core::hw::config::{PlaneParallelism, PoolConfig, ProgramRule, ReprogramConfig, SuspendConfig};
use slcache_core::hw::controller_config::ControllerConfig;
use slcache_core::hw::disk::config::{AtStart, DiskConfig, Rotation};
use slcache_core::hw::map_config::{MapConfig, MapMoves};
use slcache_core::schemes::CATALOG;

/// The flash.
#[derive(Clone, Debug)]
pub struct Chips {
    channels: u32,
    chips: u32,
    dies: u32,
    planes: u32,
    blocks: u32,
    wordlines: u32,
    mu_bytes: u32,
    slots: u32,
    dense: CellMode,
    one_shot: bool,
    copies_back: bool,
    parallelism: PlaneParallelism,
    suspend: SuspendConfig,
    /// A second pool, behind or before, that the scheme leaves alone if it uses one.
    other_pool: Option<bool>,
    other_halves: bool,
    /// Units of a scheme of two tiers are as large as the other pool's pages, or logical pages.
    small_units: bool,
    /// In front of a disk there may be very few blocks.
    few_blocks: bool,
    wordlines_per_layer: u32,
}

/// How the host drives the device.
#[derive(Clone, Debug)]
pub struct Drive {
    closed: bool,
    queue_depth: u32,
    time_scale: f64,
    turnaround_ns: u32,
    /// Translation pages in the mapping cache; 0 = all of the map is in DRAM.
    mapped: u64,
    link: Option<LinkConfig>,
    buffer: Option<(Acknowledge, WriteBack, u32, bool)>,
    /// Planes of a stripe, stripes in flight, ns beside their programs for a run of units.
    stripes: (u32, Option<u32>, u32),
    front: Option<ControllerConfig>,
    sub_mu: SubMu,
    on_read: bool,
}

impl Drive {
    /// Its mapping cache: pages of 64 entries.
    fn map(&self) -> Option<MapConfig> {
        (self.mapped > 0).then(|| MapConfig {
            cache_bytes: 512 * self.mapped,
            entry_bytes: 8,
            page_bytes: 512,
            access_ns: 500,
            mode: CellMode::Slc,
            blocks: None,
            moves: if self.mapped % 2 == 0 { MapMoves::Charged } else { MapMoves::Free },
        })
    }
}

#[derive(Clone, Debug)]
pub struct Controller {
    plp: bool,
    inflight_read: InflightRead,
    rmw_transfer: RmwTransfer,
    read_transfer: ReadTransfer,
    part_reads: PartReads,
    stage_timeout_ns: u64,
    starvation_ns: u64,
    /// Reads and steps at which blocks move of cells that err, where the scheme lets them, and whether a patrol
    /// looks for them and wear is levelled.
    upkeep: Option<(u32, u32, bool)>,
}

#[derive(Clone, Debug)]
pub struct Choice {
    scheme: &'static str,
    chips: Chips,
    drive: Drive,
    controller: Controller,
    /// Parameters of the scheme; what the device refuses of them stays at its default.
    keys: Vec<(&'static str, Value)>,
    precondition: PreconditionConfig,
    /// Share of the largest capacity that the scheme accepts.
    fullness: f64,
    /// Share of the capacity that holds data from before time 0.
    pub preload: f64,
    /// Of which there are only some mapping units.
    pub by_unit: bool,
    /// Requests between two audits.
    pub audit_every: usize,
    /// Requests between two turns of a knob, 0 = none is turned.
    pub turn_every: usize,
    /// The home of the data, if the scheme has them on a disk.
    disk: DiskConfig,
}

/// A disk that falls asleep within a few seconds, or within some milliseconds.
fn disks() -> impl Strategy<Value = DiskConfig> {
    let rotation = select(vec![Rotation::Mean, Rotation::Angle]);
    let at_start = select(vec![AtStart::Active, AtStart::Standby]);
    let mechanics = (select(vec![1, 1_000]), select(vec![0, 30_000]), rotation, at_start);
    mechanics.prop_map(|(haste, overhead_ns, rotation, at_start)| {
        let mut disk = crate::it::common::disk();
        let power = &mut disk.power;
        for ns in [
            &mut power.idle_after_ns,
            &mut power.to_idle_ns,
            &mut power.from_idle_ns,
            &mut power.standby_after_ns,
            &mut power.spin_down_ns,
            &mut power.spin_up_ns,
        ] {
            *ns /= haste;
        }
        DiskConfig { overhead_ns, rotation, at_start, ..disk }
    })
}

fn chips() -> impl Strategy<Value = Chips> {
    use PlaneParallelism::{Independent, MultiPlane, Serial};
    let suspend = (any::<bool>(), any::<bool>(), select(vec![0, 5_000]), select(vec![0, 7_000]), 1..4u32);
    let suspend = suspend.prop_map(|(program, erase, suspend_ns, resume_ns, max_suspends)| SuspendConfig {
        program,
        erase,
        suspend_ns,
        resume_ns,
        max_suspends,
    });
    let counts = (1..=2u32, 1..=2u32, 1..=2u32, select(vec![1, 2, 3, 4]));
    let sizes = (14..=18u32, select(vec![4, 8]), select(vec![512, 4096, 16384]), select(vec![1, 2, 4, 16]));
    let modes =
        (select(vec![CellMode::Mlc, CellMode::Tlc, CellMode::Qlc]), any::<bool>(), 1..=2u32, any::<bool>());
    let rules = (
        select(vec![Independent, MultiPlane, Serial]),
        suspend,
        (select(vec![None, None, Some(false), Some(true)]), any::<bool>(), any::<bool>(), any::<bool>()),
    );
    (counts, sizes, modes, rules).prop_map(|(n, size, mode, rule)| Chips {
        channels: n.0,
        chips: n.1,
        dies: n.2,
        planes: n.3,
        blocks: size.0,
        wordlines: size.1,
        mu_bytes: size.2,
        slots: size.3,
        dense: mode.0,
        one_shot: mode.1,
        wordlines_per_layer: mode.2,
        copies_back: mode.3,
        parallelism: rule.0,
        suspend: rule.1,
        other_pool: rule.2 .0,
        other_halves: rule.2 .1,
        small_units: rule.2 .2,
        few_blocks: rule.2 .3,
    })
}

fn drive() -> impl Strategy<Value = Drive> {
    let link = LinkConfig {
        lanes: 1,
        lane_mb_per_s: 500,
        payload_bytes: 256,
        header_bytes: 24,
        read_overhead_ns: 1_000,
        write_overhead_ns: 1_500,
    };
    let buffer = (
        select(vec![Acknowledge::OnBuffer, Acknowledge::OnProgram]),
        select(vec![WriteBack::WhenFull, WriteBack::AtOnce]),
        1..6u32,
        any::<bool>(),
    );
    let stripes = (1..5u32, select(vec![None, None, Some(1), Some(2)]), select(vec![0, 300_000]));
    let front = (
        select(vec![0, 7_000]),
        select(vec![0, 11_000]),
        select(vec![None, Some(900)]),
        select(vec![0, 0, 40_000]),
    )
        .prop_map(|(read_ns, write_ns, commands_per_s, jitter_ns)| ControllerConfig {
            read_ns,
            write_ns,
            commands_per_s,
            jitter_ns,
            ..ControllerConfig::default()
        });
    (
        (prop::bool::weighted(0.25), select(vec![0, 0, 0, 1, 4, 32]), select(vec![1.0, 1.0, 0.1, 3.5])),
        (select(vec![None, None, Some(link)]), select(vec![0, 0, 400_000]), select(vec![0, 0, 0, 1, 2, 5])),
        (proptest::option::weighted(0.4, buffer), stripes, proptest::option::weighted(0.3, front)),
        select(vec![SubMu::Round, SubMu::Rmw]),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(host, (link, turnaround_ns, mapped), (buffer, stripes, front), sub_mu, on_read)| {
            Drive {
                closed: host.0,
                queue_depth: if host.0 { host.1.max(1) } else { host.1 },
                time_scale: host.2,
                turnaround_ns,
                mapped,
                link,
                buffer,
                stripes,
                front,
                sub_mu,
                on_read,
            }
        })
}

fn controller() -> impl Strategy<Value = Controller> {
    (
        any::<bool>(),
        select(vec![InflightRead::Buffer, InflightRead::Wait]),
        select(vec![RmwTransfer::Page, RmwTransfer::Request]),
        select(vec![ReadTransfer::Request, ReadTransfer::Page]),
        select(vec![PartReads::Together, PartReads::InTurn]),
        select(vec![1_000, 1_000_000]),
        select(vec![0, 2_000_000]),
        select(vec![None, None, Some((20, 1, true)), Some((200, 4, false))]),
    )
        .prop_map(
            |(
                plp,
                inflight_read,
                rmw_transfer,
                read_transfer,
                part_reads,
                stage_timeout_ns,
                starvation_ns,
                upkeep,
            )| {
                Controller {
                    plp,
                    inflight_read,
                    rmw_transfer,
                    read_transfer,
                    part_reads,
                    stage_timeout_ns,
                    starvation_ns,
                    upkeep,
                }
            },
        )
}

/// Choices with any scheme of the catalogue.
pub fn choices() -> impl Strategy<Value = Choice> {
    choices_of(CATALOG.iter().map(|entry| entry.name).collect())
}

/// Choices with any scheme that has its data on a disk.
pub fn disk_choices() -> impl Strategy<Value = Choice> {
    choices_of(CATALOG.iter().filter(|entry| entry.on_disk).map(|entry| entry.name).collect())
}

fn choices_of(schemes: Vec<&'static str>) -> impl Strategy<Value = Choice> {
    let before = (select(vec![0.0, 0.0, 0.5, 1.0]), select(vec![0.0, 1.0]), any::<bool>());
    let extent = (select(vec![1.0, 1.0, 0.7, 0.3]), select(vec![0.0, 0.0, 0.5, 1.0]), select(vec![1, 5, 50]));
    let turns = select(vec![0, 1, 4, 30]);
    let places = prop::collection::vec(any::<Index>(), keys::most());
    (select(schemes), chips(), drive(), controller(), places, before, (extent, turns, disks(), any::<bool>()))
        .prop_map(
            |(
                scheme,
                chips,
                drive,
                controller,
                places,
                (fill, overwrite, drain),
                (extent, turn_every, disk, by_unit),
            )| {
                Choice {
                    scheme,
                    disk,
                    chips,
                    drive,
                    controller,
                    keys: keys_of(scheme, &places),
                    precondition: PreconditionConfig {
                        fill,
                        overwrite: if fill > 0.0 { overwrite } else { 0.0 },
                        drain,
                        ..PreconditionConfig::default()
                    },
                    fullness: extent.0,
                    preload: extent.1,
                    by_unit,
                    audit_every: extent.2,
                    turn_every,
                }
            },
        )
}

fn keys_of(scheme: &str, places: &[Index]) -> Vec<(&'static str, Value)> {
    let keys = keys::drawn(scheme).iter().zip(places);
    keys.map(|((key, values), place)| (key.as_str(), place.get(values).clone())).collect()
}

impl Chips {
    fn pool(&self) -> PoolConfig {
        let page_bytes = self.slots * self.mu_bytes;
        let mut base = pool(self.channels, self.planes, self.blocks, self.wordlines, page_bytes);
        let mut dense = mode(60_000, 800_000, 3_000_000);
        if self.copies_back {
            base.slc.as_mut().unwrap().copyback_ns = Some(220_000);
            dense.copyback_ns = Some(860_000);
        }
        if self.one_shot {
            (dense.program, dense.copyback_ns) = (ProgramRule::OneShot, None);
        }
        let of = |mode| (mode == self.dense).then(|| dense.clone());
        PoolConfig {
            chips: self.chips,
            dies: self.dies,
            plane_parallelism: self.parallelism,
            suspend: self.suspend,
            mlc: of(CellMode::Mlc),
            tlc: of(CellMode::Tlc),
            qlc: of(CellMode::Qlc),
            reprogram: Some(ReprogramConfig {
                mode: Some(self.dense),
                wordlines_per_layer: self.wordlines_per_layer,
                ..reprogram()
            }),
            ..base
        }
    }

    /// The other pool's pages may be half as large.
    fn other_page_bytes(&self) -> u32 {
        let halves = self.other_halves && self.slots % 2 == 0;
        self.slots * self.mu_bytes / if halves { 2 } else { 1 }
    }

    /// The pools: the scheme's is the only one that offers the dense mode.
    fn pools(&self) -> Vec<PoolConfig> {
        let own = self.pool();
        let mut other = pool(1, 2, 6, 4, self.other_page_bytes());
        (other.name, other.tlc) = ("other".into(), None);
        match self.other_pool {
            None => vec![own],
            Some(false) => vec![own, other],
            Some(true) => vec![other, own],
        }
    }
}

/// Whether a key is `section` or lies in it.
fn is_within(key: &str, section: &str) -> bool {
    key.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Choice {
    /// Bytes of a logical page.
    fn page_bytes(&self) -> u64 {
        u64::from(self.chips.slots * self.chips.mu_bytes)
    }

    /// Whether the data are at home on a disk.
    pub fn on_disk(&self) -> bool {
        CATALOG.iter().any(|entry| entry.name == self.scheme && entry.on_disk)
    }

    /// Whether there are hardly any blocks: two in SLC and two others, or some more.
    fn has_few_blocks(&self) -> bool {
        self.on_disk() && self.chips.few_blocks
    }

    fn pools(&self) -> Vec<PoolConfig> {
        let blocks = if self.has_few_blocks() { self.chips.blocks - 10 } else { self.chips.blocks };
        Chips { blocks, ..self.chips.clone() }.pools()
    }

    fn with_capacity(&self, pages: u64) -> Setup {
        let mut flash = device(self.chips.pool(), pages * self.page_bytes());
        flash.pool = self.pools();
        flash.disk = self.on_disk().then(|| self.disk.clone());
        let c = &self.controller;
        (flash.mu_bytes, flash.plp, flash.inflight_read) = (self.chips.mu_bytes, c.plp, c.inflight_read);
        (flash.rmw_transfer, flash.stage_timeout_ns) = (c.rmw_transfer, c.stage_timeout_ns);
        (flash.read_transfer, flash.part_reads) = (c.read_transfer, c.part_reads);
        flash.starvation_ns = c.starvation_ns;
        let d = &self.drive;
        flash.map = d.map().filter(|map| flash.pool.iter().all(|pool| pool.pages_per_block(map.mode) > 1));
        let mut setup = setup(flash, self.scheme);
        setup.host = HostConfig {
            replay: if d.closed { Replay::Closed } else { Replay::Open },
            queue_depth: d.queue_depth,
            time_scale: d.time_scale,
            turnaround_ns: d.turnaround_ns,
            turnaround_ps_per_byte: d.turnaround_ns / 10,
            link: d.link,
        };
        let (planes, stripes_in_flight, run_overhead_ns) = d.stripes;
        let all: u32 = setup.device.pool.iter().map(PoolConfig::plane_count).sum();
        let stripe_planes = planes.min(all);
        let program = setup.device.pool.iter().map(PoolConfig::program_bytes).max().unwrap_or(0);
        let flush_ns = if setup.device.plp { 0 } else { 70_000 };
        setup.device.controller = d.front.map(|front| ControllerConfig { flush_ns, ..front });
        setup.buffer = d.buffer.map(|(acknowledge, write_back, pages, fill_on_read)| BufferConfig {
            acknowledge,
            write_back,
            access_ns: 1000,
            fill_on_read,
            stripe_planes,
            stripes_in_flight,
            run_overhead_ns,
            ..BufferConfig::new(
                (u64::from(pages) * self.page_bytes())
                    .max(u64::from(stripe_planes) * program + self.page_bytes()),
            )
        });
        let prefill = if d.on_read { Prefill::OnRead } else { Prefill::None };
        setup.trace = TracePolicy { sub_mu: d.sub_mu, prefill, ..TracePolicy::default() };
        setup.precondition = self.precondition.clone();
        let mut keys = self.keys.clone();
        keys.push(("dense_mode", json!(self.chips.dense)));
        keys.push(("mode", json!(self.chips.dense)));
        if self.has_few_blocks() {
            keys.push(("slc_blocks", json!(2)));
        }
        if self.chips.other_pool.is_some() && self.chips.small_units {
            keys.push(("unit_bytes", self.chips.other_page_bytes().into()));
        }
        keys.push(("merge.buffer_bytes", (self.page_bytes() * 3 / 2).into()));
        crate::it::common::configure(&mut setup, &keys);
        setup.device.cells = c.upkeep.map(|(reads, steps, patrol)| {
            let start = json!({ "cycles": 1500, "days": 20.0 });
            let mut config = json!({
                "age_scale": 1e6,
                "start": { self.chips.dense.name(): start },
                "reclaim": { "reads": reads },
                "refresh": { "steps": steps, "scrub": if patrol { "patrol" } else { "read" } },
            });
            if patrol {
                config["levelling"] = json!({ "threshold": 1 });
            }
            serde_json::from_value(config).unwrap()
        });
        if setup.check().iter().any(|problem| problem.key.starts_with("device.cells.")) {
            setup.device.cells = None;
        }
        setup
    }

    /// The choice with those of its keys that a device of so many pages takes. Where a refused key stands
    /// at its default already, another one of its section is what it does not fit.
    fn accepted(&self, pages: u64) -> Self {
        let mut choice = self.clone();
        let place = format!("scheme.{}.", self.scheme);
        loop {
            let problems = choice.with_capacity(pages).check();
            let refused: Vec<_> = problems.iter().filter_map(|p| p.key.strip_prefix(&place)).collect();
            let before = choice.keys.len();
            choice.keys.retain(|(key, _)| !refused.iter().any(|told| is_within(told, key)));
            if choice.keys.len() == before {
                let sections: Vec<_> = refused.iter().filter_map(|told| told.rsplit_once('.')).collect();
                choice.keys.retain(|(key, _)| !sections.iter().any(|(section, _)| is_within(key, section)));
            }
            if choice.keys.len() == before {
                return choice;
            }
        }
    }

    /// The device with its share of the largest user capacity it accepts, or with a disk as large as the
    /// flash or larger; none if it accepts none.
    pub fn setup(&self) -> Option<Setup> {
        if self.on_disk() {
            let raw: u64 = self.pools().iter().map(|pool| pool.raw_bytes(pool.densest())).sum();
            let pages = (raw.div_ceil(self.page_bytes()) as f64 / self.fullness) as u64;
            return Some(self.accepted(pages).with_capacity(pages)).filter(|setup| setup.check().is_empty());
        }
        self.accepted(1).with_largest_capacity()
    }

    fn with_largest_capacity(&self) -> Option<Setup> {
        let fits = |pages: u64| self.with_capacity(pages).check().is_empty();
        let (mut least, mut most) = (1, 1 << 20);
        if !fits(least) {
            return None;
        }
        while most - least > 1 {
            let middle = (least + most) / 2;
            *(if fits(middle) { &mut least } else { &mut most }) = middle;
        }
        let pages = ((least as f64 * self.fullness) as u64).max(1);
        Some(self.with_capacity(pages))
    }

    /// Whether a write is in the map as soon as it was fed, whole and once.
    pub fn is_immediate(&self) -> bool {
        let d = &self.drive;
        d.buffer.is_none()
            && d.link.is_none()
            && d.front.is_none()
            && d.mapped == 0
            && !d.closed
            && d.queue_depth == 0
    }

    /// Whether writes, held up on their way in, may come after trims that the host sent later.
    pub fn may_overtake(&self) -> bool {
        self.drive.link.is_some() || self.drive.front.is_some() || self.drive.mapped > 0
    }

    /// Whether the device takes requests in the order of the trace.
    pub fn keeps_order(&self) -> bool {
        !self.drive.closed && !self.may_overtake()
    }

    /// Whether a read may map what its page lacks.
    pub fn maps_on_read(&self) -> bool {
        self.drive.on_read
    }
}
